"""Weights are identified by the SHA-256 of their bytes, a folder by its files and their names."""

from hashlib import file_digest, sha256
from pathlib import Path
from typing import Any

from hits.core.errors import CrowdError
from scoring.rivals.interface import Spec


class WeightsMissing(CrowdError):
    """Raised if fetched weights are not there (any more)."""


class WeightsChanged(CrowdError):
    """Raised if other weights have replaced the registered ones; nothing is judged by them."""


def digest(path: Path) -> str:
    if path.is_dir():
        lines = [
            f"{_of_file(one)}  {one.relative_to(path).as_posix()}\n"
            for one in sorted(path.rglob("*"))
            if one.is_file()
        ]
        return sha256("".join(lines).encode()).hexdigest()
    return _of_file(path)


def check(spec: Spec) -> str:
    """Digest of a rival's weights. Raises WeightsMissing or WeightsChanged."""
    if spec.path is None or not spec.path.exists():
        raise WeightsMissing(
            f"The weights of {spec.name} are not at {spec.path}. "
            f"Fetch them: manage.py fetch_rival {spec.name}."
        )
    found = digest(spec.path)
    if spec.weights_sha256 and found != spec.weights_sha256:
        raise WeightsChanged(
            f"The weights of {spec.name} at {spec.path} are not the ones it was registered with: "
            f"their SHA-256 is {found}, not {spec.weights_sha256}. Put the old ones back, "
            "or register these under another name."
        )
    return found


def load_processor(loader: Any, spec: Spec) -> Any:
    """Load what describes a model of transformers or prepares its inputs, from its folder alone, as below."""
    return loader.from_pretrained(spec.path, local_files_only=True, trust_remote_code=False)


def load_whole(loader: Any, spec: Spec, *, called: str, **options: Any) -> Any:
    """Load a model of transformers from its folder alone; no code of the folder is run.

    Raises WeightsMissing where the folder lacks a part: transformers would invent that at random.
    """
    model, report = loader.from_pretrained(
        spec.path, local_files_only=True, trust_remote_code=False, output_loading_info=True, **options
    )
    if lacking := sorted(report["missing_keys"]):
        raise WeightsMissing(
            f"The weights of {spec.name} at {spec.path} are no {called}: they lack {', '.join(lacking[:3])}. "
            "Fetch a model of this kind."
        )
    return model


def _of_file(path: Path) -> str:
    with path.open("rb") as content:
        return file_digest(content, "sha256").hexdigest()

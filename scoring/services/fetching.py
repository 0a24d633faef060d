"""Weights are fetched into their folder, identified by their digest, and tested by one answer."""

import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import structlog
from django.conf import settings
from django.core.exceptions import ValidationError
from PIL import Image

from hits.core.errors import CrowdError
from scoring import rivals
from scoring.models import RegisteredRival
from scoring.rivals import packaged_pipelines, weight_downloads
from scoring.services.model_loading import spec_of

Kind = RegisteredRival.Kind
log = structlog.get_logger()


class Unsuitable(CrowdError):
    """Raised if the named model or weights make no rival."""


@dataclass(frozen=True, kw_only=True)
class WantedModel:
    name: str
    kind: str
    model: str
    # A tag that open_clip knows; empty for a language model, which its name identifies.
    weights: str = ""
    # A file or folder to copy instead of downloading.
    source: Path | None = None
    options: Mapping[str, Any]
    # What is said of it, by the names of STATED; what is left out stays as it is.
    facts: Mapping[str, Any] = field(default_factory=dict)


def fetch_rival(*, wanted: WantedModel, now: datetime) -> RegisteredRival:
    """Register a rival after it has answered. Fetched again, the same weights are put back in place."""
    home = Path(settings.WEIGHTS_DIR)
    home.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=home, prefix=".fetching-") as folder:
        brought = _bring(wanted, into=Path(folder) / "files")
        rival = RegisteredRival(
            name=wanted.name,
            kind=wanted.kind,
            model=wanted.model,
            source=str(wanted.source.name if wanted.source else wanted.weights or wanted.model),
            path=str(Path(wanted.name) / brought.name) if brought.is_file() else wanted.name,
            weights_sha256=rivals.digest(brought),
            options=dict(wanted.options),
            added_at=now,
            **wanted.facts,
        )
        known = RegisteredRival.objects.filter(name=wanted.name).first()
        _refuse_other(known, rival)
        rival.parameters = _prove(rival, at=brought)
        _move(brought, home / wanted.name)
    if known is not None:
        facts = {"parameters": rival.parameters, **wanted.facts}
        RegisteredRival.objects.filter(pk=known.pk).update(**facts)
        return known
    rival.save()
    log.info("rival.registered", rival=rival.name, weights=rival.weights_sha256)
    return rival


def _bring(wanted: WantedModel, *, into: Path) -> Path:
    into.mkdir()
    if wanted.source is None:
        if wanted.kind == Kind.CLIP:
            return weight_downloads.fetch_clip(model=wanted.model, weights=wanted.weights, into=into)
        if wanted.kind == Kind.TAGGER:
            return packaged_pipelines.copy_pipeline(package=wanted.model, into=into)
        return weight_downloads.fetch_folder(model=wanted.model, into=into)
    if not wanted.source.exists():
        raise Unsuitable(f"There is nothing at {wanted.source}.")
    if wanted.source.is_dir():
        shutil.copytree(wanted.source, into, dirs_exist_ok=True)
        return into
    target = into / wanted.source.name
    shutil.copyfile(wanted.source, target)
    return target


def _refuse_other(known: RegisteredRival | None, rival: RegisteredRival) -> None:
    try:
        rival.clean_fields(exclude=("added_at",))
    except ValidationError as error:
        raise Unsuitable("; ".join(error.messages)) from error
    if known is None:
        return
    same = ("kind", "model", "path", "weights_sha256", "options")
    if other := [name for name in same if getattr(known, name) != getattr(rival, name)]:
        raise Unsuitable(
            f"{rival.name} is registered already, with another {', '.join(other)}. Its verdicts name it: "
            "give these weights a name of their own."
        )


def _prove(rival: RegisteredRival, *, at: Path) -> int | None:
    """Load the model from where it was fetched, and let it answer; return how many parameters it has.

    Raises Unsuitable if it cannot be loaded.
    """
    spec = spec_of(rival)
    try:
        model = rivals.load(rivals.Spec(**{**vars(spec), "path": at}))
    except (OSError, RuntimeError, ValueError) as error:
        raise Unsuitable(f"{rival.name} cannot be loaded: {error}") from error
    with TemporaryDirectory() as folder:
        _ask(model, _draw_gray(Path(folder)))
    found: int | None = model.parameters
    return found


def _ask(model: Any, picture: rivals.Picture) -> None:
    if isinstance(model, rivals.Scorer):
        model.score_pairs([(model.prompt("proof"), picture)])
    elif isinstance(model, rivals.Speaker):
        model.say([("", picture)])


def _draw_gray(folder: Path) -> rivals.Picture:
    path = folder / "gray.png"
    Image.new("RGB", (64, 64), "gray").save(path)
    return rivals.Picture(sha256="", path=str(path), caption="a gray picture")


def _move(brought: Path, target: Path) -> None:
    """Move the folder into place, whole or not at all."""
    source = brought if brought.is_dir() else brought.parent
    if target.exists():
        shutil.rmtree(target)
    source.rename(target)

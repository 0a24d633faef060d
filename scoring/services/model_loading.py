"""Loading of a registered rival into this process, with the space of its vectors."""

import json
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from threading import RLock
from typing import Any

from django.conf import settings

from scoring import rivals
from scoring.models import RegisteredRival, Space

# One thread of a process computes at a time: models and their tokenizers are not made for more.
computing = RLock()


@dataclass(frozen=True, kw_only=True)
class LoadedRival:
    """A dual encoder that is ready to answer, with the space of its vectors."""

    rival: RegisteredRival
    model: rivals.DualEncoder
    space: Space


def spec_of(rival: RegisteredRival) -> rivals.Spec:
    return rivals.Spec(
        name=rival.name,
        kind=rival.kind,
        model=rival.model,
        path=Path(settings.WEIGHTS_DIR) / rival.path if rival.path else None,
        weights_sha256=rival.weights_sha256,
        options=rival.options,
    )


def load_model(rival: RegisteredRival) -> Any:
    """Load a model of any kind. Raises CrowdError if its weights are missing or changed."""
    model = rivals.load(spec_of(rival))
    _record(rival, model)
    return model


def load_scorer(rival: RegisteredRival) -> rivals.Scorer:
    """Load a model that scores texts against pictures. Raises CrowdError if it is none, or as above."""
    scorer = rivals.load_scorer(spec_of(rival))
    _record(rival, scorer)
    return scorer


def load_rival(rival: RegisteredRival) -> LoadedRival:
    """Load a dual encoder. Raises CrowdError if the model is none, or as above."""
    model = load_scorer(rival)
    if not isinstance(model, rivals.DualEncoder):
        raise rivals.NotLoadable(f"{rival} reads texts and pictures together: it has no vectors to keep.")
    return with_space(rival, model)


def with_space(rival: RegisteredRival, model: rivals.DualEncoder) -> LoadedRival:
    space, _ = Space.objects.get_or_create(
        weights_sha256=model.weights_sha256,
        preprocessing_sha256=digest_of(model.preprocessing),
        defaults={"preprocessing": model.preprocessing, "model": model.spec.model},
    )
    if not space.model:
        Space.objects.filter(pk=space.pk).update(model=model.spec.model)
    if rival.space_id != space.pk:
        RegisteredRival.objects.filter(pk=rival.pk).update(space=space, vocabulary_read=0)
        rival.space, rival.vocabulary_read = space, 0
    return LoadedRival(rival=rival, model=model, space=space)


def _record(rival: RegisteredRival, model: rivals.LoadedModel) -> None:
    """Record how many parameters the model has, and the digest of packaged weights that are read first."""
    if not rival.weights_sha256:
        new = RegisteredRival.objects.filter(pk=rival.pk, weights_sha256="")
        new.update(weights_sha256=model.weights_sha256)
    if model.parameters not in (None, rival.parameters):
        RegisteredRival.objects.filter(pk=rival.pk).update(parameters=model.parameters)


def digest_of(value: object) -> str:
    return sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()


@cache
def code_version() -> str:
    """Version of the code that turns weights and pictures into scores: the digest of its source."""
    source = sorted(
        (one.name, one.read_bytes()) for one in files(rivals).iterdir() if one.name.endswith(".py")
    )
    source.append(("domain.py", (files("scoring") / "domain.py").read_bytes()))
    text = "".join(f"{name} {sha256(content).hexdigest()}\n" for name, content in source)
    return f"rivals {sha256(text.encode()).hexdigest()[:16]}"

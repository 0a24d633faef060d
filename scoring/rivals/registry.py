"""Rivals by kind. A model is imported and loaded at the first question, only in the process that asks."""

from importlib import import_module
from importlib.util import find_spec
from typing import Any

from hits.core.errors import CrowdError
from scoring.rivals.interface import Scorer, Spec

PATHS = {
    "caption": "scoring.rivals.caption:CaptionRival",
    "clip": "scoring.rivals.clip:ClipRival",
    "masked": "scoring.rivals.masked:MaskedModel",
    "causal": "scoring.rivals.causal:CausalModel",
    "cross": "scoring.rivals.cross_encoder:CrossEncoder",
    "speaker": "scoring.rivals.captioner:Captioner",
    "tagger": "scoring.rivals.tagger:Tagger",
}
# The library that a kind needs, and the group that installs it; other kinds need torch.
LIBRARIES = {"tagger": ("spacy", "text")}
# Models kept in memory at once; the one used longest ago makes room.
MOST_LOADED = 4
_loaded: dict[str, Any] = {}


class UnknownKind(CrowdError):
    """Raised for a kind of model that is not known here."""


class NotInstalled(CrowdError):
    """Raised where no libraries for models are installed."""


def refuse_without_libraries(kind: str = "") -> None:
    """Raise NotInstalled, saying what to do, if the libraries for this kind of model are missing."""
    library, group = LIBRARIES.get(kind, ("torch", "rival"))
    if find_spec(library) is not None:
        return
    beside = "rival --only-group text" if group == "text" else group
    raise NotInstalled(
        f"{library} is not installed here, so no {kind or 'rival'} answers here: the group `{group}` is "
        f"missing. Run `uv sync --only-group {beside}`, or let a machine that has it take the queue rival."
    )


def load(spec: Spec) -> Any:
    """The model, loaded once in a process.

    Other weights under the same name are loaded again, and checked.
    """
    key = f"{spec.name} {spec.kind} {spec.model} {spec.path} {sorted(spec.options.items())}"
    model = _loaded.pop(key, None)
    if model is None or spec.weights_sha256 not in ("", model.weights_sha256):
        model = _class_of(spec.kind)(spec)
        while len(_loaded) >= MOST_LOADED:
            _loaded.pop(next(iter(_loaded)))
    _loaded[key] = model
    return model


def load_scorer(spec: Spec) -> Scorer:
    """Load a model that scores texts against pictures. Raises UnknownKind if it does something else."""
    model = load(spec)
    if not isinstance(model, Scorer):
        raise UnknownKind(f"{spec.name} scores no pictures; it cannot be asked which of them fit a text.")
    return model


def _class_of(kind: str) -> Any:
    if kind not in PATHS:
        raise UnknownKind(f"There is no kind of rival {kind}. Known: {', '.join(sorted(PATHS))}.")
    refuse_without_libraries(kind)
    module, _, class_name = PATHS[kind].partition(":")
    return getattr(import_module(module), class_name)

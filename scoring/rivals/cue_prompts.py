"""The text that a model reads for a cue."""

from collections.abc import Mapping
from typing import Any

from scoring.rivals.interface import NotLoadable, Spec

VOWELS = frozenset("aeiou")
# What provenance calls the prompt without a template.
WITH_ARTICLE = "A/An {cue}"


def prompt_without_model(kind: str, options: Mapping[str, Any], cue: str) -> str:
    """The prompt that a rival of this kind reads for the cue, as the loaded model would say it."""
    return cue if kind == "caption" else prompt_of(cue, options.get("prompt", ""))


def template_of(spec: Spec) -> str:
    """The prompt's template; empty for the rule of the game's authors. Raises NotLoadable without {cue}."""
    template: str = spec.options.get("prompt", "")
    if template and "{cue}" not in template:
        raise NotLoadable(f"The prompt of {spec.name} has no place for the cue. Write {{cue}} where it goes.")
    return template


def prompt_of(cue: str, template: str) -> str:
    """The prompt of the cue, by default as the game's authors wrote it: A dog, An apple."""
    if template:
        return template.replace("{cue}", cue)
    return f"{'An' if cue[:1].lower() in VOWELS else 'A'} {cue}"

"""Facts about an example in words: shown to people, and compared for the record."""

from collections.abc import Iterable, Mapping

from crowd.pictures.models import Picture
from crowd.winoground.models import Example, Tag

NOTHING = "–"


def facts_of(example: Example, *, tags: Iterable[Tag] | None = None) -> Mapping[str, str]:
    """Facts by the name that people read. `tags`: those that the example is about to have."""
    flags = ("is_symbolic", "is_series", "is_pragmatic")
    visual = [_label(name) for name in flags if getattr(example, name)]
    facts = {
        "caption A": example.caption_0,
        "caption B": example.caption_1,
        _label("has_altered_morpheme"): "yes" if example.has_altered_morpheme else "no",
        **_facts_of_picture("A", example.image_0),
        **_facts_of_picture("B", example.image_1),
        _label("swap"): example.get_swap_display(),
        "tags": "; ".join(sorted(tag.name for tag in (example.tags.all() if tags is None else tags))),
        _label("predicates"): example.get_predicates_display() if example.predicates else "",
        "visual": ", ".join(visual),
        _label("metadata_0"): example.metadata_0,
        _label("metadata_1"): example.metadata_1,
        _label("note"): example.note,
    }
    return {name: fact or NOTHING for name, fact in facts.items()}


def changes_in_words(before: Mapping[str, str], after: Mapping[str, str]) -> list[str]:
    return [f"{name}: {before[name]} → {after[name]}" for name in after if before[name] != after[name]]


def _facts_of_picture(side: str, picture: Picture | None) -> dict[str, str]:
    return {
        f"picture {side}": picture.sha256[:12] if picture else "",
        f"source of picture {side}": picture.source if picture else "",
        f"credit of picture {side}": picture.credit if picture else "",
        f"licence of picture {side}": picture.licence if picture else "",
    }


def _label(name: str) -> str:
    return str(Example._meta.get_field(name).verbose_name)  # type: ignore[union-attr]

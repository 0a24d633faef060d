"""Examples by their labels and tags: an example is in several parts."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from crowd.winoground.models import Example
from crowd.winoground.queries.scoring import Line


@dataclass(frozen=True, kw_only=True)
class Part:
    """Examples with the same value of a label. `key`: its name in addresses. `about`: the label."""

    key: str
    about: str
    name: str
    lines: Sequence[Line]


def parts_of(lines: Sequence[Line]) -> list[Part]:
    """Parts by broad labels first, then by every fine tag that is used, in alphabetical order."""
    return [*_broad(lines), *_fine(lines)]


def _broad(lines: Sequence[Line]) -> Iterator[Part]:
    for swap in Example.Swap:
        own = [line for line in lines if line.swap == swap]
        yield Part(key=f"swap-{swap}", about="What is swapped", name=swap.label, lines=own)
    for count in Example.Predicates:
        own = [line for line in lines if line.predicates == count]
        yield Part(key=f"predicates-{count}", about="Main predicates", name=count.label, lines=own)
    for name in ("symbolic", "series", "pragmatic"):
        own = [line for line in lines if getattr(line, f"is_{name}")]
        field: Any = Example._meta.get_field(f"is_{name}")
        label = str(field.verbose_name).capitalize()
        yield Part(key=f"visual-{name}", about="Pictures", name=label, lines=own)
    for key, name, has in (("same", "Same forms", False), ("altered", "A word changes its form", True)):
        own = [line for line in lines if line.has_altered_morpheme == has]
        yield Part(key=f"words-{key}", about="Words", name=name, lines=own)


def _fine(lines: Sequence[Line]) -> Iterator[Part]:
    by_tag: dict[str, list[Line]] = {}
    for line in lines:
        for tag in line.tags:
            by_tag.setdefault(tag, []).append(line)
    for tag in sorted(by_tag, key=str.casefold):
        yield Part(key=f"tag-{tag}", about="Fine tag", name=tag, lines=by_tag[tag])

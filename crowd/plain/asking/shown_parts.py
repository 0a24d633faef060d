"""A described page as templates show it: texts filled from a row, and each question with its place."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from crowd.pictures.models import Picture
from crowd.plain.domain.answers import entry_of, values_of
from crowd.plain.domain.pages import Kind, Page, Part
from crowd.plain.domain.texts import fill
from crowd.plain.models import Row

THUMBNAIL = 480
# A larger picture is sent whole only where the worker asks for it.
LONGEST_SIDE = 2000
# A text that may be longer has several lines to write on.
ONE_LINE = 100
TEMPLATES: Mapping[Kind, str] = {kind: f"plain/parts/{kind}.html" for kind in Kind}


@dataclass(frozen=True, kw_only=True)
class ShownRow:
    """One row on its page. A column whose picture is not in `pictures` shows a drawing instead."""

    page: Page
    cells: Mapping[str, str] = field(default_factory=dict)
    pictures: Mapping[str, Picture] = field(default_factory=dict)
    # The role whose people are asked. Empty: anybody, or no row yet.
    role: str = ""
    # None: a page without a row, as a researcher looks at it.
    row: Row | None = None

    @property
    def is_away(self) -> bool:
        """Whether a picture cannot be seen now; then no question has to be answered."""
        return any(picture.status != Picture.Status.FIT for picture in self.pictures.values())


def shown_parts(asked: ShownRow) -> list[dict[str, Any]]:
    """Parts as plain values; templates escape each of them."""
    places = {part.name: place for place, part in enumerate(asked.page.questions, start=1)}
    parts = [part for part in asked.page.parts if part.is_asked_of(asked.role)]
    return [_shown(part, asked, place=places.get(part.name, 0)) for part in parts]


def names_of(page: Page | Part) -> dict[str, str]:
    """Cells instead of a row: each column is shown by its name."""
    return {name: f"[{name}]" for name in page.columns}


def answers_in_words(asked: ShownRow, texts: Mapping[str, str]) -> list[tuple[str, str]]:
    """Each question with its answer, as text for people who read it afterwards."""
    values = values_of(asked.page, texts, role=asked.role)
    return [
        (fill(part.ask, asked.cells), _in_words(part, values.get(part.name), asked.cells))
        for part in asked.page.questions
        if part.is_asked_of(asked.role)
    ]


def _shown(part: Part, asked: ShownRow, *, place: int) -> dict[str, Any]:
    shown: dict[str, Any] = {"kind": part.kind.value, "template": TEMPLATES[part.kind]}
    if part.kind == Kind.SAY:
        return {**shown, "text": fill(part.name, asked.cells)}
    if part.kind == Kind.PICTURE:
        return {**shown, **_picture(asked.pictures.get(part.name)), "column": part.name}
    return {
        **shown,
        "slot": entry_of(place),
        "ask": fill(part.ask, asked.cells),
        "help": fill(part.help, asked.cells),
        "is_optional": part.is_optional,
        "longest": part.longest,
        "is_long": part.longest > ONE_LINE,
        "is_whole": part.is_whole,
        "options": _options(part, asked.cells),
    }


def _options(part: Part, cells: Mapping[str, str]) -> Sequence[Mapping[str, str]]:
    """Options by their number on the page: workers never see what files call them."""
    is_scale = part.kind == Kind.SCALE
    return [
        {
            "value": str(number),
            "words": option.code if is_scale else fill(option.label, cells),
            "end": fill(option.label, cells) if is_scale else "",
        }
        for number, option in enumerate(part.options, start=1)
    ]


def _picture(picture: Picture | None) -> dict[str, Any]:
    if picture is None:
        return {"picture": "", "whole": ""}
    width, height = picture.width or 0, picture.height or 0
    return {
        "key": picture.key,
        "picture": f"/pictures/{picture.key}/{THUMBNAIL}/",
        "whole": f"/pictures/{picture.key}/",
        "width": width,
        "height": height,
        # The width of the thumbnail, whose longer side is fixed.
        "small_width": min(width, width * THUMBNAIL // max(width, height, 1)),
        "is_light": 0 < max(width, height) <= LONGEST_SIDE,
    }


def _in_words(part: Part, value: object, cells: Mapping[str, str]) -> str:
    if value is None:
        return "–"
    labels = {option.code: fill(option.label, cells) for option in part.options}
    if isinstance(value, tuple):
        return ", ".join(labels[code] for code in value) or "–"
    code = str(value)
    label = labels.get(code, "")
    return f"{code} ({label})" if part.kind == Kind.SCALE and label else label or code

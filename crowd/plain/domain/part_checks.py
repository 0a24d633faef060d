"""Making of a part from its lines, with a fault for whatever its kind does not allow."""

import re
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from typing import Any

from crowd.plain.domain.lines import Draft, Reader
from crowd.plain.domain.pages import LONGEST_ANSWER, Kind, Option, Part
from crowd.plain.domain.texts import BadText, column_name, columns_in

MOST_OPTIONS = 30
LONGEST_CODE = 60
WIDEST_SCALE = 11
NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
WHOLE = re.compile(r"-?[0-9]{1,6}")
FIGURE = re.compile(r"-?[0-9]{1,12}(?:\.[0-9]{1,6})?")


def finish_part(draft: Draft, reader: Reader) -> Part | None:
    """The finished part; None if it is too wrong to be shown."""
    before = len(reader.faults)
    if draft.kind == Kind.SAY:
        _check_text(draft.line, draft.name, reader)
        return (
            Part(kind=draft.kind, line=draft.line, name=draft.name) if len(reader.faults) == before else None
        )
    if draft.kind == Kind.PICTURE:
        return _finish_picture(draft, reader)
    if not NAME.fullmatch(draft.name):
        reader.blame(
            draft.line,
            "a question has a name of small letters, digits and “_” that begins with a letter, 40 at most.",
        )
    if "ask" not in draft.said:
        reader.blame(draft.line, "the question asks nothing. Add a line “ask:” below it.")
    for word in ("ask", "help"):
        _check_text(*draft.said.get(word, (draft.line, "")), reader)
    more = _FINISH[draft.kind](draft, reader)
    if len(reader.faults) > before:
        return None
    return Part(
        kind=draft.kind,
        line=draft.line,
        name=draft.name,
        ask=draft.text("ask"),
        help=draft.text("help"),
        is_optional="optional" in draft.said,
        only_role=draft.text("only"),
        **more,
    )


def _finish_picture(draft: Draft, reader: Reader) -> Part | None:
    """The picture part. `{{ image }}` is understood too: everything else names its column like this."""
    name = draft.name.removeprefix("{{").removesuffix("}}")
    if "{{" in name or "}}" in name or not column_name(name):
        reader.blame(draft.line, "“picture:” is followed by the name of one column.")
        return None
    return Part(kind=draft.kind, line=draft.line, name=column_name(name))


def _check_text(line: int, text: str, reader: Reader) -> None:
    try:
        columns_in(text)
    except BadText as problem:
        reader.blame(line, str(problem))


def _finish_text(draft: Draft, reader: Reader) -> dict[str, Any]:
    line, said = draft.said.get("longest", (0, str(LONGEST_ANSWER)))
    if not WHOLE.fullmatch(said) or not 1 <= int(said) <= LONGEST_ANSWER:
        reader.blame(line, f"“longest” is a whole number from 1 to {LONGEST_ANSWER}.")
        return {}
    return {"longest": int(said)}


def _finish_options(draft: Draft, reader: Reader) -> dict[str, Any]:
    options, known = list(_read_options(draft, reader)), set()
    for (line, _), option in zip(draft.options, options, strict=True):
        if option.code in known:
            reader.blame(line, f"there is an option “{option.code}” already.")
        known.add(option.code)
    if not 2 <= len(options) <= MOST_OPTIONS:
        reader.blame(draft.line, f"a “{draft.kind}” has 2 to {MOST_OPTIONS} options, each after a dash.")
    return {"options": tuple(options)}


def _read_options(draft: Draft, reader: Reader) -> Iterator[Option]:
    for line, text in draft.options:
        code, equals, label = (part.strip() for part in text.partition(" = "))
        _check_text(line, label or code, reader)
        if "{{" in code:
            reader.blame(
                line, "an option that names a column needs a word for files before it: “- a = {{ x }}”."
            )
        elif not code or (equals and not label):
            reader.blame(line, "an option is “- words”, or “- word for files = words”.")
        elif len(code) > LONGEST_CODE:
            reader.blame(
                line,
                f"what files call an option has {LONGEST_CODE} letters at most; "
                "put a short word and “ = ” before it.",
            )
        yield Option(code=code, label=label or code)


def _finish_scale(draft: Draft, reader: Reader) -> dict[str, Any]:
    """The points of a scale as options; the two ends have words, if the description gives any."""
    ends: list[tuple[int, str]] = []
    for word in ("from", "to"):
        line, said = draft.said.get(word, (draft.line, ""))
        figure, _, label = (part.strip() for part in said.partition(" = "))
        if WHOLE.fullmatch(figure):
            ends.append((int(figure), label))
        else:
            reader.blame(
                line, f"a scale needs “{word}:” with a whole number, as in “{word}: 1 = not at all”."
            )
        _check_text(line, label, reader)
    if len(ends) < 2:
        return {}
    (first, low), (last, high) = ends
    if not 1 <= last - first < WIDEST_SCALE:
        reader.blame(draft.line, f"a scale has 2 to {WIDEST_SCALE} points, and begins with the lower number.")
        return {}
    labels = {first: low, last: high}
    points = range(first, last + 1)
    return {"options": tuple(Option(code=str(point), label=labels.get(point, "")) for point in points)}


def _finish_number(draft: Draft, reader: Reader) -> dict[str, Any]:
    ends: dict[str, Decimal] = {}
    for word in ("least", "most"):
        line, said = draft.said.get(word, (0, ""))
        if FIGURE.fullmatch(said):
            ends[word] = Decimal(said)
        elif said:
            reader.blame(line, f"“{word}” is a number such as 0 or 2.5.")
    if len(ends) == 2 and ends["least"] > ends["most"]:
        reader.blame(draft.line, "“least” is more than “most”.")
    return {**ends, "is_whole": "whole" in draft.said}


_FINISH: Mapping[Kind, Callable[[Draft, Reader], dict[str, Any]]] = {
    Kind.TEXT: _finish_text,
    Kind.CHOICE: _finish_options,
    Kind.CHOICES: _finish_options,
    Kind.SCALE: _finish_scale,
    Kind.NUMBER: _finish_number,
}

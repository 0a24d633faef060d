"""AnswerSpecification: the kind of answer that a question needs, and its bounds."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Literal

from crowd.marketplace.questions.content import Block, read_label
from crowd.marketplace.questions.patterns import check_pattern
from crowd.marketplace.questions.xml_parsing import ANY, MAYBE, ONE, SOME, Node, invalid, read_number, shorten

LARGEST_FILE = 2_000_000
LONGEST_IDENTIFIER = 128
MOST = 2_147_483_647

Style = Literal["radiobutton", "checkbox", "list", "dropdown", "combobox", "multichooser"]
STYLES: dict[str, Style] = {
    "radiobutton": "radiobutton",
    "checkbox": "checkbox",
    "list": "list",
    "dropdown": "dropdown",
    "combobox": "combobox",
    "multichooser": "multichooser",
}


@dataclass(frozen=True, kw_only=True)
class Pattern:
    regex: str
    error_text: str
    ignores_case: bool


@dataclass(frozen=True, kw_only=True)
class FreeText:
    is_numeric: bool = False
    least: Decimal | None = None
    greatest: Decimal | None = None
    shortest: int = 0
    longest: int | None = None
    patterns: tuple[Pattern, ...] = ()
    default: str = ""
    lines: int = 1


@dataclass(frozen=True, kw_only=True)
class Choice:
    identifier: str
    label: Block


@dataclass(frozen=True, kw_only=True)
class Selection:
    least: int
    most: int
    style: Style
    choices: tuple[Choice, ...]
    other: FreeText | None = None


@dataclass(frozen=True, kw_only=True)
class FileUpload:
    smallest: int
    largest: int


def _read_free_text(node: Node) -> FreeText:
    parts = node.children(Constraints=MAYBE, DefaultText=MAYBE, NumberOfLinesSuggestion=MAYBE)
    lines = parts["NumberOfLinesSuggestion"]
    number = numeric = length = None
    patterns: list[Node] = []
    for constraints in parts["Constraints"]:
        found = constraints.children(IsNumeric=MAYBE, Length=MAYBE, AnswerFormatRegex=ANY)
        numeric, length = _first(found["IsNumeric"]), _first(found["Length"])
        patterns = found["AnswerFormatRegex"]
    shortest, longest = _read_length(length)
    least, greatest = _read_bounds(numeric)
    number = lines[0].number(low=1, high=MOST) if lines else 1
    return FreeText(
        is_numeric=numeric is not None,
        least=least,
        greatest=greatest,
        shortest=shortest,
        longest=longest,
        patterns=tuple(_read_pattern(pattern) for pattern in patterns),
        default=parts["DefaultText"][0].text if parts["DefaultText"] else "",
        lines=min(number, 40),
    )


def _read_bounds(node: Node | None) -> tuple[Decimal | None, Decimal | None]:
    if node is None:
        return None, None
    least, greatest = (_read_decimal(node, name) for name in ("minValue", "maxValue"))
    if least is not None and greatest is not None and least > greatest:
        raise invalid(f"{node.path}: minValue is above maxValue.")
    return least, greatest


def _read_decimal(node: Node, name: str) -> Decimal | None:
    text = node.attribute(name)
    if text is None:
        return None
    try:
        number = Decimal(text.strip())
    except InvalidOperation:
        number = Decimal("NaN")
    if not number.is_finite() or abs(number) > MOST or len(text) > 40:
        raise invalid(f"{node.path}: {name} must be a number.")
    return number


def _read_length(node: Node | None) -> tuple[int, int | None]:
    if node is None:
        return 0, None
    bounds: dict[str, int] = {}
    for name, low in (("minLength", 0), ("maxLength", 1)):
        if (text := node.attribute(name)) is not None:
            bounds[name] = read_number(text.strip(), name=f"{node.path}: {name}", low=low, high=MOST)
    shortest, longest = bounds.get("minLength", 0), bounds.get("maxLength")
    if longest is not None and shortest > longest:
        raise invalid(f"{node.path}: minLength is above maxLength.")
    return shortest, longest


def _read_pattern(node: Node) -> Pattern:
    regex, flags = node.attribute("regex"), node.attribute("flags") or ""
    if regex is None:
        raise invalid(f"{node.path} needs the attribute regex.")
    if flags not in ("", "i"):
        raise invalid(f"{node.path}: flags may only be i.")
    check_pattern(regex, path=node.path)
    return Pattern(regex=regex, error_text=node.attribute("errorText") or "", ignores_case=flags == "i")


def _read_selection(node: Node) -> Selection:
    parts = node.children(
        MinSelectionCount=MAYBE,
        MaxSelectionCount=MAYBE,
        StyleSuggestion=MAYBE,
        Selections=ONE,
        OtherSelection=MAYBE,
    )
    inner = parts["Selections"][0].children(Selection=SOME, OtherSelection=MAYBE)
    choices = tuple(_read_choice(choice) for choice in inner["Selection"])
    refuse_repeats([choice.identifier for choice in choices], name="SelectionIdentifier")
    other = _first([*inner["OtherSelection"], *parts["OtherSelection"]])
    count = len(choices) + (other is not None)
    style = _read_style(parts["StyleSuggestion"])
    usual = count if style in ("checkbox", "multichooser") else 1
    most = _count(parts["MaxSelectionCount"], low=1, high=count, usual=usual)
    return Selection(
        least=_count(parts["MinSelectionCount"], low=0, high=most, usual=0),
        most=most,
        style=style,
        choices=choices,
        other=_read_free_text(other) if other else None,
    )


def _read_style(nodes: list[Node]) -> Style:
    name = read_word(nodes) or "radiobutton"
    if name not in STYLES:
        raise invalid(f"{nodes[0].path} must be one of: {', '.join(STYLES)}.")
    return STYLES[name]


def _read_choice(node: Node) -> Choice:
    parts = node.children(SelectionIdentifier=ONE, Text=MAYBE, FormattedContent=MAYBE, Binary=MAYBE)
    labels = [*parts["Text"], *parts["FormattedContent"], *parts["Binary"]]
    if len(labels) != 1:
        raise invalid(f"{node.path} needs exactly one of: Text, FormattedContent, Binary.")
    return Choice(identifier=read_identifier(parts["SelectionIdentifier"][0]), label=read_label(labels[0]))


def _read_file_upload(node: Node) -> FileUpload:
    parts = node.children(MaxFileSizeInBytes=ONE, MinFileSizeInBytes=ONE)
    largest = parts["MaxFileSizeInBytes"][0].number(low=1, high=2_000_000_000)
    smallest = parts["MinFileSizeInBytes"][0].number(low=0, high=min(largest, LARGEST_FILE))
    return FileUpload(smallest=smallest, largest=min(largest, LARGEST_FILE))


ANSWER_READERS: Mapping[str, Callable[[Node], FreeText | Selection | FileUpload]] = {
    "FreeTextAnswer": _read_free_text,
    "SelectionAnswer": _read_selection,
    "FileUploadAnswer": _read_file_upload,
}


def read_identifier(node: Node) -> str:
    if not 0 < len(node.word) <= LONGEST_IDENTIFIER:
        raise invalid(f"{node.path} must have 1 to {LONGEST_IDENTIFIER} characters.")
    return node.word


def refuse_repeats(identifiers: Sequence[str], *, name: str) -> None:
    repeated = {one for one in identifiers if identifiers.count(one) > 1}
    if repeated:
        raise invalid(f"{name} must be unique; repeated: {shorten(', '.join(sorted(repeated)))}.")


def _count(nodes: list[Node], *, low: int, high: int, usual: int) -> int:
    return nodes[0].number(low=low, high=high) if nodes else usual


def _first(nodes: list[Node]) -> Node | None:
    return nodes[0] if nodes else None


def read_word(nodes: list[Node]) -> str:
    return nodes[0].word if nodes else ""

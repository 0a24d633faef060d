"""Reading of XML from outside: by defusedxml, within bounds, with errors that say what to correct."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal
from xml.etree.ElementTree import Element, ParseError

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import fromstring

from crowd.marketplace.errors import ParameterValidationError

SCHEMAS = "http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas"
MAX_BYTES = 65_535
MAX_DEPTH = 40
XML_WHITE_SPACE = " \t\r\n"
WHOLE_NUMBER = re.compile(r"\d{1,10}", re.ASCII)


@dataclass(frozen=True, kw_only=True)
class Question:
    """A HIT's question: the requester's page (url), the requester's HTML, or a form (both in the XML)."""

    kind: Literal["external", "html", "form"]
    xml: str
    url: str = ""
    frame_height: int = 0


def parse(xml: str, *, noun: str) -> Element:
    """Parse well-formed, flat enough XML and return its root. Raises ParameterValidationError."""
    if len(xml.encode(errors="replace")) > MAX_BYTES:
        raise invalid(f"{noun} is longer than {MAX_BYTES} bytes.")
    return parse_any_length(xml, noun=noun)


def parse_any_length(xml: str, *, noun: str) -> Element:
    try:
        root: Element = fromstring(xml, forbid_dtd=True)
    except (ParseError, DefusedXmlException, ValueError, LookupError) as error:
        raise ParameterValidationError(
            f"{noun} is not well-formed XML: {error}", code="XMLParseError"
        ) from error
    _check_depth(root, noun=noun)
    return root


def _check_depth(root: Element, *, noun: str) -> None:
    """Limit the nesting, so that everything after this may recurse."""
    level = [root]
    for _ in range(MAX_DEPTH):
        level = [child for element in level for child in element]
        if not level:
            return
    raise invalid(f"{noun} has elements within elements more than {MAX_DEPTH} deep.")


class Node:
    """An element whose children are named without their namespace, which all of them must share."""

    def __init__(self, element: Element, *, space: str, path: str = "") -> None:
        self.element = element
        self.space = space
        self.name = element.tag.removeprefix(f"{{{space}}}")
        self.path = f"{path}/{self.name}" if path else self.name

    def __iter__(self) -> Iterator["Node"]:
        return (Node(child, space=self.space, path=self.path) for child in self.element)

    @property
    def text(self) -> str:
        """The element's text, unstripped. An element that has text may have no elements inside."""
        if len(self.element):
            raise invalid(f"{self.path} must hold text only.")
        return self.element.text or ""

    @property
    def word(self) -> str:
        return self.text.strip(XML_WHITE_SPACE)

    def number(self, *, low: int, high: int) -> int:
        return read_number(self.word, name=self.path, low=low, high=high)

    def attribute(self, name: str) -> str | None:
        return self.element.get(name)

    def children(self, **counts: tuple[int, int | None]) -> dict[str, list["Node"]]:
        """All children by name, each as often as `counts` (least, most) allows, and no others."""
        found: dict[str, list[Node]] = {name: [] for name in counts}
        for child in self:
            if child.name not in found:
                known = ", ".join(counts) or "nothing"
                raise invalid(f"{self.path} may not hold {shorten(child.name)}. It may hold: {known}.")
            found[child.name].append(child)
        for name, (least, most) in counts.items():
            if len(found[name]) < least:
                raise invalid(f"{self.path} needs {name}.")
            if most is not None and len(found[name]) > most:
                raise invalid(f"{self.path} may hold {name} only {most} time{'s' if most > 1 else ''}.")
        return found

    def only(self, *names: str) -> "Node":
        """The only child, which must have one of these names."""
        if [child.name for child in self if child.name in names] != [child.name for child in self] or (
            len(self.element) != 1
        ):
            raise invalid(f"{self.path} needs exactly one of: {', '.join(names)}.")
        return next(iter(self))


ONE = (1, 1)
MAYBE = (0, 1)
SOME = (1, None)
ANY = (0, None)


def read_number(text: str, *, name: str, low: int, high: int) -> int:
    if not WHOLE_NUMBER.fullmatch(text) or not low <= int(text) <= high:
        raise invalid(f"{name} must be a whole number from {low} to {high}.")
    return int(text)


def invalid(message: str) -> ParameterValidationError:
    return ParameterValidationError(message, code="InvalidParameterValue")


def shorten(text: str) -> str:
    """Shorten a text from outside, so that a message can quote it."""
    return text if len(text) <= 200 else f"{text[:199]}…"

"""Checks that a drawing only draws: no script, no foreign content, nothing from elsewhere."""

import re
from collections import Counter
from typing import Any
from xml.etree.ElementTree import Element, ParseError, TreeBuilder

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import DefusedXMLParser

from crowd.pictures.errors import BadPicture

MEDIA_TYPE = "image/svg+xml"
SVG = "http://www.w3.org/2000/svg"
XHTML = "http://www.w3.org/1999/xhtml"
HEAD = 4096
MOST_ELEMENTS = 50_000
# The most shapes that a browser may come to draw, with copies within copies.
MOST_DRAWN = 200_000
ACTIVE = frozenset(
    {"script", "foreignobject", "iframe", "embed", "object", "audio", "video", "handler", "listener"}
)
REFERENCES = frozenset({"base", "data", "href", "src"})
WITHIN = re.compile(r"#|data:image/(png|jpeg|webp|gif);base64,", re.IGNORECASE)
URL = re.compile(r"url\s*\(\s*[\"']?\s*([^)]*)", re.IGNORECASE)


def is_like_svg(data: bytes) -> bool:
    """Whether the first bytes are those of an SVG: raster formats never begin so."""
    head = data[:HEAD].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    return head.startswith(b"<") and b"<svg" in head


def check_svg(data: bytes) -> None:
    """Raise BadPicture if the drawing does more than draw."""
    root = _parse(data)
    elements = list(root.iter())
    if root.tag != f"{{{SVG}}}svg":
        raise BadPicture(f'The drawing’s outermost element must be <svg xmlns="{SVG}">.')
    if len(elements) > MOST_ELEMENTS:
        raise BadPicture(f"The drawing has more than {MOST_ELEMENTS} elements. Save it as PNG.")
    for element in elements:
        _check_element(element)
    _refuse_avalanche(root)


def words_in_svg(data: bytes) -> str:
    """Words that the drawing writes as text. Letters drawn as shapes are not read."""
    texts = ["".join(one.itertext()) for one in _parse(data).iter(f"{{{SVG}}}text")]
    return " ".join(" ".join(texts).split())


class _Builder(TreeBuilder):
    def pi(self, target: str, data: str | None = None) -> None:  # type: ignore[override]  # so it is called
        """Refuse a processing instruction, which most likely names a style sheet elsewhere."""
        raise BadPicture(f"The drawing holds a processing instruction ({target}). Take it out.")


def _parse(data: bytes) -> Element:
    parser = DefusedXMLParser(target=_Builder(), forbid_dtd=False)
    try:
        parser.feed(data)
        root: Element = parser.close()
    except DefusedXmlException as problem:
        raise BadPicture("The drawing declares entities. Save it again without them.") from problem
    except (ParseError, ValueError, LookupError) as problem:
        raise BadPicture(f"The drawing is no well-formed SVG ({problem}).") from problem
    return root


def _check_element(element: Element) -> None:
    space, _, name = element.tag.rpartition("}")
    if name.lower() in ACTIVE or space == f"{{{XHTML}":
        raise BadPicture(f"The drawing holds <{name}>. Take it out: a picture only draws.")
    if name == "style":
        _check_style("".join(element.itertext()))
    for key, value in element.attrib.items():
        _check_attribute(key.rpartition("}")[2].lower(), value)


def _check_attribute(name: str, value: str) -> None:
    if name.startswith("on"):
        raise BadPicture(f"The drawing holds a script ({name}). Take it out.")
    if name in REFERENCES and value.strip() and not WITHIN.match(value.strip()):
        raise BadPicture(
            f"The drawing refers to something outside itself ({value.strip()[:60]}). Take it out."
        )
    if name == "attributename" and value.strip().lower().rpartition(":")[2] in REFERENCES:
        raise BadPicture("The drawing changes a reference while it is shown. Take that animation out.")
    _check_style(value) if name == "style" else _check_urls(value)


def _check_style(text: str) -> None:
    """Refuse escapes, which could spell what is looked for below, and imports."""
    if "\\" in text or "@import" in text.lower():
        raise BadPicture("The drawing’s style imports or escapes something. Write it without.")
    _check_urls(text)


def _check_urls(text: str) -> None:
    for target in URL.findall(re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)):
        if not WITHIN.match(target.strip()):
            raise BadPicture(
                f"The drawing refers to something outside itself ({target.strip()[:60]}). Take it out."
            )


def _refuse_avalanche(root: Element) -> None:
    """Refuse copies in excess: a few lines of <use> can stand for billions of shapes, or for themselves."""
    by_id = {name: element for element in root.iter() if (name := element.get("id"))}
    drawn: dict[Any, int] = {}

    def count(element: Element, *, above: frozenset[Element]) -> int:
        if element in above or len(above) > 50:
            raise BadPicture("The drawing’s copies contain themselves. Save it as PNG.")
        if element not in drawn:
            uses = Counter(_used(one) for one in element.iter() if one.tag == f"{{{SVG}}}use")
            within = above | {element}
            drawn[element] = sum(1 for _ in element.iter()) + sum(
                times * count(by_id[name], above=within) for name, times in uses.items() if name in by_id
            )
        return drawn[element]

    if count(root, above=frozenset()) > MOST_DRAWN:
        raise BadPicture(f"The drawing’s copies add up to more than {MOST_DRAWN} shapes. Save it as PNG.")


def _used(element: Element) -> str:
    href = element.get("href") or element.get("{http://www.w3.org/1999/xlink}href") or ""
    return href.strip().removeprefix("#")

"""FormattedContent: XHTML of the requester's, of which only known and harmless parts are written again."""

import re
from collections.abc import Callable, Iterable, Iterator
from html.entities import name2codepoint
from urllib.parse import urlsplit
from xml.etree.ElementTree import Element

from django.utils.html import escape, format_html
from django.utils.safestring import SafeString

from crowd.marketplace.errors import ParameterValidationError
from crowd.marketplace.questions.xml_parsing import parse_any_length, shorten

XHTML = "{http://www.w3.org/1999/xhtml}"
ENTITY = re.compile(r"&([A-Za-z][A-Za-z0-9]{1,10});", re.ASCII)
OF_XML = {"amp", "lt", "gt", "quot", "apos"}
# fmt: off
KEPT = {
    "a", "abbr", "address", "b", "bdo", "blockquote", "br", "caption", "cite", "code", "col", "colgroup",
    "dd", "del", "dfn", "div", "dl", "dt", "em", "hr", "i", "img", "ins", "kbd", "li", "ol", "p", "pre",
    "q", "s", "samp", "small", "span", "strong", "sub", "sup", "table", "tbody", "td", "tfoot", "th",
    "thead", "tr", "u", "ul", "var",
}
# fmt: on
# Elements that HTML gave up, and headings, which must not outrank those of the page.
WRITTEN_AS = {
    "acronym": "abbr",
    "big": "span",
    "center": "div",
    "dir": "ul",
    "font": "span",
    "h1": "h3",
    "h2": "h3",
    "h3": "h4",
    "h4": "h5",
    "h5": "h6",
    "h6": "h6",
    "strike": "s",
    "tt": "code",
}
EMPTY = {"br", "col", "hr", "img"}
DIGITS = re.compile(r"\d{1,4}", re.ASCII)
LANGUAGE = re.compile(r"[A-Za-z0-9-]{1,35}", re.ASCII)


def write_formatted(source: str, *, path: str) -> SafeString:
    """Write safe HTML. Raises ParameterValidationError if the source is not XHTML, or might run."""
    # Attributes and elements of a namespace that a prefix declares keep their braces, and so are unknown.
    try:
        root = parse_any_length(f"<div>{ENTITY.sub(_character, source)}</div>", noun=path)
    except ParameterValidationError as error:
        raise _refused(
            f"{error.message} FormattedContent must be XHTML, with every element closed."
        ) from error
    _check_depth(root, path=path)
    return _join(_write_children(root, path=path))


def is_shown_address(url: str) -> bool:
    """Whether a picture, recording or page at this address may be shown."""
    return _scheme(url) in ("http", "https")


def _scheme(url: str) -> str:
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    return parts.scheme if parts.netloc or parts.scheme not in ("http", "https") else ""


def _character(match: re.Match[str]) -> str:
    name = match[1]
    return match[0] if name in OF_XML or name not in name2codepoint else chr(name2codepoint[name])


def _check_depth(root: Element, *, path: str) -> None:
    level = [root]
    for _ in range(100):
        level = [child for element in level for child in element]
        if not level:
            return
    raise _refused(f"{path} has elements within elements more than 100 deep.")


def _write_children(element: Element, *, path: str) -> Iterator[SafeString]:
    yield escape(element.text or "")
    for child in element:
        yield _write(child, path=path)
        yield escape(child.tail or "")


def _write(element: Element, *, path: str) -> SafeString:
    name = element.tag.removeprefix(XHTML).lower()
    if name not in KEPT and name not in WRITTEN_AS:
        raise _refused(f"{path} may not hold the element {shorten(name)}.")
    attributes = _join(_write_attributes(name, element, path=path))
    # Only names from the lists above come here.
    tag = SafeString(WRITTEN_AS.get(name, name))
    if tag in EMPTY:
        return format_html("<{}{}>", tag, attributes)
    inside = _join(_write_children(element, path=path))
    return format_html("<{}{}>{}</{}>", tag, attributes, inside, tag)


def _write_attributes(tag: str, element: Element, *, path: str) -> Iterator[SafeString]:
    given = {name.lower(): value for name, value in element.attrib.items()}
    for name, value in given.items():
        if name.startswith("on"):
            raise _refused(f"{path} may not hold scripts: {shorten(name)} of {tag}.")
        check = ATTRIBUTES.get((tag, name)) or ATTRIBUTES.get(("", name))
        if check is None:
            continue
        if not check(value):
            raise _refused(f"{path} may not hold {name}={shorten(value)!r} in {tag}.")
        yield format_html(' {}="{}"', SafeString(name), value)
    if tag == "a" and "href" in given:
        yield SafeString(' target="_blank" rel="noopener noreferrer"')
    if tag == "img" and "alt" not in given:
        yield SafeString(' alt=""')


def _join(parts: Iterable[SafeString]) -> SafeString:
    return SafeString("".join(parts))


def _is_link(url: str) -> bool:
    return _scheme(url) in ("http", "https", "mailto")


def _is_picture(url: str) -> bool:
    return is_shown_address(url) or re.match(r"data:image/(png|jpeg|gif|webp|svg\+xml)[;,]", url) is not None


def _is_number(value: str) -> bool:
    return DIGITS.fullmatch(value.removesuffix("px")) is not None


def _is_any(value: str) -> bool:
    return True


# Other attributes, such as style and class, are left out silently: looks are the page's own affair.
ATTRIBUTES: dict[tuple[str, str], Callable[[str], bool]] = {
    ("", "title"): _is_any,
    ("", "dir"): lambda value: value.lower() in ("ltr", "rtl", "auto"),
    ("", "lang"): lambda value: LANGUAGE.fullmatch(value) is not None,
    ("a", "href"): _is_link,
    ("img", "src"): _is_picture,
    ("img", "alt"): _is_any,
    ("img", "width"): _is_number,
    ("img", "height"): _is_number,
    ("td", "colspan"): _is_number,
    ("td", "rowspan"): _is_number,
    ("th", "colspan"): _is_number,
    ("th", "rowspan"): _is_number,
    ("th", "scope"): lambda value: value in ("row", "col", "rowgroup", "colgroup"),
    ("ol", "start"): _is_number,
}


def _refused(message: str) -> ParameterValidationError:
    return ParameterValidationError(message, code="XHTMLParseError")

"""The content of a QuestionForm: titles, texts, lists, pictures, recordings, formatted text."""

from dataclasses import dataclass
from typing import Literal

from django.utils.safestring import SafeString

from crowd.marketplace.questions.xhtml import is_shown_address, write_formatted
from crowd.marketplace.questions.xml_parsing import ANY, MAYBE, ONE, SOME, Node, invalid, shorten

Kind = Literal["title", "text", "list", "image", "audio", "video", "replaced", "formatted"]
MEDIA: dict[str, Kind] = {"image": "image", "audio": "audio", "video": "video"}
NOTHING = SafeString("")
PARAMETER = {"Name": ONE, "Value": ONE}


@dataclass(frozen=True, kw_only=True)
class Block:
    """One piece of content. `text` also stands in for a picture or for what browsers no longer run."""

    kind: Kind
    text: str = ""
    items: tuple[str, ...] = ()
    url: str = ""
    html: SafeString = NOTHING


def read_content(node: Node) -> tuple[Block, ...]:
    blocks = tuple(_read_block(child) for child in node)
    if not blocks:
        raise invalid(f"{node.path} may not be empty. It may hold: {', '.join(READERS)}.")
    return blocks


def read_label(node: Node) -> Block:
    """Read a choice's label: a text, a formatted text or a picture."""
    return READERS[node.name](node)


def _read_block(node: Node) -> Block:
    if node.name not in READERS:
        raise invalid(f"{node.path} is not known. Content may hold: {', '.join(READERS)}.")
    return READERS[node.name](node)


def _read_title(node: Node) -> Block:
    return Block(kind="title", text=node.word)


def _read_text(node: Node) -> Block:
    return Block(kind="text", text=node.text)


def _read_list(node: Node) -> Block:
    items = node.children(ListItem=SOME)["ListItem"]
    return Block(kind="list", items=tuple(item.text for item in items))


def _read_binary(node: Node) -> Block:
    parts = node.children(MimeType=ONE, DataURL=ONE, AltText=ONE)
    kind = parts["MimeType"][0].children(Type=ONE, SubType=MAYBE)["Type"][0].word
    if kind not in MEDIA:
        raise invalid(f"{node.path}/MimeType/Type must be image, audio or video; it is {shorten(kind)}.")
    return Block(kind=MEDIA[kind], url=_read_address(parts["DataURL"][0]), text=parts["AltText"][0].word)


def _read_embedded(node: Node) -> Block:
    parts = node.children(
        EmbeddedMimeType=ONE, DataURL=ONE, AltText=ONE, Width=ONE, Height=ONE, ApplicationParameter=ANY
    )
    parts["EmbeddedMimeType"][0].children(Type=ONE, SubType=MAYBE)
    _check_parameters(parts["ApplicationParameter"])
    return Block(kind="replaced", url=_read_address(parts["DataURL"][0]), text=parts["AltText"][0].word)


def _read_application(node: Node) -> Block:
    """Read an applet or Flash: no browser runs them any more, and the page says so."""
    inner = node.only("JavaApplet", "Flash")
    named = {
        "JavaApplet": {"AppletPath": ONE, "AppletFilename": ONE},
        "Flash": {"FlashMovieURL": ONE},
    }[inner.name]
    parts = inner.children(**named, Width=ONE, Height=ONE, ApplicationParameter=ANY)
    _check_parameters(parts["ApplicationParameter"])
    return Block(kind="replaced")


def _read_formatted(node: Node) -> Block:
    if len(node.element):
        raise invalid(f"{node.path} must hold its XHTML in a CDATA section.")
    return Block(kind="formatted", html=write_formatted(node.text, path=node.path))


def _read_address(node: Node) -> str:
    if not is_shown_address(node.word) or len(node.word) > 2000:
        raise invalid(f"{node.path} must be an http or https address.")
    return node.word


def _check_parameters(parameters: list[Node]) -> None:
    for parameter in parameters:
        parameter.children(**PARAMETER)


READERS = {
    "Title": _read_title,
    "Text": _read_text,
    "List": _read_list,
    "Binary": _read_binary,
    "EmbeddedBinary": _read_embedded,
    "Application": _read_application,
    "FormattedContent": _read_formatted,
}

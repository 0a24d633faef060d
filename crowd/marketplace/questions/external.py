"""ExternalQuestion: a page of the requester's own, shown in a frame."""

import re
from urllib.parse import urlsplit
from xml.etree.ElementTree import Element

from crowd.marketplace.questions.xml_parsing import SCHEMAS, XML_WHITE_SPACE, Question, invalid

EXTERNAL = f"{{{SCHEMAS}/2006-07-14/ExternalQuestion.xsd}}"
HOST = re.compile(r"([A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(:\d{1,5})?", re.ASCII)
LOOPBACK = {"127.0.0.1", "localhost", "::1"}


def read_external(root: Element, *, xml: str) -> Question:
    if [child.tag for child in root] != [f"{EXTERNAL}ExternalURL", f"{EXTERNAL}FrameHeight"]:
        raise invalid("ExternalQuestion needs ExternalURL and then FrameHeight, and nothing else.")
    url, height = ((child.text or "").strip(XML_WHITE_SPACE) for child in root)
    if not is_framable(url):
        raise invalid("ExternalURL must be an https address (http on loopback only).")
    return Question(kind="external", xml=xml, url=url, frame_height=read_height(height))


def read_height(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 6):
        raise invalid("FrameHeight must be a whole number of pixels, or 0.")
    return int(text)


def is_framable(url: str) -> bool:
    """Whether a frame may show this address. Its host goes into a policy header, so the check is strict."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    if len(url) > 2000 or not HOST.fullmatch(parts.netloc):
        return False
    return parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in LOOPBACK)

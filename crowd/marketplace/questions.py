"""The XML of questions and answers. All of it comes from outside, so defusedxml reads it."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import urlsplit
from xml.etree.ElementTree import Element, ParseError, SubElement, tostring

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import fromstring

from crowd.marketplace.errors import ParameterValidationError

SCHEMAS = "http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas"
EXTERNAL = f"{{{SCHEMAS}/2006-07-14/ExternalQuestion.xsd}}"
ANSWERS = f"{SCHEMAS}/2005-10-01/QuestionFormAnswers.xsd"
MAX_BYTES = 65_535
HOST = re.compile(r"([A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(:\d{1,5})?", re.ASCII)
LOOPBACK = {"127.0.0.1", "localhost", "::1"}


@dataclass(frozen=True, kw_only=True)
class ExternalQuestion:
    xml: str
    url: str
    frame_height: int


def read_question(xml: str) -> ExternalQuestion:
    """Raises ParameterValidationError with what to mend."""
    if len(xml.encode(errors="replace")) > MAX_BYTES:
        raise _invalid(f"Question is longer than {MAX_BYTES} bytes.")
    try:
        root = fromstring(xml, forbid_dtd=True)
    except (ParseError, DefusedXmlException, ValueError) as error:
        raise ParameterValidationError(
            f"Question is not well-formed XML: {error}", code="XMLParseError"
        ) from error
    if root.tag != f"{EXTERNAL}ExternalQuestion":
        raise _invalid(f"Question must be an ExternalQuestion of {EXTERNAL[1:-1]}; it is {root.tag}.")
    if [child.tag for child in root] != [f"{EXTERNAL}ExternalURL", f"{EXTERNAL}FrameHeight"]:
        raise _invalid("ExternalQuestion needs ExternalURL and then FrameHeight, and nothing else.")
    url, height = ((child.text or "").strip() for child in root)
    if not is_framable(url):
        raise _invalid("ExternalURL must be an https address (http on loopback only).")
    if not (height.isascii() and height.isdigit() and len(height) < 6):
        raise _invalid("FrameHeight must be a whole number of pixels, or 0.")
    return ExternalQuestion(xml=xml, url=url, frame_height=int(height))


def is_framable(url: str) -> bool:
    """The host goes into a policy header, so it is held to what a host may be."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    if len(url) > 2000 or not HOST.fullmatch(parts.netloc):
        return False
    return parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in LOOPBACK)


def write_answer(fields: Iterable[tuple[str, str]]) -> str:
    """QuestionFormAnswers of what the worker's form sent."""
    root = Element("QuestionFormAnswers", xmlns=ANSWERS)
    for name, text in fields:
        answer = SubElement(root, "Answer")
        SubElement(answer, "QuestionIdentifier").text = _printable(name)
        SubElement(answer, "FreeText").text = _printable(text)
    # A bare carriage return would be read back as a line feed.
    return tostring(root, encoding="unicode", xml_declaration=True).replace("\r", "&#13;")


def _printable(text: str) -> str:
    """XML 1.0 has no place for most control characters; everything else travels as it is."""
    return "".join(c for c in text if c in "\t\n\r" or (c >= " " and c not in "\ufffe\uffff"))


def _invalid(message: str) -> ParameterValidationError:
    return ParameterValidationError(message, code="InvalidParameterValue")

"""The XML of questions and answers. All of it comes from outside, so defusedxml reads it."""

from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import SplitResult, urlsplit
from xml.etree.ElementTree import Element, ParseError, SubElement, tostring

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import fromstring

from crowd.marketplace.errors import ParameterValidationError

SCHEMAS = "http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas"
EXTERNAL = f"{{{SCHEMAS}/2006-07-14/ExternalQuestion.xsd}}"
ANSWERS = f"{SCHEMAS}/2005-10-01/QuestionFormAnswers.xsd"
MAX_BYTES = 65_535
LOOPBACK = {"127.0.0.1", "localhost", "::1"}


@dataclass(frozen=True, kw_only=True)
class ExternalQuestion:
    xml: str
    url: str
    frame_height: int


def read_question(xml: str) -> ExternalQuestion:
    """Raises ParameterValidationError with what to mend."""
    if len(xml.encode()) > MAX_BYTES:
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
    if not is_framable(urlsplit(url)):
        raise _invalid("ExternalURL must be an https address (http on loopback only).")
    if not (height.isascii() and height.isdigit() and len(height) < 6):
        raise _invalid("FrameHeight must be a whole number of pixels, or 0.")
    return ExternalQuestion(xml=xml, url=url, frame_height=int(height))


def is_framable(url: SplitResult) -> bool:
    if not url.hostname or len(url.geturl()) > 2000:
        return False
    return url.scheme == "https" or (url.scheme == "http" and url.hostname in LOOPBACK)


def write_answer(fields: Iterable[tuple[str, str]]) -> str:
    """QuestionFormAnswers of what the worker's form sent."""
    root = Element("QuestionFormAnswers", xmlns=ANSWERS)
    for name, text in fields:
        answer = SubElement(root, "Answer")
        SubElement(answer, "QuestionIdentifier").text = _printable(name)
        SubElement(answer, "FreeText").text = _printable(text)
    return tostring(root, encoding="unicode", xml_declaration=True)


def _printable(text: str) -> str:
    """XML 1.0 has no place for most control characters; everything else travels as it is."""
    return "".join(c for c in text if c in "\t\n\r" or (c >= " " and c not in "\ufffe\uffff"))


def _invalid(message: str) -> ParameterValidationError:
    return ParameterValidationError(message, code="InvalidParameterValue")

"""QuestionFormAnswers: workers' submitted answers, for the requester's program and for scoring."""

from collections.abc import Iterable, Mapping
from xml.etree.ElementTree import Element, SubElement, tostring

from crowd.marketplace.questions.xml_parsing import SCHEMAS, parse_any_length

ANSWERS = f"{SCHEMAS}/2005-10-01/QuestionFormAnswers.xsd"
VALUES = ("FreeText", "SelectionIdentifier", "OtherSelectionText")


def write_answer(fields: Iterable[tuple[str, str]]) -> str:
    """Write QuestionFormAnswers from the fields that the worker's form sent."""
    return write_answers((name, [("FreeText", text)]) for name, text in fields)


def write_answers(answers: Iterable[tuple[str, Iterable[tuple[str, str]]]]) -> str:
    """Write answers, each given as its question's identifier and the elements that follow it."""
    root = Element("QuestionFormAnswers", xmlns=ANSWERS)
    for identifier, elements in answers:
        answer = SubElement(root, "Answer")
        SubElement(answer, "QuestionIdentifier").text = printable(identifier)
        for name, text in elements:
            SubElement(answer, name).text = printable(text)
    # A bare carriage return would be read back as a line feed.
    return tostring(root, encoding="unicode", xml_declaration=True).replace("\r", "&#13;")


def read_answers(xml: str) -> Mapping[str, frozenset[str]]:
    """Chosen or written values by question; empty texts are left out. Raises ParameterValidationError."""
    found: dict[str, set[str]] = {}
    for answer in parse_any_length(xml, noun="Answer").iter(f"{{{ANSWERS}}}Answer"):
        values = found.setdefault(answer.findtext(f"{{{ANSWERS}}}QuestionIdentifier", ""), set())
        for name in VALUES:
            values.update(child.text for child in answer.findall(f"{{{ANSWERS}}}{name}") if child.text)
    return {identifier: frozenset(values) for identifier, values in found.items()}


def printable(text: str) -> str:
    """Drop characters that XML 1.0 cannot hold, mostly control characters; keep all others."""
    return "".join(c for c in text if c in "\t\n\r" or (c >= " " and c not in "\ufffe\uffff"))

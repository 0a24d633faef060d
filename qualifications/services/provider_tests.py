"""A test that the provider shows and marks: its two documents, checked before any worker is sent there.

The provider checks them too, but says less. Here errors are named by element and by identifier.
"""

from collections.abc import Iterable
from typing import NoReturn
from xml.etree.ElementTree import Element, ParseError

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import fromstring

SCHEMAS = "http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas"
FORMS = tuple(f"{SCHEMAS}/{day}/QuestionForm.xsd" for day in ("2005-10-01", "2017-11-06"))
KEY = f"{SCHEMAS}/2005-10-01/AnswerKey.xsd"
MOST_BYTES = 65_535
MAPPINGS = ("PercentageMapping", "ScaleMapping", "RangeMapping")


def check_provider_test(question_form: str, answer_key: str) -> None:
    """Check both documents. Raises ValueError, saying which document, where, and what to correct."""
    form = _read(question_form, noun="The questions", root="QuestionForm", spaces=FORMS)
    key = _read(answer_key, noun="The answer key", root="AnswerKey", spaces=(KEY,))
    asked = _read_questions(form)
    scored = _identifiers(key, "Question", noun="The answer key")
    for question, element in scored.items():
        if question not in asked:
            _refuse(f"The answer key scores the question “{question}”, which is not asked.")
        _check_scores(question, element, choices=asked[question])
    _check_mapping(key)


def _read(xml: str, *, noun: str, root: str, spaces: Iterable[str]) -> Element:
    if not xml.strip():
        _refuse(f"{noun} are missing." if noun == "The questions" else f"{noun} is missing.")
    if len(xml.encode(errors="replace")) > MOST_BYTES:
        _refuse(f"{noun}: at most {MOST_BYTES} bytes.")
    try:
        element: Element = fromstring(xml, forbid_dtd=True)
    except (ParseError, DefusedXmlException, ValueError, LookupError) as error:
        raise ValueError(f"{noun}: this is not well-formed XML ({error}).") from error
    if element.tag not in {f"{{{space}}}{root}" for space in spaces}:
        _refuse(f"{noun}: the outermost element must be {root} with xmlns=“{next(iter(spaces))}”.")
    return element


def _read_questions(form: Element) -> dict[str, set[str] | None]:
    """Choices of each question; None for a question that is answered in words."""
    questions = _identifiers(form, "Question", noun="The questions")
    return {name: _read_choices(name, element) for name, element in questions.items()}


def _read_choices(question: str, element: Element) -> set[str] | None:
    space = _space(element)
    if element.find(f"{space}QuestionContent") is None:
        _refuse(f"The question “{question}” needs a QuestionContent.")
    if element.find(f".//{space}FileUploadAnswer") is not None:
        _refuse(f"The question “{question}” asks for a file, which a test cannot.")
    answer = element.find(f"{space}AnswerSpecification/{space}SelectionAnswer")
    if answer is None:
        if element.find(f"{space}AnswerSpecification/{space}FreeTextAnswer") is None:
            _refuse(f"The question “{question}” needs an AnswerSpecification with a SelectionAnswer.")
        return None
    choices = answer.find(f"{space}Selections")
    if choices is None:
        _refuse(f"The question “{question}” needs Selections.")
    return set(_identifiers(choices, "Selection", noun=f"The question “{question}”"))


def _identifiers(parent: Element, name: str, *, noun: str) -> dict[str, Element]:
    """Elements of a kind by identifier.

    Raises ValueError if there are none, or if one repeats or is missing.
    """
    space, found = _space(parent), {}
    for element in parent.findall(f"{space}{name}"):
        identifier = (element.findtext(f"{space}{name}Identifier") or "").strip()
        if not identifier:
            _refuse(f"{noun}: every {name} needs a {name}Identifier.")
        if identifier in found:
            _refuse(f"{noun}: the {name}Identifier “{identifier}” appears twice.")
        found[identifier] = element
    if not found:
        _refuse(f"{noun}: there is no {name}.")
    return found


def _check_scores(question: str, element: Element, *, choices: set[str] | None) -> None:
    space = _space(element)
    if choices is None:
        _refuse(f"The answer key scores the question “{question}”, whose answer is free text.")
    options = element.findall(f"{space}AnswerOption")
    if not options:
        _refuse(f"The answer key: the question “{question}” needs an AnswerOption.")
    for option in options:
        named = [(one.text or "").strip() for one in option.findall(f"{space}SelectionIdentifier")]
        if not named:
            _refuse(f"The answer key: an AnswerOption of “{question}” needs a SelectionIdentifier.")
        if unknown := sorted(set(named) - choices):
            _refuse(f"The answer key: “{question}” has no choice “{unknown[0]}”.")
        _whole(option.findtext(f"{space}AnswerScore"), f"The AnswerScore of “{question}”")


def _check_mapping(key: Element) -> None:
    """Check the mapping of values, if there is one; without it the value is the sum of the scores."""
    space = _space(key)
    mapping = key.find(f"{space}QualificationValueMapping")
    if mapping is None:
        return
    if [child.tag for child in mapping] not in [[f"{space}{name}"] for name in MAPPINGS]:
        _refuse(f"The answer key: a QualificationValueMapping holds one of {', '.join(MAPPINGS)}.")
    if mapping[0].tag == f"{space}PercentageMapping":
        most = mapping[0].findtext(f"{space}MaximumSummedScore")
        if _whole(most, "The MaximumSummedScore") < 1:
            _refuse("The MaximumSummedScore must be at least 1.")


def _whole(text: str | None, noun: str) -> int:
    try:
        return int((text or "").strip())
    except ValueError:
        raise ValueError(f"{noun} must be a whole number.") from None


def _space(element: Element) -> str:
    return element.tag[: element.tag.index("}") + 1]


def _refuse(words: str) -> NoReturn:
    raise ValueError(words)

"""The XML that the checks post."""

from collections.abc import Iterable, Mapping
from xml.sax.saxutils import escape

from defusedxml.ElementTree import fromstring

SCHEMAS = "http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas"
EXTERNAL = f"{SCHEMAS}/2006-07-14/ExternalQuestion.xsd"
FORM = f"{SCHEMAS}/2017-11-06/QuestionForm.xsd"
ANSWER_KEY = f"{SCHEMAS}/2005-10-01/AnswerKey.xsd"
ANSWERS = f"{{{SCHEMAS}/2005-10-01/QuestionFormAnswers.xsd}}"


def external(url: str = "https://example.org/question", *, namespace: str = EXTERNAL, pad_to: int = 0) -> str:
    """An ExternalQuestion, made `pad_to` bytes long by a comment."""
    head = f'<ExternalQuestion xmlns="{namespace}"><ExternalURL>{escape(url)}</ExternalURL>'
    tail = "<FrameHeight>0</FrameHeight></ExternalQuestion>"
    padding = pad_to - len(head) - len(tail) - len("<!---->")
    comment = f"<!--{'x' * padding}-->" if padding > 0 else ""
    return f"{head}{comment}{tail}"


def selection_test(questions: Mapping[str, Iterable[str]]) -> str:
    """A QuestionForm of boxes to tick: question identifiers with their selection identifiers."""
    return f'<QuestionForm xmlns="{FORM}">{"".join(map(_selections, questions.items()))}</QuestionForm>'


def _selections(question: tuple[str, Iterable[str]]) -> str:
    name, selections = question[0], list(question[1])
    listed = "".join(
        f"<Selection><SelectionIdentifier>{one}</SelectionIdentifier><Text>{one}</Text></Selection>"
        for one in selections
    )
    return (
        f"<Question><QuestionIdentifier>{name}</QuestionIdentifier><IsRequired>true</IsRequired>"
        f"<QuestionContent><Text>Which of these?</Text></QuestionContent><AnswerSpecification>"
        f"<SelectionAnswer><MinSelectionCount>0</MinSelectionCount>"
        f"<MaxSelectionCount>{len(selections)}</MaxSelectionCount>"
        f"<StyleSuggestion>checkbox</StyleSuggestion><Selections>{listed}</Selections></SelectionAnswer>"
        f"</AnswerSpecification></Question>"
    )


def answer_key(questions: Mapping[str, tuple[Iterable[str], int, int]], *, maximum: int) -> str:
    """An AnswerKey. Each question has the selections that score, their score, and the score of any others."""
    scored = "".join(
        f"<Question><QuestionIdentifier>{name}</QuestionIdentifier><AnswerOption>"
        f"{''.join(f'<SelectionIdentifier>{one}</SelectionIdentifier>' for one in sorted(right))}"
        f"<AnswerScore>{score}</AnswerScore></AnswerOption><DefaultScore>{default}</DefaultScore></Question>"
        for name, (right, score, default) in questions.items()
    )
    return (
        f'<AnswerKey xmlns="{ANSWER_KEY}">{scored}<QualificationValueMapping><PercentageMapping>'
        f"<MaximumSummedScore>{maximum}</MaximumSummedScore>"
        f"</PercentageMapping></QualificationValueMapping></AnswerKey>"
    )


def read_answer(xml: str) -> list[tuple[str, str]]:
    """The fields of an assignment's Answer, in their order."""
    return [
        (
            answer.findtext(f"{ANSWERS}QuestionIdentifier") or "",
            answer.findtext(f"{ANSWERS}FreeText") or "",
        )
        for answer in fromstring(xml).findall(f"{ANSWERS}Answer")
    ]

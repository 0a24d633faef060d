"""Factories of qualification types, tests and answer keys that many tests of the marketplace need."""

from datetime import datetime
from typing import Any

from crowd.marketplace.models import QualificationType
from crowd.marketplace.models.parties import Requester, Worker
from crowd.marketplace.questions.xml_parsing import SCHEMAS
from crowd.marketplace.services.qualifying.qualification_types import Change, Test, create_type
from tests.factories import NOW, invite, make_requester


def make_type(
    *,
    requester: Requester | None = None,
    name: str = "Careful reader",
    keywords: str = "",
    now: datetime = NOW,
    **changes: Any,
) -> QualificationType:
    duration_s = 600 if "test" in changes else None
    values = {
        "description": "Reads with care.",
        "status": "Active",
        "test_duration_s": duration_s,
        **changes,
    }
    return create_type(
        requester=requester or make_requester(now=now).requester,
        name=name,
        keywords=keywords,
        change=Change(**values),
        now=now,
    )


def make_test(*, questions: int = 1, with_key: bool = True) -> Test:
    key = answer_key(questions=questions) if with_key else ""
    return Test(form=question_form(questions=questions), answer_key=key)


def question_form(*, questions: int = 1) -> str:
    """Questions with the selections "right" and "wrong", several of which may be ticked."""
    parts = "".join(
        f"<Question><QuestionIdentifier>q{number}</QuestionIdentifier><IsRequired>true</IsRequired>"
        f"<QuestionContent><Text>Which is right ({number})?</Text></QuestionContent>"
        "<AnswerSpecification><SelectionAnswer><StyleSuggestion>checkbox</StyleSuggestion><Selections>"
        "<Selection><SelectionIdentifier>right</SelectionIdentifier><Text>This</Text></Selection>"
        "<Selection><SelectionIdentifier>wrong</SelectionIdentifier><Text>That</Text></Selection>"
        "</Selections></SelectionAnswer></AnswerSpecification></Question>"
        for number in range(questions)
    )
    return f'<QuestionForm xmlns="{SCHEMAS}/2017-11-06/QuestionForm.xsd">{parts}</QuestionForm>'


def answer_key(*, questions: int = 1, identifier: str = "q") -> str:
    """An answer key with one point for each right answer, whose value is the percentage."""
    parts = "".join(
        f"<Question><QuestionIdentifier>{identifier}{number}</QuestionIdentifier><AnswerOption>"
        "<SelectionIdentifier>right</SelectionIdentifier><AnswerScore>1</AnswerScore></AnswerOption></Question>"
        for number in range(questions)
    )
    mapping = (
        "<QualificationValueMapping><PercentageMapping>"
        f"<MaximumSummedScore>{questions}</MaximumSummedScore>"
        "</PercentageMapping></QualificationValueMapping>"
    )
    return f'<AnswerKey xmlns="{SCHEMAS}/2005-10-01/AnswerKey.xsd">{parts}{mapping}</AnswerKey>'


def make_worker(**facts: Any) -> Worker:
    """A worker with the facts from which system qualifications are computed."""
    worker, _ = invite()
    for name, value in facts.items():
        setattr(worker, name, value)
    worker.save()
    return worker

"""A HIT that an operator puts up for a requester, to see work arrive and come back."""

from datetime import datetime, timedelta
from decimal import Decimal

from crowd.marketplace.database import atomic
from crowd.marketplace.errors import RequestError, RuleBroken
from crowd.marketplace.models import HIT, Assignment
from crowd.marketplace.models.parties import AuditEntry, Requester
from crowd.marketplace.questions.question_kinds import read_question
from crowd.marketplace.questions.xml_parsing import SCHEMAS
from crowd.marketplace.services import hit_creation, reviewing
from hits.common.currencies import in_dollars

# What the audit log calls it; its note is the HIT's id. No other HIT is reviewed at the desk.
PUT_UP = "trial HIT put up"
MOST_REWARD = Decimal(1)
LIFETIME = timedelta(days=1)
QUESTION_ID = "words"
QUESTION = f"""<QuestionForm xmlns="{SCHEMAS}/2017-11-06/QuestionForm.xsd">
<Question>
<QuestionIdentifier>{QUESTION_ID}</QuestionIdentifier>
<DisplayName>A few words</DisplayName>
<IsRequired>true</IsRequired>
<QuestionContent>
<Text>Please type a few words. Those who run this marketplace will read them.</Text>
</QuestionContent>
<AnswerSpecification><FreeTextAnswer>
<Constraints><Length maxLength="200"/></Constraints>
</FreeTextAnswer></AnswerSpecification>
</Question>
</QuestionForm>"""


def put_up_trial(*, requester: Requester, reward: Decimal, now: datetime) -> HIT:
    """Make the HIT as CreateHIT would. Raises RuleBroken for a closed requester, or without the money."""
    if requester.closed_at:
        raise RuleBroken(f"{requester} is closed.")
    terms = hit_creation.Terms(
        title="Trial: type a few words",
        description="A trial of this marketplace with one short question.",
        keywords="trial",
        reward=reward,
        assignment_duration_s=600,
        auto_approval_delay_s=int(timedelta(days=3).total_seconds()),
        requirements=[],
    )
    try:
        with atomic():
            return hit_creation.create_hit(
                hit_type=hit_creation.find_or_make_type(requester=requester, terms=terms),
                question=read_question(QUESTION),
                max_assignments=1,
                lifetime=LIFETIME,
                annotation="Trial from the operator's desk",
                now=now,
            )
    except RequestError:
        raise RuleBroken(
            f"{requester} has {in_dollars(requester.available)} available, which does not pay for this HIT. "
            "Make a deposit first."
        ) from None


def latest_trial_id(requester: Requester) -> str:
    """The id of the HIT that was put up last; empty if there was none."""
    entry = AuditEntry.objects.filter(what=PUT_UP, about=requester.external_id).order_by("-id").first()
    return entry.note if entry else ""


def find_trial(*, requester: Requester, hit_id: str) -> HIT | None:
    """The requester's HIT of this id, if it was put up at the desk."""
    if not AuditEntry.objects.filter(what=PUT_UP, about=requester.external_id, note=hit_id).exists():
        return None
    return HIT.objects.select_related("hit_type").filter(requester=requester, external_id=hit_id).first()


def work_on(trial: HIT) -> Assignment | None:
    """The one work on a trial that was not given up."""
    held = trial.assignments.filter(status__in=Assignment.HOLDING)
    return held.select_related("worker").first()


def approve_trial(*, trial: HIT, now: datetime) -> Assignment:
    """Approve the submitted work. Raises RuleBroken if there is none, or it was reviewed before."""
    work = work_on(trial)
    if work is None:
        raise RuleBroken("Nobody has submitted this HIT.")
    try:
        reviewing.approve_assignment(assignment=work, feedback="", override=False, now=now)
    except RequestError:
        raise RuleBroken("This work is not submitted yet, or was reviewed before.") from None
    return work

"""Where the control group puts an image: read from its answers, so that it can change back.

Called in a transaction that holds the image, after a change to what counts or to what was seen.
"""

from collections.abc import Sequence
from datetime import datetime

from crowd.whoops.control.domain.control_verdicts import MissedAnswer, Verdict, reason_of_return, verdict_of
from crowd.whoops.images.services.transitions import move_image
from crowd.whoops.models import Image, Revision
from crowd.whoops.models.control_and_review import ControlAnswer

State = Image.State
PLACES = {Verdict.PASSED: State.REVIEW, Verdict.FAILED: State.RETURNED, Verdict.OPEN: State.CONTROL}


def settle_control(image: Image, *, now: datetime) -> None:
    """Move an image that the control group still decides about; a person's later decision stays."""
    control_answers = list(image.control_answers.filter(revision=image.revision).order_by("pk"))
    to = PLACES[verdict_on(image, control_answers)]
    if image.state == to or not is_with_control(image):
        return
    missed = [MissedAnswer(text=one.text, note=one.note) for one in control_answers if one.seen is False]
    seen = sum(one.seen is True for one in control_answers)
    reason = reason_of_return(seen=seen, missed=missed, needed=image.project.control_needed)
    move_image(image, to, by=None, now=now, reason=reason if to == State.RETURNED else "")


def verdict_on(image: Image, control_answers: Sequence[ControlAnswer]) -> Verdict:
    return verdict_of(
        seen=sum(one.seen is True for one in control_answers),
        missed=sum(one.seen is False for one in control_answers),
        wanted=image.project.control_wanted,
        needed=image.project.control_needed,
    )


def is_with_control(image: Image) -> bool:
    """Whether the control group's answers still decide where the image is."""
    if image.state in (State.CONTROL, State.REVIEW):
        return True
    returned = image.revisions.filter(number=image.revision, outcome=Revision.Outcome.RETURNED, ended_by=None)
    return image.state == State.RETURNED and returned.exists()

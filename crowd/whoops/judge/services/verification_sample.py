"""A sample of questions with answers for verification, drawn by lot from those that wait for it.

The same seed draws the same questions from the same ones; the sample keeps how many those were, and the
SHA-256 of their keys, so that anybody who has them can repeat the draw.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256

from django.db.models import QuerySet

from crowd.whoops.judge.domain.negatives import Negative
from crowd.whoops.judge.domain.seeded_draw import draw
from crowd.whoops.judge.queries.questions import AWAY
from crowd.whoops.judge.services.posting_questions import post_questions
from crowd.whoops.judge.services.wrong_answers import draw_wrong_answers, store_wrong_answers
from crowd.whoops.models import Project, Sample
from crowd.whoops.models.judged_items import Question
from hits.core.audit_trail import note
from hits.core.errors import RuleBroken
from hits.identity.models.users import User
from hits.work.services.locking import held

Kind = Question.Kind


@dataclass(frozen=True, kw_only=True)
class PlannedSample:
    """The questions that a click would ask about, in the order of the lot; and wrong answers beside them."""

    drawn: Sequence[Question]
    pool: Sequence[str]
    negatives: Sequence[Negative] = ()
    negatives_wanted: int = 0


def waiting_for_sample(project: Project) -> QuerySet[Question]:
    """Imported questions that nobody is asked about yet, and whose image is there."""
    rows = Question.objects.filter(project=project, kind=Kind.VERIFY, item=None, withdrawn_at=None)
    return rows.filter(sample=None).exclude(AWAY)


def plan_sample(*, project: Project, wanted: int, seed: int) -> PlannedSample:
    """Draw without keeping it. Fewer than `wanted` are drawn if fewer wait."""
    waiting = {question.key: question for question in waiting_for_sample(project)}
    drawn = [waiting[key] for key in draw(waiting, seed=seed)[:wanted]]
    keys = {question.key for question in drawn}
    needed, negatives = draw_wrong_answers(project, (), seed=seed, sampled=keys)
    return PlannedSample(drawn=drawn, pool=sorted(waiting), negatives=negatives, negatives_wanted=needed)


def draw_sample(*, project: Project, wanted: int, seed: int, by: User, now: datetime) -> Sample:
    """Draw a sample and ask about it. Raises RuleBroken, and draws nothing, if fewer questions wait."""
    with held(project) as locked:
        planned = plan_sample(project=locked, wanted=wanted, seed=seed)
        if not planned.drawn or len(planned.drawn) < wanted:
            raise RuleBroken("too_few", _too_few(len(planned.pool)))
        sample = Sample.objects.create(
            project=locked,
            seed=seed,
            wanted=wanted,
            pool=len(planned.pool),
            pool_sha256=digest_of(planned.pool),
            drawn_by=by,
            drawn_at=now,
        )
        for place, question in enumerate(planned.drawn, start=1):
            question.sample, question.sample_place = sample, place
        Question.objects.bulk_update(planned.drawn, ("sample", "sample_place"))
        wrong = store_wrong_answers(locked, planned.negatives, now=now)
        post_questions(project=locked, questions=[*planned.drawn, *wrong], now=now)
        words = f"{sample} was drawn from {sample.pool} questions, with {len(wrong)} wrong answers beside it."
        note("whoops.sample_drawn", words, by=by, now=now, study=locked.study)
    return sample


def digest_of(keys: Sequence[str]) -> str:
    """The SHA-256 of keys in alphabetical order, a line each."""
    return sha256("\n".join(sorted(keys)).encode()).hexdigest()


def _too_few(waiting: int) -> str:
    if not waiting:
        return "No question waits for a sample. Import some, and have them wait for it."
    return f"Only so many questions wait for a sample: {waiting}. Choose a smaller number."

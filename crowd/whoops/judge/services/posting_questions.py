"""Questions become items in random order, so that no worker gets one sort after the other."""

from collections.abc import Sequence
from datetime import datetime

import structlog
from django.db.models import Exists, OuterRef, Q, QuerySet

from crowd.whoops.images.services.locks import AT_ONCE
from crowd.whoops.images.services.withdrawal import follow_questions
from crowd.whoops.judge.domain.negatives import plain
from crowd.whoops.models import Image, Project
from crowd.whoops.models.judged_items import Option, Question
from hits.core import crypto
from hits.core.errors import RuleBroken
from hits.work.models.items import Item
from hits.work.models.leases import Lease
from hits.work.services.answers_needed import ask_about, new_item, want_answers
from hits.work.services.locking import held, lock_items

log = structlog.get_logger()


def post_questions(*, project: Project, questions: Sequence[Question], now: datetime) -> None:
    """Make the items, with the designer as author: the database refuses their lease. The project is held."""
    images = Image.objects.filter(pk__in={one.image_id for one in questions if one.image_id})
    designers = dict(images.values_list("pk", "designer__worker"))
    drawn = sorted(questions, key=lambda one: crypto.blind_index("question", str(one.pk)))

    def item_of(question: Question) -> Item:
        return new_item(
            study_id=project.study_id,
            task=question.kind,
            answers_needed=project.judges_wanted,
            author_id=designers.get(question.image_id or 0),
        )

    ask_about(drawn, item_of)
    follow_questions([one.pk for one in drawn], now=now)
    log.info("whoops.questions_posted", project=project.pk, count=len(drawn))


def withdraw_question(*, question: Question, now: datetime) -> None:
    """Withdraw a question: nobody is asked any more, and no figure counts it. Answers are kept and paid."""
    with held(question.project):
        changed = Question.objects.filter(pk=question.pk, withdrawn_at=None).update(withdrawn_at=now)
        if not changed:
            raise RuleBroken("withdrawn_already", "This question was withdrawn already.")
        follow_questions([question.pk], now=now)


def withdraw_outdated(*, image: Image, now: datetime) -> None:
    """Withdraw questions on pictures replaced since; a pair goes as a whole. The project is held."""
    standing = Question.objects.filter(image=image, withdrawn_at=None)
    outdated = standing.filter(_is_outdated(image))
    if outdated.filter(kind=Question.Kind.IDENTIFY).exists():
        outdated |= standing.filter(kind=Question.Kind.IDENTIFY)
    keys = list(outdated.values_list("pk", flat=True))
    Question.objects.filter(pk__in=keys).update(withdrawn_at=now)
    follow_questions(keys, now=now)


def bring_back_question(*, question: Question, now: datetime) -> None:
    """Bring back a question: it is asked again where answers lack, and its votes count as before."""
    with held(question.project):
        _refuse_outdated(question)
        _refuse_right(question)
        changed = Question.objects.filter(pk=question.pk, withdrawn_at__isnull=False).update(
            withdrawn_at=None
        )
        if not changed:
            raise RuleBroken("not_withdrawn", "This question is not withdrawn.")
        follow_questions([question.pk], now=now)


def _is_outdated(image: Image) -> Q:
    own = Q(picture=image.picture_id) | Q(picture__in=image.partners.values("picture"))
    return ~own


def _refuse_outdated(question: Question) -> None:
    image = question.image
    if image and Question.objects.filter(_is_outdated(image), pk=question.pk).exists():
        raise RuleBroken("outdated", f"{image} has another picture now, and this is about the earlier one.")


def _refuse_right(question: Question) -> None:
    """Refuse an answer that was drawn as wrong, and has become known to be right since."""
    options = Option.objects.filter(question__project=question.project_id, question__kind=question.kind)
    wrong = {plain(one.text) for one in options.filter(question=question, label=False)}
    right = options.filter(question__image=question.image_id, label=True) if wrong else options.none()
    if any(plain(text) in wrong for text in right.values_list("text", flat=True)):
        raise RuleBroken("right_now", "This answer was wrong on purpose, and is said to be right by now.")


def want_judges(*, project: Project) -> None:
    """Ask each question of as many judges as the project says now, after that number was changed."""
    asked = Question.objects.filter(project=project, item__isnull=False).order_by("pk")
    last = 0
    while True:
        with held(project) as locked:
            some = list(asked.filter(pk__gt=last).values_list("pk", "item")[:AT_ONCE])
            if not some:
                return
            items = [item for _, item in some]
            lock_items(items)
            want_answers(dict.fromkeys(items, locked.judges_wanted))
        last = some[-1][0]


def never_handed_out(questions: QuerySet[Question]) -> QuerySet[Question]:
    """Questions that no worker has seen, so that their options may still change. Their items are locked."""
    leased = Exists(Lease.objects.filter(item=OuterRef("item")))
    lock_items({key for key in questions.values_list("item_id", flat=True) if key})
    return questions.filter(~leased)

"""Questions made of the captions of accepted images by a registered tagger, in the background.

They wait for a sample, as imported ones may. A question that two captions of an image answer differently, or
that is there already, is left out.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime

import structlog
from django.db import IntegrityError, transaction
from django.db.models import QuerySet

from crowd.pictures.models import Picture
from crowd.whoops.judge.domain.negatives import plain
from crowd.whoops.judge.services.question_files import LONGEST_TEXT, NewQuestion, content_key
from crowd.whoops.judge.services.question_import import store_rows
from crowd.whoops.judge.services.wrong_answers import withdraw_what_is_right
from crowd.whoops.models import Annotation, Image, Project, QuestionMaking
from crowd.whoops.models.judged_items import Option, Question
from hits.core.errors import RuleBroken
from hits.core.states import move
from hits.identity.models.users import User
from hits.work.services.locking import held
from scoring.models import RegisteredRival
from scoring.services.asking_models import questions_about
from scoring.services.consulting import Answered, Standing, consult_slice

# Images whose captions are read at once.
AT_ONCE = 50
SOURCE = "rules over {}"
Status = QuestionMaking.Status
log = structlog.get_logger()


def captioned_images(project: Project) -> QuerySet[Image]:
    """Return the images of whose captions questions can be made."""
    counted = Annotation.objects.filter(state=Annotation.State.COUNTED)
    accepted = project.images.filter(state=Image.State.ACCEPTED, picture__status=Picture.Status.FIT)
    return accepted.filter(pk__in=counted.values("image")).order_by("number")


def makers() -> QuerySet[RegisteredRival]:
    return RegisteredRival.objects.filter(kind=RegisteredRival.Kind.TAGGER).order_by("name")


def make_questions(*, project: Project, rival: RegisteredRival, by: User, now: datetime) -> QuestionMaking:
    """Begin to make questions. Raises RuleBroken while others are made, and where there are no captions."""
    if not captioned_images(project).exists():
        raise RuleBroken("no_captions", "No accepted image has a caption that counts.")
    try:
        with transaction.atomic():
            return QuestionMaking.objects.create(project=project, rival=rival, asked_by=by, asked_at=now)
    except IntegrityError:
        raise RuleBroken(
            "being_made", "Questions are being made already. Wait until they are there."
        ) from None


def go_on(*, now: datetime) -> None:
    """Take the questions that are in, and ask about the captions of the next images."""
    for making in QuestionMaking.objects.filter(status=Status.OPEN).select_related("project__study", "rival"):
        while _make_some(making, now=now):
            pass


def _make_some(making: QuestionMaking, *, now: datetime) -> bool:
    """Make the questions about some images; False once all are made, or while the tagger has to answer."""
    images = {
        one.pk: one for one in captioned_images(making.project).filter(number__gt=making.cursor)[:AT_ONCE]
    }
    if not images:
        move(making, Status.DONE, problem="")
        return False
    counted = Annotation.objects.filter(image__in=images, state=Annotation.State.COUNTED).order_by("pk")
    answered: list[Answered[Annotation]] = []
    standing = consult_slice(
        list(counted),
        ask=lambda annotation: [questions_about(annotation.caption)],
        take=answered.extend,
        rival=making.rival,
        now=now,
        standing=Standing(),
    )
    if standing.waiting:
        told = {"problem": standing.problem[:500]}
        QuestionMaking.objects.filter(pk=making.pk).exclude(**told).update(**told)
        return False
    return _keep(making, images, answered, failed=standing.failed, now=now)


def _keep(
    making: QuestionMaking,
    images: Mapping[int, Image],
    answered: Sequence[Answered[Annotation]],
    *,
    failed: int,
    now: datetime,
) -> bool:
    """Store the questions and how far the making is; False if another process was first."""
    with held(making.project) as project:
        mine = QuestionMaking.objects.filter(pk=making.pk, status=Status.OPEN, cursor=making.cursor)
        new, disagreed = _new_questions(project, making, images, answered)
        changed = {
            "cursor": max(one.number for one in images.values()),
            "made": making.made + len(new),
            "disagreed": making.disagreed + disagreed,
            "failed": making.failed + failed,
        }
        if not mine.update(**changed):
            return False
        withdraw_what_is_right(project, new, now=now)
        store_rows(project, Question.Kind.VERIFY, new, now=now)
    for name, value in changed.items():
        setattr(making, name, value)
    log.info("whoops.questions_made", project=making.project_id, count=len(new))
    return True


def _new_questions(
    project: Project,
    making: QuestionMaking,
    images: Mapping[int, Image],
    answered: Sequence[Answered[Annotation]],
) -> tuple[list[NewQuestion], int]:
    """Return the questions that are new, and how many were left out since their answers differ."""
    found: defaultdict[tuple[int, str], dict[str, tuple[str, str]]] = defaultdict(dict)
    for annotation, (question,) in answered:
        for text, answer in question.output or ():
            if len(text) <= LONGEST_TEXT and len(answer) <= LONGEST_TEXT:
                found[annotation.image_id, plain(text)].setdefault(plain(answer), (text, answer))
    asked = Option.objects.filter(question__project=project, question__kind=Question.Kind.VERIFY)
    texts = asked.filter(question__image__in=images).values_list("question__image", "question__text")
    known = {(image, plain(text)) for image, text in texts}
    fresh = {key: answers for key, answers in found.items() if key not in known}
    agreed = {key: answers for key, answers in fresh.items() if len(answers) == 1}
    source = SOURCE.format(making.rival.name)
    new = [
        _new(images[image], *pair, source=source)
        for (image, _), answers in agreed.items()
        for pair in answers.values()
    ]
    return new, len(fresh) - len(agreed)


def _new(image: Image, text: str, answer: str, *, source: str) -> NewQuestion:
    variant = Question.Variant.WEIRD.value
    return NewQuestion(
        line=0,
        key=content_key(image, variant, text, answer, source),
        image=image,
        variant=variant,
        picture_id=image.picture_id,
        text=text,
        answer=answer,
        source=source,
    )

"""What models have said on benchmarks, brought before the judges: explanations, and captions."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from itertools import islice

from django.db.models import QuerySet

from crowd.benchmarks.models import Result
from crowd.pictures.models import Picture
from crowd.whoops import domain
from crowd.whoops.judge.services.explanation_lists import Offer, add_offers
from crowd.whoops.judge.services.posting_questions import post_questions
from crowd.whoops.judge.services.question_files import LONGEST_TEXT, NewQuestion, content_key
from crowd.whoops.judge.services.question_import import store_rows
from crowd.whoops.models import Image, Project
from crowd.whoops.models.judged_items import Question
from hits.core.errors import RuleBroken
from hits.work.services.locking import held

# Images whose words are taken at once.
AT_ONCE = 200
# The keys of the benchmarks, and what judges are asked about the words.
KINDS: Mapping[str, str] = {"explanation": Question.Kind.EXPLAIN, "description": Question.Kind.RATE}
Said = list[tuple[Image, str]]


def results_with_words(project: Project) -> QuerySet[Result]:
    """Return the complete results of models that have said something about the study's images."""
    done = Result.objects.filter(
        benchmark__release__study=project.study_id,
        benchmark__release__family="whoops",
        benchmark__task__in=KINDS,
        source__in=Result.OF_MODELS,
        status=Result.Status.DONE,
    )
    return done.select_related("benchmark__release").order_by("-pk")


def take_words(*, project: Project, result: Result, now: datetime) -> int:
    """Add what the model has said to what judges are asked, and return how much of it is new.

    Explanations wait for the next lists; captions are asked at once. Words about images that are not in the
    data any more, and those that are too long for the judges' page, are left out. Raises RuleBroken for a
    model that is called as people are, and if nothing is new.
    """
    if result.name.casefold() in domain.OURS:
        raise RuleBroken(
            "known_name", f"“{result}” names our own explanations. Upload the model by its name."
        )
    kind = KINDS[result.benchmark.task]
    with held(project) as locked:
        count = sum(_take(locked, result, kind, said, now=now) for said in _said(locked, result))
        if not count:
            raise RuleBroken("nothing_new", f"All that {result} says is there already, or cannot be asked.")
    return count


def _take(project: Project, result: Result, kind: str, said: Said, *, now: datetime) -> int:
    if kind == Question.Kind.EXPLAIN:
        offers = {image: [Offer(source=result.name, text=text)] for image, text in said}
        return add_offers(project=project, offers=offers, now=now)
    rows = [_caption(image, text, source=result.name) for image, text in said]
    keys = Question.objects.filter(project=project, kind=kind, key__in=[row.key for row in rows])
    known = set(keys.values_list("key", flat=True))
    questions = store_rows(project, kind, [row for row in rows if row.key not in known], now=now)
    post_questions(project=project, questions=questions, now=now)
    return len(questions)


def _said(project: Project, result: Result) -> Iterator[Said]:
    """Yield some images at a time, each with what the model says about it."""
    rows = result.items.order_by("pk").values_list("item", "answer").iterator(chunk_size=AT_ONCE)
    shown = project.images.filter(state=Image.State.ACCEPTED, picture__status=Picture.Status.FIT)
    while some := dict(islice(rows, AT_ONCE)):
        texts = {item: " ".join(str(answer).split()) for item, answer in some.items()}
        yield [
            (image, texts[str(image.public_id)])
            for image in shown.filter(public_id__in=some)
            if 0 < len(texts[str(image.public_id)]) <= LONGEST_TEXT
        ]


def _caption(image: Image, text: str, *, source: str) -> NewQuestion:
    variant = Question.Variant.WEIRD.value
    return NewQuestion(
        line=0,
        key=content_key(image, variant, "", text, source),
        image=image,
        variant=variant,
        picture_id=image.picture_id,
        text="",
        answer=text,
        source=source,
    )

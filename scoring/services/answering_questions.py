"""Models answer waiting questions, in slices about as long as a worker may wait for a verdict.

A process that is killed in the middle has stored nothing of its slice; the next one answers it. An answer is
stored only where the row still waits, so there is one, whichever process comes second.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

import structlog
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from scoring import rivals
from scoring.models import PendingQuery, RegisteredRival
from scoring.models.model_questions import ModelQuestion
from scoring.services.embedding import locate, one_at_a_time
from scoring.services.model_loading import code_version, computing, load_model
from scoring.services.pending_work import pause_after, questions_waiting
from scoring.services.picture_scores import compare_sides, score_texts
from scoring.services.rival_answers import FAILURES, Clock, answer_waiting

# The longest run of a sweep, so that other work of its queue has its turn in between.
LONGEST_S = 60.0
# The aim for a slice, whose size follows from how long the one before took.
SLICE_S = 0.5
FIRST_SLICE, SMALLEST, LARGEST = 32, 8, 1024
# Failures that another try would repeat.
UNANSWERABLE = (ValueError, rivals.UnreadablePicture)
Kind = ModelQuestion.Kind
Status = ModelQuestion.Status
# What a model does with the texts of questions that have nothing beside them.
OF_TEXTS: Mapping[str, str] = {
    Kind.PERPLEXITIES: "perplexities",
    Kind.CONTINUATIONS: "continuations",
    Kind.QUESTIONS: "questions_about",
}
log = structlog.get_logger()


def answer_questions(*, clock: Clock = timezone.now, timer: Callable[[], float] = time.monotonic) -> int:
    """Answer until nothing waits or the time is up; return how many.

    Queries that workers wait for go first.
    """
    answered, size, began = 0, FIRST_SLICE, timer()
    while timer() - began < LONGEST_S:
        if somebody_waits():
            answer_waiting(clock=clock)
        slice_began = timer()
        some = _answer_slice(size, clock=clock)
        if some is None:
            break
        answered += some
        size = next_size(size, took_s=timer() - slice_began)
    return answered


def somebody_waits() -> bool:
    return PendingQuery.objects.filter(is_urgent=True).exists()


def next_size(size: int, *, took_s: float) -> int:
    if took_s < SLICE_S / 2:
        return min(size * 2, LARGEST)
    return max(size // 2, SMALLEST) if took_s > SLICE_S * 2 else size


def _answer_slice(size: int, *, clock: Clock) -> int | None:
    """Answer the next questions of one model and kind; return how many, or None if nothing waits."""
    due = questions_waiting().filter(try_at__lte=clock()).order_by("try_at", "pk")
    first = due.select_related("rival").first()
    if first is None:
        return None
    alike = due.filter(rival=first.rival, kind=first.kind)[:size]
    with computing, one_at_a_time(alike) as questions:
        # None: another process has them all.
        return _answer(first.rival, questions, clock=clock) if questions else None


def _answer(rival: RegisteredRival, questions: Sequence[ModelQuestion], *, clock: Clock) -> int:
    try:
        model = load_model(rival)
    except FAILURES as problem:
        _put_off(questions_waiting().filter(rival=rival), problem, now=clock())
        return 0
    return _answer_or_fail(rival, model, questions, clock=clock)


def _answer_or_fail(
    rival: RegisteredRival, model: Any, questions: Sequence[ModelQuestion], *, clock: Clock
) -> int:
    """Answer the questions; one that cannot be answered does not hold up the others."""
    try:
        outputs = _ask(rival, model, questions)
    except FAILURES as problem:
        if len(questions) > 1:
            half = len(questions) // 2
            return sum(
                _answer_or_fail(rival, model, some, clock=clock)
                for some in (questions[:half], questions[half:])
            )
        one = questions_waiting().filter(pk=questions[0].pk)
        if isinstance(problem, UNANSWERABLE):
            one.update(status=Status.FAILED, problem=_words(problem))
            log.warning("question.failed", question=questions[0].pk)
        else:
            _put_off(one, problem, now=clock())
        return 0
    return _store(questions, outputs, provenance=_provenance(model), now=clock())


def _ask(rival: RegisteredRival, model: Any, questions: Sequence[ModelQuestion]) -> list[Any]:
    """Answers of the model, from one batched call for all questions that share their options."""
    inputs = [one.input for one in questions]
    kind = questions[0].kind
    if kind in OF_TEXTS:
        return list(getattr(model, OF_TEXTS[kind])([one["text"] for one in inputs]))
    match kind:
        case Kind.SCORES | Kind.LIKENESS:
            return (_scores if kind == Kind.SCORES else _likenesses)(rival, model, inputs)
        case Kind.WORDS | Kind.REGIONS:
            return (_words_about if kind == Kind.WORDS else _regions)(model, inputs)
        case Kind.PARTS:
            parts = model.parts_of_speech([(one["text"], one["start"], one["end"]) for one in inputs])
            return [{"part": one.part, "tag": one.tag, "word": one.word} for one in parts]
        case Kind.TOP_WORDS:
            return _by_option(inputs, "k", lambda some, k: _top_words(model, some, k))
        case _:
            return _by_option(
                inputs, "as_one_token", lambda some, one_token: _probabilities(model, some, one_token)
            )


def _by_option(
    inputs: Sequence[dict[str, Any]], option: str, ask: Callable[[Sequence[dict[str, Any]], Any], list[Any]]
) -> list[Any]:
    outputs: dict[int, Any] = {}
    for value in sorted({one[option] for one in inputs}):
        places = [place for place, one in enumerate(inputs) if one[option] == value]
        answers = ask([inputs[place] for place in places], value)
        outputs |= dict(zip(places, answers, strict=True))
    return [outputs[place] for place in range(len(inputs))]


def _scores(rival: RegisteredRival, model: Any, inputs: Sequence[dict[str, Any]]) -> list[Any]:
    """Return, for each question, a row for each text with the score of each picture."""
    asked = [
        (model.prompt(text) if one["are_cues"] else text, _pictures_of(one))
        for one in inputs
        for text in one["texts"]
    ]
    rows = iter(score_texts(rival, model, asked))
    return [[next(rows) for _ in one["texts"]] for one in inputs]


def _likenesses(rival: RegisteredRival, model: Any, inputs: Sequence[dict[str, Any]]) -> list[Any]:
    asked = [[_side_of(model, side) for side in (one["one"], *one["others"])] for one in inputs]
    return compare_sides(rival, model, asked)


def _side_of(model: Any, side: dict[str, str]) -> str | rivals.Picture:
    if "text" in side:
        prompt: str = model.prompt(side["text"])
        return prompt
    return rivals.Picture(sha256=side["sha256"], path="", caption=side["caption"])


def _words_about(model: Any, inputs: Sequence[dict[str, Any]]) -> list[Any]:
    pictures = locate([picture for one in inputs for picture in _pictures_of(one)])
    found: list[Any] = model.say(
        [(one["prompt"], shown) for one, shown in zip(inputs, pictures, strict=True)]
    )
    return found


def _regions(model: Any, inputs: Sequence[dict[str, Any]]) -> list[Any]:
    pictures = locate([picture for one in inputs for picture in _pictures_of(one)])
    found = [model.word_regions(one["text"], shown) for one, shown in zip(inputs, pictures, strict=True)]
    return [{"words": one.words, "maps": one.maps} for one in found]


def _pictures_of(one: dict[str, Any]) -> list[rivals.Picture]:
    """The pictures of a question, whose files the model's side finds by their digests."""
    return [rivals.Picture(sha256=it["sha256"], path="", caption=it["caption"]) for it in one["pictures"]]


def _top_words(model: Any, inputs: Sequence[dict[str, Any]], k: int) -> list[Any]:
    found = model.top_words([one["prompt"] for one in inputs], k=k)
    return [[{"word": word.text, "p": word.probability} for word in words] for words in found]


def _probabilities(model: Any, inputs: Sequence[dict[str, Any]], as_one_token: bool) -> list[Any]:
    asked = [(one["prompt"], one["words"]) for one in inputs]
    found = model.probabilities(asked, as_one_token=as_one_token)
    return [
        [{"word": one.word, "p": one.probability, "pieces": one.pieces, "way": one.way} for one in words]
        for words in found
    ]


def _store(
    questions: Sequence[ModelQuestion], outputs: Sequence[Any], *, provenance: dict[str, Any], now: datetime
) -> int:
    for question, output in zip(questions, outputs, strict=True):
        question.status, question.output, question.problem = Status.ANSWERED, output, ""
        question.provenance, question.answered_at = provenance, now
    fields = ["status", "output", "problem", "provenance", "answered_at"]
    with transaction.atomic():
        return questions_waiting().bulk_update(questions, fields, batch_size=100)


def _put_off(questions: QuerySet[ModelQuestion], problem: Exception, *, now: datetime) -> None:
    """Schedule the next try of the due questions, ever more rarely."""
    due = questions.filter(try_at__lte=now)
    for tries in due.order_by().values_list("tries", flat=True).distinct():
        due.filter(tries=tries).update(
            tries=tries + 1, try_at=now + pause_after(tries), problem=_words(problem)
        )
    log.warning("questions.put_off", error=type(problem).__name__, problem=str(problem)[:200])


def _words(problem: Exception) -> str:
    return str(problem)[:500] or type(problem).__name__


def _provenance(model: rivals.LoadedModel) -> dict[str, Any]:
    return {**model.provenance, "device": model.device, "code_version": code_version()}

"""What an example lacks before workers may be asked about it, by the field of its form."""

from collections.abc import Iterator, Mapping, Sequence

from django.db.models import Q

from crowd.pictures.models import Picture
from crowd.winoground.domain.captions import are_same, differing_words
from crowd.winoground.models import Example, FirstQuestion
from crowd.winoground.queries.people_shown import unconfirmed_places

Fault = tuple[str, str]
Faults = Mapping[str, Sequence[str]]
# What must be said of a picture, and the fault where it is missing.
ASKED_OF_PICTURES = {
    "source": "Say where the picture is from: an address, or “own photo”.",
    "credit": "Say who is to be credited for the picture.",
    "licence": "Say under which licence the picture may be shown.",
}


def faults_of(example: Example) -> Faults:
    """Faults by field; empty if the example is ready."""
    faults: dict[str, list[str]] = {}
    for found in (_of_captions(example), _of_pictures(example), _of_labels(example)):
        for name, words in found:
            faults.setdefault(name, []).append(words)
    return faults


def _of_captions(example: Example) -> Iterator[Fault]:
    for place, caption in enumerate((example.caption_0, example.caption_1)):
        if not caption:
            yield f"caption_{place}", "Write the caption."
    yield from _of_gendered_words(example)
    if not (example.caption_0 and example.caption_1):
        return
    if words := _fault_of_words(example):
        yield "caption_1", words
    elif twin := _twin_of(example):
        yield "caption_1", f"{twin} has the same two captions."


def _of_gendered_words(example: Example) -> Iterator[Fault]:
    waiting = unconfirmed_places(example)
    for place in (0, 1):
        if words := [word for caption, word in waiting if caption == place]:
            named = ", ".join(f"“{word}”" for word in words)
            yield (
                f"caption_{place}",
                (
                    f"Gendered: {named}. Write “person” or a like word, or confirm that it stays: “Let "
                    "gendered words stay”, above."
                ),
            )


def _of_pictures(example: Example) -> Iterator[Fault]:
    for place, picture in enumerate((example.image_0, example.image_1)):
        if picture is None:
            yield f"image_{place}", "Choose a picture."
            continue
        if picture.status != Picture.Status.FIT:
            yield f"image_{place}", "This picture is not shown to anybody any more. Choose another one."
        if _is_of_the_test(picture, example):
            yield f"image_{place}", "This picture is in the first questions. Choose another one."
        for name, words in ASKED_OF_PICTURES.items():
            if not getattr(picture, name):
                yield f"{name}_{place}", words


def _of_labels(example: Example) -> Iterator[Fault]:
    if not example.swap:
        yield "swap", "Say what is swapped."
    if not example.tags.exists():
        yield "tags", "Choose at least one tag."
    if example.predicates is None:
        yield "predicates", "Say how many main predicates the captions have."


def _fault_of_words(example: Example) -> str:
    if are_same(example.caption_0, example.caption_1):
        return "Both captions are the same, word for word. Change the order of the words."
    difference = differing_words(example.caption_0, example.caption_1)
    if not difference or example.has_altered_morpheme:
        return ""
    sides = {"A": difference.only_first, "B": difference.only_second}
    only = "; ".join(f"only in {side}: {', '.join(words)}" for side, words in sides.items() if words)
    return f"The captions have different words ({only}). Use the same words in another order."


def _is_of_the_test(picture: Picture, example: Example) -> bool:
    """Whether workers may have met the picture in the first questions; if so, they must not meet it here.

    A question that was taken away before it was asked does not count.
    """
    questions = FirstQuestion.objects.filter(picture=picture, item__study=example.project.study_id)
    return questions.filter(Q(item__pulled_at=None) | Q(item__leases__isnull=False)).exists()


def _twin_of(example: Example) -> Example | None:
    others = Example.objects.filter(project=example.project_id).exclude(state=Example.State.WITHDRAWN)
    same = others.filter(caption_0__iexact=example.caption_0, caption_1__iexact=example.caption_1)
    return same.exclude(pk=example.pk).order_by("number").first()

"""Examples and answers as rows: read in chunks, under pseudonyms, so that memory stays flat."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

from django.db.models import QuerySet

from crowd.pictures.models import Picture
from crowd.winoground.domain import PLACES, YES
from crowd.winoground.domain.scores import Kind
from crowd.winoground.exporting.columns import name_of
from crowd.winoground.models import Example, Project
from crowd.winoground.queries.scoring import SCORED, Votes, four_of, fours_of_models, votes_of
from hits.datasets.columns import utc_text
from hits.exports import Naming
from hits.models import Item
from scoring.queries.voting import counting_scores

AT_ONCE = 250
ANSWERS_AT_ONCE = 2_000
State = Example.State
Examples = QuerySet[Example]
NONE: Votes = (None,) * len(PLACES)


def asked_examples(project: Project, *, everything: bool) -> Examples:
    """Those that workers are asked about; or those that were withdrawn after that, too."""
    asked = project.examples.filter(asked_at__isnull=False)
    return asked.filter(state__in=[SCORED, State.WITHDRAWN]) if everything else asked.filter(state=SCORED)


def example_rows(project: Project, examples: Examples) -> Iterator[dict[str, Any]]:
    votes = votes_of(project, states=(SCORED, State.WITHDRAWN))
    for example in _in_chunks(examples):
        yield _published(example, votes.get(example.pk, NONE))


def full_rows(project: Project, examples: Examples, *, naming: Naming) -> Iterator[dict[str, Any]]:
    votes = votes_of(project, states=(SCORED, State.WITHDRAWN))
    models = _models_by_example(project)
    for example in _in_chunks(examples):
        row = _published(example, votes.get(example.pk, NONE))
        yield {**row, **_provenance(example, models.get(example.pk, ()), naming=naming)}


def answer_rows(examples: Examples, *, naming: Naming) -> Iterator[dict[str, Any]]:
    """Every answer that counts, in the order in which they were recorded."""
    items = Item.objects.filter(winoground_pairing__example__in=examples)
    counting = counting_scores(items).filter(measure=YES).order_by("pk")
    related = counting.select_related("assignment__worker", "item__winoground_pairing__example")
    after = 0
    while some := list(_slim(related).filter(pk__gt=after)[:ANSWERS_AT_ONCE]):
        after = some[-1].pk
        for score in some:
            pairing = score.item.winoground_pairing
            yield {
                "example": str(pairing.example.public_id),
                "number": pairing.example.number,
                "caption": pairing.caption,
                "image": pairing.image,
                "belong_together": pairing.is_match,
                "match": bool(score.numerator),
                "by": naming.person(score.assignment.worker.public_id),
                "at": utc_text(score.assignment.submitted_at),
            }


def _slim(scores: QuerySet[Any]) -> QuerySet[Any]:
    pairing = "item__winoground_pairing"
    return scores.only(
        "numerator",
        "assignment__submitted_at",
        "assignment__worker__public_id",
        "item__id",
        f"{pairing}__caption",
        f"{pairing}__image",
        f"{pairing}__example__public_id",
        f"{pairing}__example__number",
    )


def _in_chunks(examples: Examples) -> Iterator[Example]:
    """By number, and by no cursor that a slow reader would hold open."""
    related = examples.select_related("project__study", "author", "image_0", "image_1")
    related, after = related.prefetch_related("tags").order_by("number"), 0
    while some := list(related.filter(number__gt=after)[:AT_ONCE]):
        yield from some
        after = some[-1].number


def _published(example: Example, votes: Votes) -> dict[str, Any]:
    four = four_of(votes)
    counts = {
        f"{what}_{name_of(*place)}": 0 if vote is None else getattr(vote, what)
        for place, vote in zip(PLACES, votes, strict=True)
        for what in ("yes", "answers")
    }
    return {
        "example": str(example.public_id),
        "number": example.number,
        "caption_0": example.caption_0,
        "caption_1": example.caption_1,
        **_image(0, example.image_0),
        **_image(1, example.image_1),
        "swap": example.swap,
        "tags": [tag.name for tag in example.tags.all()],
        "predicates": example.predicates,
        "symbolic": example.is_symbolic,
        "series": example.is_series,
        "pragmatic": example.is_pragmatic,
        "altered_morpheme": example.has_altered_morpheme,
        **counts,
        **{str(kind): None if four is None else four.right.by(kind) for kind in Kind},
    }


def _image(side: int, picture: Picture | None) -> dict[str, Any]:
    said = {
        "file": PurePosixPath(picture.file.name or "").name,
        "sha256": picture.sha256,
        "credit": picture.credit,
        "licence": picture.licence,
        "source": picture.source,
    } if picture else dict.fromkeys(("file", "sha256", "credit", "licence", "source"), "")  # fmt: skip
    return {f"image_{side}_{name}": value for name, value in said.items()}


def _provenance(example: Example, models: Sequence[Mapping[str, Any]], *, naming: Naming) -> dict[str, Any]:
    return {
        "study": str(example.project.study.public_id),
        "state": example.state,
        "author": naming.person(example.author.public_id),
        "created_at": utc_text(example.created_at),
        "asked_at": utc_text(example.asked_at),
        "models": list(models),
    }


def _models_by_example(project: Project) -> Mapping[int, Sequence[Mapping[str, Any]]]:
    found: defaultdict[int, list[Mapping[str, Any]]] = defaultdict(list)
    fours = fours_of_models(project)
    for model in project.model_scores.order_by("name"):
        for example, four in fours.get(model.pk, {}).items():
            values = {name_of(*place): value for place, value in zip(PLACES, four, strict=True)}
            rights = {str(kind): four.right.by(kind) for kind in Kind}
            found[example].append({"model": model.name, **values, **rights})
    return found

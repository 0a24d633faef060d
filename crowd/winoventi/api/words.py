"""The first steps' rows: nouns, the words that models tie to them, and the exceptions that workers gave."""

from typing import Any

from django.db.models import Prefetch, QuerySet

from crowd.winoventi.api.filters import AlternativeFilters, GenericFilters, NounFilters
from crowd.winoventi.models import Alternative, FilterScore, Generic, Noun
from hits.api.listings import JSON, Listing, public_id_of
from hits.datasets.columns import FLAG, INTEGER, MOMENT, NUMBER, ROWS, TEXT, column


class NounViewSet(Listing):
    """The nouns of procedures. A homonym may be there several times."""

    queryset: QuerySet[Noun] = Noun.objects.select_related("project__study")
    permissions = ("winoventi.view_project",)
    study_path = "project__study"
    number = True
    filters = NounFilters
    columns = (
        column("number", INTEGER, "the number of the noun on this site", of="pk"),
        column("study", TEXT, "the study", of="project.study.public_id"),
        column("row", INTEGER, "its place in the study's list", of="number"),
        column("word", TEXT, "the noun"),
    )


class GenericViewSet(Listing):
    """Words that a model ties to a noun: those that were posted, and those that went no further."""

    queryset: QuerySet[Generic] = Generic.objects.select_related(
        "project__study", "noun", "item", "worker", "assignment"
    ).defer("worker__external_id")
    permissions = ("winoventi.view_generic",)
    study_path = "project__study"
    number = True
    filters = GenericFilters
    columns = (
        column("number", INTEGER, "the number of the generic on this site", of="pk"),
        column("study", TEXT, "the study", of="project.study.public_id"),
        column("noun", TEXT, "the noun", of="noun.word"),
        column("noun_number", INTEGER, "the number of the noun on this site", of="noun_id"),
        column("word", TEXT, "the word"),
        column("k", INTEGER, "the smallest k that finds it"),
        column("rank", INTEGER, "its place by perplexity"),
        column("perplexity", NUMBER, "the perplexity of the statement"),
        column("state", TEXT, "found, stopped, cut, posted, nonsense or answered"),
        column("reason", TEXT, "why it goes no further"),
        column("item", TEXT, "the item that workers answer", of=public_id_of("item")),
        column("worker", TEXT, "the worker whose answer counts", of=lambda row: _called(row.worker)),
        column("assignment", TEXT, "the work", of=public_id_of("assignment")),
    )


class AlternativeViewSet(Listing):
    """The exceptions that workers gave, and how likely models find them."""

    queryset: QuerySet[Alternative] = (
        Alternative.objects.select_related("project__study", "generic__noun", "worker", "assignment", "item")
        .defer("worker__external_id")
        .prefetch_related(Prefetch("scores", FilterScore.objects.select_related("rival").order_by("pk")))
    )
    permissions = ("winoventi.view_alternative",)
    study_path = "project__study"
    number = True
    filters = AlternativeFilters
    columns = (
        column("number", INTEGER, "the number of the exception on this site", of="pk"),
        column("study", TEXT, "the study", of="project.study.public_id"),
        column("noun", TEXT, "the noun", of="generic.noun.word"),
        column("generic", TEXT, "the generic", of="generic.word"),
        column("generic_number", INTEGER, "the number of the generic on this site", of="generic_id"),
        column("word", TEXT, "the exception"),
        column("position", INTEGER, "its place among the words of the answer"),
        column("state", TEXT, "given, repeated, filtered, passed or withdrawn"),
        column("reason", TEXT, "why it goes no further"),
        column("worker", TEXT, "the worker's pseudonym", of="worker.pseudonym"),
        column("assignment", TEXT, "the work", of=public_id_of("assignment")),
        column("item", TEXT, "the item that asks for the premise", of=public_id_of("item")),
        column(
            "scores",
            ROWS,
            "probabilities, by model and way",
            column("rival", TEXT, "the model; null: recorded elsewhere", of=lambda one: _name(one.rival)),
            column("way", TEXT, "how a word of several pieces is scored"),
            column("p_generic", NUMBER, "the probability of the generic"),
            column("p_exception", NUMBER, "the probability of the exception"),
            column("passes", FLAG, "whether the generic is strictly likelier"),
            column("provenance", JSON, "what repeats the score"),
            column("scored_at", MOMENT, "when"),
            of=lambda row: row.scores.all(),
        ),
    )


def _called(worker: Any) -> Any:
    return worker and worker.pseudonym


def _name(rival: Any) -> Any:
    return rival and rival.name

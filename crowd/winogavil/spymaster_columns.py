"""Columns of one word that a spymaster made, in a file of their work."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from crowd.pictures.models import Picture
from crowd.winogavil.models import Association
from hits.datasets.columns import INTEGER, MOMENT, NUMBER, TEXT, TEXTS, column
from scoring.models import RivalQuery, Verdict


@dataclass(frozen=True, kw_only=True)
class MadeWord:
    query: RivalQuery
    # The verdict that counts, once there is one.
    verdict: Verdict | None
    # What the pictures show, by their files.
    concepts: Mapping[str, str]

    @property
    def association(self) -> Association | None:
        found: Association | None = getattr(self.query.item, "association", None)
        return found

    @property
    def files(self) -> list[str]:
        return [picture["sha256"] for picture in self.query.pictures]

    def concepts_at(self, places: Sequence[int]) -> list[str]:
        return [self.concepts.get(self.files[place], "") for place in places]

    @property
    def candidates(self) -> list[str]:
        return self.concepts_at(range(len(self.files)))

    @property
    def item(self) -> str | None:
        return str(self.query.item.public_id) if self.query.item else None

    @property
    def solvers_mean(self) -> float | None:
        mean = self.association.solvers_mean if self.association else None
        return None if mean is None else float(mean)


FLAT = (
    column(
        "item", TEXT, "the id of the association, as releases have it; empty until the model has answered"
    ),
    column("cue", TEXT, "the word", of="query.text"),
    column("candidates", TEXTS, "what the pictures show, in the order shown"),
    column("candidates_sha256", TEXTS, "the SHA-256 of their files, in the same order", of="files"),
    column(
        "associations",
        TEXTS,
        "the pictures that the worker chose",
        of=lambda one: one.concepts_at(one.query.chosen),
    ),
    column(
        "associations_sha256",
        TEXTS,
        "the SHA-256 of their files",
        of=lambda one: [one.files[place] for place in one.query.chosen],
    ),
    column("asked_at", MOMENT, "when the worker put the word to the model", of="query.asked_at"),
    column("model", TEXT, "the model whose verdict is paid on", of="query.paid_on.name"),
    column(
        "model_picked",
        TEXTS,
        "the pictures that it picked; empty until it has answered",
        of=lambda one: one.concepts_at(one.verdict.places) if one.verdict else None,
    ),
    column(
        "model_score_percent",
        INTEGER,
        "its Jaccard index in whole per cent",
        of=lambda one: one.verdict and one.verdict.model_score,
    ),
    column(
        "score_fool_the_ai_percent",
        INTEGER,
        "100 minus that",
        of=lambda one: one.verdict and one.verdict.fool_score,
    ),
    column(
        "solvers_jaccard_mean",
        NUMBER,
        "mean Jaccard index of the solvers, from 0 to 1, once the word is final",
        of="solvers_mean",
    ),
    column(
        "final_at",
        MOMENT,
        "when its last solver was in",
        of=lambda one: one.association and one.association.final_at,
    ),
)


def words_made(assignments: Sequence[int]) -> Mapping[int, Sequence[MadeWord]]:
    """Return the words of each assignment by its key, in the order of the page, in three queries."""
    rows = RivalQuery.objects.filter(assignment__in=assignments).select_related(
        "paid_on", "item__association"
    )
    queries = list(rows.order_by("assignment", "slot"))
    verdicts = _verdicts_of(queries)
    concepts = _concepts_of(queries)
    found: defaultdict[int, list[MadeWord]] = defaultdict(list)
    for query in queries:
        word = MadeWord(query=query, verdict=verdicts.get((query.pk, query.paid_on_id)), concepts=concepts)
        found[query.assignment_id or 0].append(word)
    return found


def _verdicts_of(queries: Sequence[RivalQuery]) -> Mapping[tuple[int, int], Verdict]:
    rows = Verdict.objects.filter(rival_query__in=queries)
    told = rows.only("rival_query", "rival", "places", "model_score")
    return {(verdict.rival_query_id, verdict.rival_id): verdict for verdict in told}


def _concepts_of(queries: Sequence[RivalQuery]) -> Mapping[str, str]:
    files = {picture["sha256"] for query in queries for picture in query.pictures}
    return dict(Picture.objects.filter(sha256__in=files).values_list("sha256", "concept"))

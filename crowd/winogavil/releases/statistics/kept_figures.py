"""Stored figures, valid until something counts differently: a page counts nothing twice."""

import time
from collections.abc import Collection, Iterable
from datetime import datetime, timedelta
from hashlib import sha256

from django.db.models import Count, Max

from crowd.winogavil.models import Association
from crowd.winogavil.queries import of_study, threshold_of
from crowd.winogavil.releases.models import ConcretenessList, Statistics
from crowd.winogavil.releases.statistics.concreteness import tables_of_concreteness
from crowd.winogavil.releases.statistics.figures import figures
from crowd.winogavil.releases.statistics.study_tallies import count, count_concreteness
from crowd.winogavil.releases.statistics.tallies import Tallies
from hits.identity.models.workers import Worker
from hits.studies.models import Study

AT_ONCE = 500
SWOW = Association.Source.SWOW
# While work comes in, counting takes at most one part in so many of the time.
PAUSE = 20


def statistics_of(study: Study, *, sources: Collection[str], now: datetime) -> Statistics:
    """Figures for these sources (none: all but tests); some seconds old if counting takes long.

    The SWOW baseline has rows of its own, except where nothing else is asked for. Another selection threshold
    of the study is never waited for.
    """
    threshold = threshold_of(study)
    game, has_baseline = _split(study, sources)
    name, mark = ",".join(sorted(sources)), _mark(study, game)
    if has_baseline:
        mark += f" {_mark(study, [SWOW])}"
    ratings = ConcretenessList.objects.filter(study=study)
    mark = sha256(" ".join([mark, *ratings.values_list("sha256", flat=True)]).encode()).hexdigest()
    rows = Statistics.objects.filter(study=study, sources=name, selection_threshold=threshold)
    known = rows.first()
    if known and (
        known.mark == mark or now < known.counted_at + timedelta(milliseconds=PAUSE * known.took_ms)
    ):
        return known
    began = time.monotonic()
    tallies = count(study, sources=game, threshold=threshold)
    baseline = count(study, sources=[SWOW], threshold=threshold) if has_baseline else None
    found = figures(tallies, pseudonyms=_pseudonyms(_people_of(tallies)), baseline=baseline)
    found |= {"concreteness": [], "correlations": []}
    if known_ratings := ratings.values_list("ratings", flat=True).first():
        concreteness = count_concreteness(study, sources=game, ratings=known_ratings)
        found |= tables_of_concreteness(concreteness, tallies.cues.words)
    took_ms = round(1000 * (time.monotonic() - began))
    values = {
        "selection_threshold": threshold,
        "mark": mark,
        "figures": found,
        "counted_at": now,
        "took_ms": took_ms,
    }
    kept, _ = Statistics.objects.update_or_create(study=study, sources=name, defaults=values)
    return kept


def _split(study: Study, sources: Collection[str]) -> tuple[list[str], bool]:
    """The sources that are counted together, and whether the baseline has rows beside them."""
    game = [source for source in sources if source != SWOW]
    if sources and not game:
        return [SWOW], False
    wanted = not sources or SWOW in sources
    return game, wanted and of_study(study, sources=[SWOW]).exists()


def _mark(study: Study, sources: Collection[str]) -> str:
    """Fingerprint, cheap to read, that changes when an association comes, or is asked, solved or pulled."""
    found = of_study(study, sources=sources).aggregate(
        made=Count("pk"),
        last=Max("pk"),
        final=Count("final_at"),
        final_at=Max("final_at"),
        asked=Count("asked_at"),
        asked_at=Max("asked_at"),
        pulled=Count("item__pulled_at"),
        pulled_at=Max("item__pulled_at"),
    )
    return " ".join(str(value) for value in found.values())


def _people_of(tallies: Tallies) -> set[int]:
    return {key for key, _ in tallies.creators} | {key for key, _ in tallies.solvers}


def _pseudonyms(workers: Iterable[int]) -> dict[int, str]:
    found: dict[int, str] = {}
    keys = sorted(workers)
    for start in range(0, len(keys), AT_ONCE):
        some = Worker.objects.filter(pk__in=keys[start : start + AT_ONCE])
        found |= dict(some.values_list("pk", "pseudonym"))
    return found

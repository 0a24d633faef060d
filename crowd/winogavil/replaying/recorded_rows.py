"""Recordings become items, associations and solutions: final at once, and asked of nobody."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from crowd.winogavil.domain import SOLVE, set_key
from crowd.winogavil.models import Association, Place, Solution
from crowd.winogavil.replaying.rules import Recording
from crowd.winogavil.services.final_associations import settle
from hits.common.bulk_writes import insert_rows
from hits.core.errors import InvalidItems
from hits.data.services.recordings import known_workers
from hits.identity.models.workers import Worker
from hits.providers.models.accounts import Account
from hits.studies.models import Study
from hits.work.models.items import Item
from scoring import domain as scores

# Values of a place: its label, its position, whether it was chosen, and whether it was predicted.
PlaceValues = tuple[str, int, bool, bool]
PLACE = ("association", "label", "position", "chosen", "predicted")
FACTS = ("cue", "set_key", "model_score", "solvers_numerator", "solvers_denominator")


@dataclass(frozen=True, kw_only=True)
class NewRows:
    """Rows of one recording, which are saved all together."""

    item: Item
    association: Association
    places: list[PlaceValues]
    solutions: list[Solution]


def record(
    recordings: Sequence[Recording], *, study: Study, account: Account, now: datetime
) -> list[Association]:
    """Store the recordings that the study does not have yet, all or none, and return all associations."""
    with transaction.atomic():
        # Two replays of one recording take turns: the second finds what the first has made.
        Account.objects.select_for_update(no_key=True).get(pk=account.pk)
        workers = known_workers(account=account, names=_people(recordings))
        made = [_make(recording, study=study, workers=workers, now=now) for recording in recordings]
        known = _facts([recording.name for recording in recordings], study=study)
        _refuse_others([one.association for one in made], known=known, study=study)
        _save([one for one in made if one.association.recorded_as not in known])
    return [one.association for one in made]


def _people(recordings: Sequence[Recording]) -> set[str]:
    solvers = {solution.worker for recording in recordings for solution in recording.solved}
    return solvers | {recording.worker for recording in recordings}


def _make(recording: Recording, *, study: Study, workers: Mapping[str, Worker], now: datetime) -> NewRows:
    chosen, predicted = set(recording.chosen), set(recording.predicted)
    item = Item(study=study, task=SOLVE, author=workers[recording.worker], wanted=0)
    association = Association(
        item=item,
        source=Association.Source.RECORDED,
        set_key=set_key(recording.candidates),
        recorded_as=recording.name,
        cue=recording.cue,
        model_score=scores.model_score(chosen=chosen, predicted=predicted),
        asked_at=now,
        told_at=now,
    )
    places = [
        (name, position, name in chosen, name in predicted)
        for position, name in enumerate(recording.candidates)
    ]
    solutions = [
        _solution(association, recording, picked=set(solution.picked), worker=workers[solution.worker])
        for solution in recording.solved
    ]
    if solutions:
        settle(association, solutions, now=now)
    return NewRows(item=item, association=association, places=places, solutions=solutions)


def _solution(
    association: Association, recording: Recording, *, picked: set[str], worker: Worker
) -> Solution:
    value = scores.jaccard(picked, set(recording.chosen))
    return Solution(
        association=association,
        worker=worker,
        picked=[position for position, name in enumerate(recording.candidates) if name in picked],
        numerator=value.numerator,
        denominator=value.denominator,
    )


def _facts(names: Sequence[str], *, study: Study) -> dict[str, tuple[object, ...]]:
    """Facts that the study has recorded under these names.

    The rows are found by name alone, which the exclusion lets an index serve: a study has far more rows.
    """
    found = Association.objects.filter(recorded_as__in=names).exclude(recorded_as="")
    rows = found.values_list("item__study", "recorded_as", *FACTS)
    return {name: tuple(facts) for owner, name, *facts in rows if owner == study.pk}


def _refuse_others(
    associations: Sequence[Association], *, known: Mapping[str, tuple[object, ...]], study: Study
) -> None:
    """Raises InvalidItems if a name stands for another recording in this study: two would become one."""
    others = [
        one.recorded_as
        for one in associations
        if one.recorded_as in known and known[one.recorded_as] != tuple(getattr(one, fact) for fact in FACTS)
    ]
    if others:
        words = (
            f"The study “{study}” has another recording of {', '.join(others[:5])}: the cue, the candidates "
            "or the answers differ. Replay this one into a study of its own."
        )
        raise InvalidItems([words])


def _save(made: Sequence[NewRows]) -> None:
    Item.objects.bulk_create(one.item for one in made)
    Association.objects.bulk_create(one.association for one in made)
    insert_rows(Place, PLACE, ((one.association.pk, *place) for one in made for place in one.places))
    Solution.objects.bulk_create(solution for one in made for solution in one.solutions)

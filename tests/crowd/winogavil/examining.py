"""Factories of the game's two tests without a provider: their questions, and workers who take them."""

from collections.abc import Mapping, Sequence
from string import ascii_lowercase

from crowd.winogavil.domain import CREATOR_TEST, SOLVER_TEST
from crowd.winogavil.items import Row, add_rows
from crowd.winogavil.models import Association
from crowd.winogavil.services.seeded_associations import seed_picture_sets
from hits.identity.models.workers import Worker
from hits.studies.models import Batch, Study
from hits.work.models.assignments import Assignment
from hits.work.models.items import Item
from hits.work.services.leasing import items_of
from scoring.models import RivalQuery
from scoring.services.asking_rivals import NewRivalQuery, ShownPicture, ask
from tests.crowd.winogavil.game import hand_in, open_work
from tests.factories import NOW, make_batch, make_picture

EACH = 10
TERMS = {"bonus_rules": [], "fee_schedule": "none"}


def make_solver_test(*, study: Study, questions: int = EACH, **changes: object) -> Batch:
    """A solver's test whose questions show the same six pictures; the first two belong to each word."""
    values = {"items_per_assignment": EACH, "status": "open", "terms": TERMS, **changes}
    batch = make_batch(study=study, task=SOLVER_TEST, items_from="file", **values)
    pictures = tuple(make_picture().pk for _ in range(6))
    words = (f"word{ascii_lowercase[n // 26]}{ascii_lowercase[n % 26]}" for n in range(questions))
    rows = [Row(cue=word, candidates=pictures, chosen=frozenset(pictures[:2])) for word in words]
    add_rows(rows, batch=batch)
    return batch


def make_creator_test(*, study: Study, sets: int = EACH, **changes: object) -> Batch:
    """A creator's test whose sets hold the same six pictures, each beginning with another one."""
    pictures = [make_picture() for _ in range(6)]
    turned = [[*pictures[n % 6 :], *pictures[: n % 6]] for n in range(sets)]
    seed_picture_sets(study=study, picture_sets=[(some, {}) for some in turned], task=CREATOR_TEST)
    values = {"items_per_assignment": EACH, "status": "open", "terms": TERMS, **changes}
    return make_batch(study=study, task=CREATOR_TEST, **values)


def picks(item: Item, *, right: int) -> list[str]:
    """Keys of `right` pictures that belong to the word, with wrong ones to make two."""
    places = list(Association.objects.get(item=item).places.select_related("picture"))
    keys = [place.picture.key for place in places if place.picture]
    return sorted([*keys[:right], *keys[2 : 4 - right]])


def take_solver_test(batch: Batch, worker: Worker, *, right: Sequence[int]) -> Assignment:
    work = open_work(batch, worker)
    items = items_of(work)
    answers = zip(items, right, strict=True)
    hand_in(work, {str(item.public_id): picks(item, right=count) for item, count in answers})
    return work


def put_word(work: Assignment, cue: str, *, slot: int, chosen: Sequence[int] = (0, 1)) -> RivalQuery:
    picture_set = items_of(work)[slot - 1].picture_set
    shown = [
        ShownPicture(sha256=place.picture.sha256, caption=place.picture.concept)
        for place in picture_set.places.select_related("picture")
    ]
    rival_query, _ = ask(
        new=NewRivalQuery(text=cue, pictures=shown, chosen=chosen, slot=slot), assignment=work, now=NOW
    )
    return rival_query


def take_creator_test(batch: Batch, worker: Worker, *, stem: str = "word") -> Assignment:
    """Submit a creator's test with a word of its own for each set."""
    work = open_work(batch, worker)
    rival_queries = [
        put_word(work, f"{stem}{ascii_lowercase[slot]}", slot=slot)
        for slot in range(1, len(items_of(work)) + 1)
    ]
    hand_in(work, {"cues": [str(rival_query.public_id) for rival_query in rival_queries]})
    return work


def solve_words(batch: Batch, worker: Worker, *, wrong: Sequence[str] = ()) -> Assignment:
    """Submit a solver's test, as many questions as a page has, all right but for the words in `wrong`."""
    work = open_work(batch, worker)
    answer: Mapping[str, list[str]] = {
        str(item.public_id): picks(item, right=0 if item.association.cue in wrong else 2)
        for item in items_of(work)
    }
    hand_in(work, dict(answer))
    return work

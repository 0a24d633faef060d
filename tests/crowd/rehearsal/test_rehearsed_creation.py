"""Creating associations is rehearsed with a simulated model, and with the solving that follows."""

import pytest

from crowd.winogavil.domain import CREATE
from crowd.winogavil.services.seeded_associations import seed_picture_set
from hits.studies.models import Batch
from tests.crowd.rehearsal.rehearsing import rehearse
from tests.factories import make_batch, make_picture, make_study

pytestmark = pytest.mark.django_db


def make_creation(*, sets: int = 2, size: int = 6, **changes: object) -> Batch:
    """A draft that gives each of the sets to three creators."""
    study = make_study()
    for _ in range(sets):
        seed_picture_set(study=study, pictures=[make_picture() for _ in range(size)])
    return make_batch(study=study, task=CREATE, hits_wanted=3 * sets, assignments_per_hit=1, **changes)


def test_words_are_made_twice_alike() -> None:
    batch = make_creation()

    first, second = rehearse(batch), rehearse(batch)

    assert (first["final_in_runs"], first["runs"][0]["works"], first["starving"]) == (1, 6, {})
    assert first["nothing_lost"] is True
    assert first["runs"] == second["runs"]

"""The nearest pictures of the pool, compared with a sort of all cosines."""

import numpy as np
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from scoring import rivals
from scoring.models import RegisteredRival, Vector
from scoring.services import embedding, nearest_pictures, rival_pool
from scoring.services.nearest_pictures import nearest_in_pool
from tests.scoring.fakes import WEIGHTS, FakeRival, make_rival

pytestmark = pytest.mark.django_db


def digest(number: int) -> str:
    return f"{number:064x}"


@pytest.fixture
def rival(fake: type[FakeRival]) -> RegisteredRival:
    """A model that has seen the forty pictures of the pool."""
    rival_pool.enter_pool(
        [rival_pool.Entering(sha256=digest(one), path=f"p/{one}.png", caption="c") for one in range(40)]
    )
    rival = make_rival()
    while embedding.fill_pool(rival):
        pass
    return rival


def by_hand(wanted: int, *, k: int) -> list[str]:
    model = FakeRival(rivals.Spec(name="fake", kind="clip", weights_sha256=WEIGHTS))
    names = [digest(one) for one in range(40)]
    vectors = model.embed_pictures([rivals.Picture(sha256=one, path="", caption="") for one in names])
    (mine,) = model.embed_pictures([rivals.Picture(sha256=digest(wanted), path="", caption="")])
    order = np.argsort(-(vectors @ mine), kind="stable")
    return [names[place] for place in order if names[place] != digest(wanted)][:k]


@pytest.mark.parametrize("at_once", [7, 1_000])
def test_the_nearest_are_those_of_a_whole_sort(
    rival: RegisteredRival, monkeypatch: pytest.MonkeyPatch, at_once: int
) -> None:
    monkeypatch.setattr(nearest_pictures, "AT_ONCE", at_once)

    found = nearest_in_pool(rival, [digest(3), digest(100)], k=5)

    # One of them is in the pool itself, and is not its own partner.
    assert [one.sha256 for one in found[digest(3)]] == by_hand(3, k=5)
    assert [one.sha256 for one in found[digest(100)]] == by_hand(100, k=5)
    cosines = [one.cosine for one in found[digest(100)]]
    assert cosines == sorted(cosines, reverse=True)


def test_a_picture_that_cannot_be_read_is_left_out(rival: RegisteredRival, fake: type[FakeRival]) -> None:
    fake.broken = {digest(100)}
    Vector.objects.filter(content_sha256=digest(5)).update(values=None, problem="It is torn.")

    found = nearest_in_pool(rival, [digest(100), digest(101)], k=40)

    assert list(found) == [digest(101)]
    assert len(found[digest(101)]) == 39


def test_the_pool_is_read_once_for_all(rival: RegisteredRival) -> None:
    for some in ([100], list(range(100, 140))):
        nearest_in_pool(rival, [digest(one) for one in some], k=3)

    with CaptureQueriesContext(connection) as queries:
        nearest_in_pool(rival, [digest(one) for one in range(100, 140)], k=3)

    assert len(queries) <= 5


def test_a_model_without_vectors_is_refused(fake: type[FakeRival]) -> None:
    with pytest.raises(rivals.NotLoadable, match="no vectors to keep"):
        nearest_in_pool(make_rival(kind="cross"), [digest(1)], k=1)

"""What a file says of the procedure's work: words and sentences, choices, and what became of them."""

from typing import Any

import pytest

from crowd.winoventi import domain
from crowd.winoventi.models import Premise, Prompt
from hits.data.services.flat_export import export_flat
from hits.studies.models import Batch
from hits.work.models.items import Item
from hits.work.models.leases import Lease
from tests.crowd.winoventi.crowd import BAD, EXCEPTIONS, FINE, NONSENSE, PREMISE, Crowd
from tests.crowd.winoventi.rows import make_pair
from tests.factories import NOW, make_assignment, make_hit

pytestmark = pytest.mark.django_db


@pytest.fixture
def crowd() -> Crowd:
    return Crowd()


def rows_of(batch: Batch) -> list[dict[str, Any]]:
    return list(export_flat(batch=batch, include_excluded=False))


def test_exceptions_are_said_with_their_statement_and_how_far_they_came(crowd: Crowd) -> None:
    crowd.post()
    crowd.answer(domain.EXCEPTIONS, {**EXCEPTIONS, "exception_2": "ripe"})
    crowd.post("sky", "blue")
    crowd.answer(domain.EXCEPTIONS, NONSENSE)

    first, second = rows_of(crowd.batch(domain.EXCEPTIONS))

    assert (first["noun"], first["generic"], first["statement"]) == ("lemon", "sour", "The lemon is sour.")
    assert (first["makes_sense"], first["words"], first["counts"]) == (True, ["sweet", "ripe"], True)
    assert first["states"] == ["sweet: given", "ripe: given"]
    assert (second["noun"], second["makes_sense"], second["words"]) == ("sky", False, [])


def test_a_premise_is_said_with_its_outcomes_and_its_state(crowd: Crowd) -> None:
    crowd.triplet()
    crowd.answer(domain.PREMISES, PREMISE)

    [row] = rows_of(crowd.batch(domain.PREMISES))

    assert (row["noun"], row["generic"], row["exception"]) == ("lemon", "sour", "sweet")
    assert (row["sentence"], row["generic_word"]) == (PREMISE["sentence"], "face")
    assert (row["state"], row["reason"]) == ("waiting", "")


def test_validations_are_said_as_four_answers_about_a_pair(crowd: Crowd) -> None:
    crowd.triplet()
    crowd.answer(domain.PREMISES, PREMISE)
    crowd.judge(FINE, BAD)

    rows = rows_of(crowd.batch(domain.VALIDATE))

    assert [row["generic_synonym"] for row in rows] == [False, True]
    assert [row["generic_fits_exception"] for row in rows] == [False, False]
    assert {row["sentence"] for row in rows} == {Premise.objects.get().sentence}


def test_a_choice_is_said_with_both_words_and_whether_it_is_right(crowd: Crowd) -> None:
    pair = make_pair(crowd.project)
    item = Item.objects.create(study=crowd.project.study, task=domain.CHOOSE, wanted=1)
    prompt = Prompt.objects.create(premise=pair, kind="generic", item=item)
    work = make_assignment(
        hit=make_hit(batch=crowd.batch(domain.CHOOSE)),
        status="submitted",
        answer={str(item.public_id): {"choice": "sweet"}},
    )
    Lease.objects.create(item=item, assignment=work, worker=work.worker, leased_at=NOW)

    [row] = rows_of(crowd.batch(domain.CHOOSE))

    assert (row["prompt"], row["words"]) == (prompt.text, ["sour", "sweet"])
    assert (row["choice"], row["target"], row["is_right"]) == ("sweet", "sour", False)

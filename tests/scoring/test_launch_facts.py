"""What the page before a launch says of the model that workers play against."""

import pytest
from django.conf import LazySettings

from crowd.winogavil.domain import CREATE, SOLVE
from hits.studies.models import Batch, Study
from scoring.admin.launch_facts import tell_rival
from scoring.models import RegisteredRival, StudyRival
from tests.factories import NOW, make_batch

pytestmark = pytest.mark.django_db


def make_rival(study: Study, name: str, *, is_paid: bool, **changes: str) -> RegisteredRival:
    values = {"kind": "clip", "model": "openai/clip", "path": name, "weights_sha256": "ab" * 32, **changes}
    rival = RegisteredRival.objects.create(name=name, added_at=NOW, **values)
    StudyRival.objects.create(study=study, rival=rival, is_paid=is_paid, added_at=NOW)
    return rival


def sentences(batch: Batch) -> list[str]:
    [fact] = tell_rival(batch)
    return list(fact.sentences)


def test_model_is_named_with_its_weights_and_those_beside_it() -> None:
    batch = make_batch(task=CREATE)
    make_rival(batch.study, "clip-large", is_paid=True)
    make_rival(batch.study, "clip-small", is_paid=False)

    assert sentences(batch) == [
        "Workers play against “clip-large”: bonuses are paid on its verdict.",
        "CLIP over pictures, openai/clip, weights abababababab.",
        "Recorded beside it, and paid on by nobody: “clip-small”.",
    ]


def test_model_of_the_settings_is_named_and_not_registered_by_a_look(settings: LazySettings) -> None:
    settings.RIVAL = "minilm"
    RegisteredRival.objects.filter(name="minilm").delete()

    assert sentences(make_batch(task=CREATE)) == [
        "Workers play against “minilm”: bonuses are paid on its verdict.",
        "It has answered nothing here yet, and its weights were not read.",
    ]
    assert not RegisteredRival.objects.exists()


def test_task_that_asks_no_model_names_none() -> None:
    assert list(tell_rival(make_batch(task=SOLVE))) == []

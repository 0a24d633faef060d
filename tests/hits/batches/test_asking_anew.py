"""Each task says whether it can be asked again; the service refuses that for all other tasks."""

import pytest

from hits import families
from hits.batches.services import drafting
from hits.core.errors import RuleBroken
from hits.studies.models import Batch
from hits.work.models.items import Item
from tests.factories import make_batch


@pytest.mark.django_db
@pytest.mark.parametrize("task", [key for key in families.offered() if not families.asks_anew(key)])
def test_other_task_is_refused_and_the_draft_stays(task: str) -> None:
    asked = make_batch(status="open", items_from="file", task=task)
    Item.objects.create(study=asked.study, batch=asked, task=task, wanted=3)
    draft = make_batch(study=asked.study, account=asked.account, task=task)
    before = Batch.objects.values().get(pk=draft.pk)

    with pytest.raises(RuleBroken) as refusal:
        drafting.save_step(
            batch=draft, step="what", values={"items_from": Batch.ItemsFrom.BATCH, "source_batch": asked}
        )

    assert refusal.value.code == "asks_once"
    assert Batch.objects.values().get(pk=draft.pk) == before

"""Races between recounts and pages that hold an item's lock."""

import pytest
from django.db import transaction

from crowd.winogavil.annotation.models import Annotation, Kind
from crowd.winogavil.annotation.services.final_annotations import finalize_annotations
from hits.work.models.items import Item
from hits.work.services.leasing import keep_out
from tests.crowd.winogavil.annotation.annotators import annotate, draw, make_selected, open_batch
from tests.factories import NOW, make_study
from tests.races import meet

pytestmark = [pytest.mark.needs_postgres, pytest.mark.django_db(transaction=True)]


def test_an_answer_is_taken_out_of_what_a_page_holds_at_that_moment() -> None:
    study = make_study()
    make_selected(study)
    draw(study, Kind.SKILLS)
    first, *_ = annotate(open_batch(study, Kind.SKILLS), *[["humor"]] * 3)
    finalize_annotations(now=NOW)
    keep_out(first, now=NOW)

    meet(lambda: hold(Item.objects.get(annotation__isnull=False)), lambda: finalize_annotations(now=NOW))

    assert Annotation.objects.get().final_at is None


def hold(item: Item) -> None:
    """Lock the item, as a page that leases it does."""
    with transaction.atomic():
        Item.objects.select_for_update(no_key=True).get(pk=item.pk)

"""Attention items among annotations: their answers are compared, and change no final label."""

import pytest

from crowd.winogavil.annotation.models import Annotation, Kind
from crowd.winogavil.annotation.services.final_annotations import finalize_annotations
from hits.work.models.items import Item
from hits.work.services.leasing import items_of
from tests.crowd import attention
from tests.crowd.winogavil.annotation.annotators import (
    annotate,
    begin,
    draw,
    hand_in,
    make_selected,
    open_batch,
)
from tests.factories import NOW, make_study

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("kind", "label", "other"), [(Kind.TYPES, "colors", "activity"), (Kind.SKILLS, "humor", "none")]
)
def test_final_labels_stay_and_what_was_missed_is_seen(kind: Kind, label: str, other: str) -> None:
    study = make_study()
    make_selected(study, cue="cold")
    draw(study, kind)
    batch = open_batch(study, kind)
    annotate(batch, [label], [label], [label])
    finalize_annotations(now=NOW)
    known = attention.take_over(batch)
    for cue in ("warm", "wet", "dry"):
        make_selected(study, cue=cue)
    draw(study, kind)
    before = attention.needs(known)

    work = attention.open_mixed(lambda: begin(attention.mix(batch, items=2))[0])
    said = {item.pk: [other] for item in items_of(work)}
    hand_in(work, {str(item.public_id): said[item.pk] for item in items_of(work)})
    finalize_annotations(now=NOW)

    assert known == set(Annotation.objects.exclude(final_at=None).values_list("item", flat=True))
    assert [row.labels for row in Annotation.objects.filter(item__in=known)] == [[label]] * len(known)
    assert attention.needs(known) == before
    assert (attention.met(work).met, attention.met(work).right) == (len(attention.attention_of(work)), 0)
    [counted] = set(said) - attention.attention_of(work)
    assert Item.objects.get(pk=counted).wanted == Item.objects.get(pk=counted).answers_needed - 1

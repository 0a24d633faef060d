"""Questions about an association follow it: pulled while it is pulled, and asked again once it is back."""

from collections.abc import Callable
from typing import Any

import pytest
from django.http import QueryDict

from crowd.pictures.services.picture_reports import report_picture
from crowd.winogavil.annotation.models import Annotation, Kind
from crowd.winogavil.models import Association, CueReport
from crowd.winogavil.services.withdrawal import decide_report, report_cue
from hits import families
from hits.core.errors import InvalidAnswer
from hits.studies.models import Study
from hits.work.models.items import Item
from tests.crowd.winogavil.annotation.annotators import begin, draw, make_selected, open_batch
from tests.factories import NOW, make_association, make_user, make_worker

pytestmark = pytest.mark.django_db


def task_of(kind: Kind) -> Any:
    return families.get(kind.task)


def pulled() -> set[int]:
    """Ids of the associations whose questions are pulled."""
    away = Annotation.objects.filter(item__pulled_at__isnull=False)
    return set(away.values_list("association_id", flat=True))


def report_word(association: Association) -> None:
    report_cue(association=association, worker=make_worker(), reason="inappropriate", text="", now=NOW)


def report_first_picture(association: Association) -> None:
    picture = association.places.all()[0].picture
    assert picture is not None
    report_picture(picture=picture, reason="inappropriate", text="", by_worker="somebody", now=NOW)


@pytest.mark.parametrize("report", [report_word, report_first_picture])
def test_what_is_reported_is_asked_of_nobody(study: Study, report: Callable[[Association], None]) -> None:
    reported, other = make_selected(study), make_selected(study)
    draw(study, Kind.SKILLS)
    draw(study, Kind.TYPES)

    report(reported)

    assert pulled() == {reported.pk}
    assert Annotation.objects.filter(item__pulled_at__isnull=False).count() == 3
    _, items = begin(open_batch(study, Kind.SKILLS))
    assert [item.annotation.association for item in items] == [other]


def test_what_is_dismissed_is_asked_again(study: Study) -> None:
    association = make_selected(study)
    draw(study, Kind.BASELINE)
    report_word(association)

    decide_report(report=CueReport.objects.get(), uphold=False, by=make_user(), now=NOW)

    assert pulled() == set()
    assert len(begin(open_batch(study, Kind.BASELINE))[1]) == 1


@pytest.mark.parametrize("kind", Kind)
def test_annotator_reports_what_the_page_shows(study: Study, kind: Kind) -> None:
    association = make_selected(study)
    draw(study, kind)
    work, items = begin(open_batch(study, kind))
    page = families.get(kind.task).work_page(assignment=work, items=items)
    word = page.context["reports"][0]["value"]

    form = QueryDict(mutable=True)
    form.update({"about": word, "reason": "inappropriate", "text": "rude"})
    task_of(kind).take_report(form=form, assignment=work, now=NOW)

    report = CueReport.objects.get()
    assert (report.association, report.worker, report.text) == (association, work.worker, "rude")
    assert Item.objects.get(pk=association.item_id).pulled_at == NOW
    assert pulled() == {association.pk}
    # The page does not reveal the association's own item.
    assert str(association.item.public_id) not in str(page.context)


def test_annotator_cannot_report_what_the_page_does_not_show(study: Study) -> None:
    make_selected(study)
    draw(study, Kind.SKILLS)
    work, _ = begin(open_batch(study, Kind.SKILLS))
    elsewhere = make_association(study=study)

    form = QueryDict(mutable=True)
    form.update({"about": f"cue:{elsewhere.item.public_id}", "reason": "inappropriate"})
    with pytest.raises(InvalidAnswer, match="not on this page"):
        task_of(Kind.SKILLS).take_report(form=form, assignment=work, now=NOW)

    assert (CueReport.objects.count(), pulled()) == (0, set())

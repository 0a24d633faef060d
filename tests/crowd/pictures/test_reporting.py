from datetime import datetime, timedelta
from typing import Any

import pytest
from django.test import Client

from crowd.pictures import removal
from crowd.pictures.models import Picture
from crowd.pictures.models.picture_reports import Report
from crowd.pictures.services import picture_reports
from crowd.pictures.services.picture_reports import dismiss_report, report_picture, uphold_report
from crowd.pictures.services.removing_pictures import recheck_pictures, remove_pictures, restore_pictures
from hits.core.errors import RuleBroken
from hits.core.models.audit_events import AuditEvent
from tests.crowd.pictures.images import make_raster
from tests.factories import NOW, make_picture, make_user

pytestmark = pytest.mark.django_db
LATER = NOW + timedelta(minutes=1)
Heard = list[tuple[list[int], bool, datetime]]


@pytest.fixture(autouse=True)
def heard(monkeypatch: pytest.MonkeyPatch) -> Heard:
    """Record what families hear about changed pictures."""
    said: Heard = []
    monkeypatch.setattr(removal, "_listeners", [])
    removal.on_change(lambda *, picture_ids, shown, now: said.append((list(picture_ids), shown, now)))
    return said


def report(picture: Picture, **changes: Any) -> Report:
    values: dict[str, Any] = {"reason": "inappropriate", "by_worker": "W1", "now": NOW}
    return report_picture(picture=picture, **{**values, **changes})


def state(picture: Picture) -> tuple[str, str]:
    picture.refresh_from_db()
    return picture.status, picture.former_status


def test_report_removes_at_once_everywhere(client: Client, heard: Heard) -> None:
    picture = make_picture()

    made = report(picture, text=" It is rude. ")

    answer = client.get(f"/pictures/{picture.key}/")
    assert (answer.status_code, answer["Cache-Control"]) == (410, "no-store")
    assert heard == [([picture.pk], False, NOW)]
    assert (picture.status, state(picture)) == ("removed", ("removed", "fit"))
    assert (made.status, made.text, made.made_at) == ("open", "It is rude.", NOW)
    assert list(Picture.objects.playable()) == []


def test_the_same_worker_reports_a_picture_once(heard: Heard) -> None:
    picture = make_picture()

    first = report(picture)
    again = report(picture, reason="other", text="Still.", now=LATER)

    assert (again, Report.objects.count(), len(heard)) == (first, 1, 1)


def test_reports_of_nobody_known_are_kept_unless_they_say_the_same() -> None:
    picture = make_picture()

    made = [report(picture, by_worker=None, text=text).pk for text in ("one", "one", "two")]

    assert made[0] == made[1] != made[2]
    assert Report.objects.count() == 2


def test_dismissed_report_brings_the_picture_back_and_answers_all(client: Client, heard: Heard) -> None:
    picture = make_picture()
    by, reports = make_user(), [report(picture), report(picture, by_worker="W2")]

    dismiss_report(report=reports[1], by=by, now=LATER)

    assert state(picture) == ("fit", "")
    assert b"".join(client.get(f"/pictures/{picture.key}/")).startswith(b"<svg")
    assert heard == [([picture.pk], False, NOW), ([picture.pk], True, LATER)]
    rows = Report.objects.values_list("status", "decided_by", "decided_at")
    assert list(rows) == [("dismissed", by.pk, LATER)] * 2
    assert AuditEvent.objects.values_list("kind", "by").get() == ("picture.report_dismissed", by.pk)


def test_worker_whose_report_was_dismissed_removes_nothing_again(heard: Heard) -> None:
    picture = make_picture()
    dismiss_report(report=report(picture), by=make_user(), now=NOW)

    report(picture, now=LATER)

    assert state(picture) == ("fit", "")
    assert len(heard) == 2


def test_upheld_report_keeps_the_picture_removed(heard: Heard) -> None:
    picture = make_picture()
    by = make_user()

    uphold_report(report=report(picture), by=by, now=LATER)

    assert state(picture) == ("removed", "fit")
    assert picture.removal_reason == "Reported: The picture is inappropriate"
    assert AuditEvent.objects.get().kind == "picture.report_upheld"
    assert len(heard) == 1


def test_report_is_decided_once() -> None:
    picture = make_picture()
    made = report(picture)
    stale = Report.objects.get()
    uphold_report(report=made, by=make_user(), now=NOW)

    with pytest.raises(RuleBroken) as refused:
        dismiss_report(report=stale, by=make_user(), now=LATER)

    assert refused.value.code == "decided_already"
    assert (state(picture), AuditEvent.objects.count()) == (("removed", "fit"), 1)


def test_report_of_a_picture_that_staff_removed_opens_nothing() -> None:
    picture = make_picture()
    remove_pictures(pictures=[picture], reason="Rights.", by=make_user(), now=NOW)

    late = report(picture, now=LATER)

    assert (late.status, late.decided_at, late.decided_by) == ("upheld", LATER, None)


@pytest.mark.parametrize("status", ["waiting", "unfit"])
def test_dismissal_brings_back_what_was_not_shown_before_as_it_was(status: str, heard: Heard) -> None:
    picture = make_picture()
    Picture.objects.update(status=status, unfit_reason="words" if status == "unfit" else "")

    dismiss_report(report=report(picture), by=make_user(), now=LATER)

    assert state(picture) == (status, "")
    assert heard == []


@pytest.mark.parametrize(
    ("changes", "code"),
    [({"reason": "ugly"}, "unknown_reason"), ({"text": "x" * 501}, "long_text")],
    ids=["reason", "text"],
)
def test_report_that_a_page_could_not_have_sent_is_refused(
    changes: dict[str, str], code: str, heard: Heard
) -> None:
    picture = make_picture()

    with pytest.raises(RuleBroken) as refused:
        report(picture, **changes)

    assert refused.value.code == code
    assert (state(picture), Report.objects.count(), heard) == (("fit", ""), 0, [])


def test_nobody_empties_the_pool_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(picture_reports, "MOST_A_DAY", 2)
    pictures = [make_picture() for _ in range(4)]
    for picture in pictures[:2]:
        report(picture)

    with pytest.raises(RuleBroken) as refused:
        report(pictures[2], now=NOW + timedelta(hours=23))
    report(pictures[2], by_worker="W2")
    report(pictures[3], now=NOW + timedelta(days=1))

    assert refused.value.code == "too_many_reports"
    assert [state(one)[0] for one in pictures] == ["removed"] * 4
    assert Report.objects.filter(by_worker="W1").count() == 3


def test_staff_remove_many_with_one_word_to_the_families(heard: Heard) -> None:
    fit, waiting, gone = make_picture(), make_raster(is_checked=False), make_picture()
    by = make_user()
    report(gone)
    heard.clear()

    count = remove_pictures(pictures=[fit, waiting, gone], reason="The licence ended.", by=by, now=LATER)

    assert count == 2
    assert [state(one) for one in (fit, waiting, gone)] == [
        ("removed", "fit"), ("removed", "waiting"), ("removed", "fit")
    ]  # fmt: skip
    assert heard == [([fit.pk], False, LATER)]
    assert Report.objects.get().status == "upheld"
    assert set(AuditEvent.objects.values_list("kind", "by")) == {("picture.removed", by.pk)}
    assert AuditEvent.objects.count() == 2


def test_staff_restore_and_open_reports_are_dismissed(heard: Heard) -> None:
    fit, waiting, shown = make_picture(), make_raster(is_checked=False), make_picture()
    by = make_user()
    remove_pictures(pictures=[waiting], reason="Rights.", by=by, now=NOW)
    report(fit)
    heard.clear()

    count = restore_pictures(pictures=[fit, waiting, shown], reason="All is well.", by=by, now=LATER)

    assert count == 2
    assert [state(one)[0] for one in (fit, waiting, shown)] == ["fit", "waiting", "fit"]
    assert heard == [([fit.pk], True, LATER)]
    assert Report.objects.get().status == "dismissed"


@pytest.mark.parametrize("reason", ["", " \n", "x" * 201], ids=["none", "blank", "long"])
def test_removal_without_a_proper_reason_is_refused(reason: str, heard: Heard) -> None:
    picture = make_picture()

    with pytest.raises(RuleBroken):
        remove_pictures(pictures=[picture], reason=reason, by=make_user(), now=NOW)

    assert (state(picture), heard, AuditEvent.objects.count()) == (("fit", ""), [], 0)


def test_sent_back_pictures_wait_for_the_check_again(heard: Heard) -> None:
    fit, unfit, gone = make_picture(), make_raster(concept="bitch"), make_picture()
    remove_pictures(pictures=[gone], reason="Rights.", by=make_user(), now=NOW)
    heard.clear()

    count = recheck_pictures(pictures=[fit, unfit, gone], by=make_user(), now=LATER)

    assert count == 2
    assert [state(one)[0] for one in (fit, unfit, gone)] == ["waiting", "waiting", "removed"]
    assert heard == [([fit.pk], False, LATER)]

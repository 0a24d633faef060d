import pytest
from django.test import Client
from django.urls import reverse

from crowd.pictures.models import Picture
from crowd.pictures.models.picture_reports import Report
from crowd.pictures.services.picture_reports import report_picture
from tests.crowd.pictures.staff import sign_in_keeper
from tests.factories import NOW, make_picture
from tests.pages import text_of
from tests.people import sign_in_with

pytestmark = pytest.mark.django_db
LIST = reverse("admin:pictures_report_changelist")


def make_report(concept: str, *, text: str = "", by_worker: str = "W1") -> Report:
    picture = make_picture(concept=concept)
    return report_picture(picture=picture, reason="other", text=text, by_worker=by_worker, now=NOW)


def page_of(report: Report) -> str:
    return reverse("admin:pictures_report_change", args=[report.pk])


def decide(client: Client, report: Report, verdict: str) -> str:
    address = reverse("admin:pictures_report_decide", args=[report.pk])
    return text_of(client.post(address, {"verdict": verdict}, follow=True))


@pytest.mark.parametrize(
    ("query", "concepts"),
    [
        ("", {"owl", "cat"}),
        ("?status=upheld", {"dog"}),
        ("?status=dismissed", set()),
        ("?status=all", {"owl", "cat", "dog"}),
        ("?status=nonsense", {"owl", "cat"}),
        ("?q=rude", {"cat"}),
        ("?q=WORKERSEVEN", {"owl"}),
    ],
)
def test_list_shows_what_waits_and_is_searched(client: Client, query: str, concepts: set[str]) -> None:
    make_report("owl", by_worker="WORKERSEVEN")
    make_report("cat", text="It is rude.")
    upheld = make_report("dog")
    sign_in_keeper(client)
    decide(client, upheld, "uphold")

    answer = client.get(LIST + query)

    assert {report.picture.concept for report in answer.context["cl"].queryset} == concepts


def test_report_shows_the_picture_and_what_else_was_said(client: Client) -> None:
    report = make_report("owl", text="<b>It is rude.</b>")
    report_picture(picture=report.picture, reason="missing", by_worker="W2", now=NOW)
    sign_in_keeper(client)

    page = text_of(client.get(page_of(report)))

    assert "&lt;b&gt;It is rude.&lt;/b&gt;" in page
    assert "The picture is missing" in page
    assert f"/picture/{report.picture_id}/file/480/" in page


def test_decisions_lead_to_the_next_report(client: Client) -> None:
    first, second = make_report("owl"), make_report("cat")
    sign_in_keeper(client)

    after_first = decide(client, first, "dismiss")
    after_second = decide(client, second, "uphold")

    assert "The picture is back." in after_first
    assert "Report of “cat”" in after_first
    assert "The picture stays removed." in after_second
    assert list(Picture.objects.order_by("pk").values_list("status", flat=True)) == ["fit", "removed"]


def test_report_that_a_colleague_decided_is_left_alone(client: Client) -> None:
    report = make_report("owl")
    sign_in_keeper(client)
    decide(client, report, "uphold")

    page = decide(client, report, "dismiss")

    assert "This report has been decided already." in page
    assert (Picture.objects.get().status, Report.objects.get().status) == ("removed", "upheld")


def test_decision_that_is_none_changes_nothing(client: Client) -> None:
    report = make_report("owl")
    sign_in_keeper(client)

    assert "Choose whether" in decide(client, report, "maybe")
    assert Report.objects.get().status == "open"


def test_who_may_only_look_decides_nothing(client: Client) -> None:
    report = make_report("owl")
    sign_in_with(client, "view_report", "view_picture")

    page = text_of(client.get(page_of(report)))
    answer = client.post(reverse("admin:pictures_report_decide", args=[report.pk]), {"verdict": "dismiss"})

    assert "Dismiss the report: show the picture again" not in page
    assert (answer.status_code, Report.objects.get().status) == (403, "open")


def test_report_that_is_none_is_not_found(client: Client) -> None:
    sign_in_keeper(client)

    assert [client.get(f"{LIST}{key}/change/").status_code for key in ("999", "x", "9" * 30)] == [404] * 3

"""The list of the pool, one picture, and what staff do to many of them."""

import csv
from io import StringIO
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from crowd.pictures.models import Import, Picture
from crowd.pictures.models.picture_reports import Report
from crowd.pictures.services.flagged_pictures import drop_flagged
from crowd.pictures.services.picture_reports import report_picture
from crowd.pictures.services.preparation import prepare_pictures
from hits.core.models.audit_events import AuditEvent
from scoring.models import PoolPicture
from tests.crowd.pictures.images import make_raster, make_waiting
from tests.crowd.pictures.staff import sign_in_keeper
from tests.factories import NOW, make_picture, make_user
from tests.pages import text_of
from tests.people import sign_in_with

pytestmark = pytest.mark.django_db
LIST = reverse("admin:pictures_picture_changelist")
LIST_FILE = reverse("admin:pictures_picture_list_file")


def do(name: str) -> str:
    return reverse("admin:pictures_picture_do", args=[name])


def file_of(picture: Picture) -> str:
    return reverse("admin:pictures_picture_file", args=[picture.pk])


def shown(client: Client, query: str) -> set[str]:
    answer = client.get(LIST + query)
    return {picture.concept for picture in answer.context["cl"].queryset}


def test_list_tells_what_waits_and_leads_on(client: Client) -> None:
    make_waiting(2)
    report_picture(picture=make_picture(), reason="missing", by_worker=None, now=NOW)
    make_picture()
    sign_in_keeper(client)

    page = client.get(LIST).text

    assert "4 pictures in the pool, 1 of them fit to be shown." in " ".join(page.split())
    assert "Check: 2 wait," not in page
    assert "Check: 2 wait" in page
    assert "Reports: 1 open" in page


def make_flagged(*, seed: int, concept: str = "library", words: str = "Brary") -> Picture:
    """A picture that the letters on it have made unfit."""
    picture = make_raster(seed=seed, concept=concept)
    found = {"shows_words": True, "ocr_text": words, "shows_concept": concept == "library"}
    Picture.objects.filter(pk=picture.pk).update(read_by="fake 1", **found)
    drop_flagged(now=NOW)
    return Picture.objects.get(pk=picture.pk)


def test_flagged_pictures_are_named_with_the_letters_and_allowed_one_by_one(client: Client) -> None:
    picture = make_flagged(seed=1)
    sign_in_keeper(client)
    change = reverse("admin:pictures_picture_change", args=[picture.pk])

    listed = " ".join(client.get(LIST).text.split())
    before = text_of(client.get(change))
    client.post(do("allow"), {"pictures": str(picture.pk)})
    allowed = Picture.objects.get()
    after = text_of(client.get(change))
    client.post(do("disallow"), {"pictures": str(picture.pk)})

    assert "Letters were found on 1 picture, which is unfit until somebody says otherwise" in listed
    assert "It shows its concept: “brary”" in listed
    assert f"{do('allow')}?pictures={picture.pk}" in before
    assert "nobody has looked at it yet" in before
    assert allowed.status == "fit"
    assert f"{do('disallow')}?pictures={picture.pk}" in after
    assert Picture.objects.get().status == "unfit"


def test_flagged_pictures_are_allowed_and_taken_back_in_bulk(client: Client) -> None:
    pictures = [make_flagged(seed=seed) for seed in range(3)]
    sign_in_keeper(client)
    keys = ",".join(str(one.pk) for one in pictures)

    said = text_of(client.post(do("allow"), {"pictures": keys}, follow=True))
    fit = Picture.objects.playable().count()
    undone = text_of(client.post(do("disallow"), {"pictures": keys}, follow=True))

    assert "3 pictures allowed in spite of letters." in said
    assert (fit, Picture.objects.undecided().count()) == (3, 3)
    assert "3 pictures made unfit for letters again." in undone


def test_empty_pool_says_what_to_do(client: Client) -> None:
    sign_in_keeper(client)

    assert "The pool is empty." in text_of(client.get(LIST))


@pytest.mark.parametrize(
    ("query", "concepts"),
    [
        ("?status__exact=waiting", {"fresh"}),
        ("?flag=undecided", {"letters"}),
        ("?flag=overruled", {"sign"}),
        ("?flag=words", {"sign", "letters"}),
        ("?flag=concept", {"sign"}),
        ("?flag=profane", {"bitch"}),
        ("?flag=reported", {"rude"}),
        ("?flag=problem", {"broken"}),
        ("?flag=nonsense", {"fresh", "sign", "bitch", "rude", "broken", "letters"}),
        ("?q=STOP", {"sign"}),
        ("?q=by-nc", {"rude"}),
        ("?q=nothing", set()),
    ],
)
def test_list_is_filtered_and_searched(client: Client, query: str, concepts: set[str]) -> None:
    make_raster(seed=1, concept="fresh", is_checked=False)
    sign = make_raster(seed=2, concept="sign")
    Picture.objects.filter(pk=sign.pk).update(
        shows_words=True, shows_concept=True, ocr_text="STOP sign", checked_at=NOW
    )
    make_raster(seed=3, concept="bitch")
    rude = make_raster(seed=4, concept="rude", licence="CC BY-NC")
    report_picture(picture=rude, reason="other", by_worker="W1", now=NOW)
    broken = make_raster(seed=5, concept="broken")
    Picture.objects.filter(pk=broken.pk).update(problem="Gone.")
    make_flagged(seed=6, concept="letters")
    sign_in_keeper(client)

    assert shown(client, query) == concepts


def test_list_file_holds_what_the_list_shows_and_no_formulas(client: Client) -> None:
    make_raster(seed=1, concept="=SUM(A1)", source="@home", is_checked=False)
    make_raster(seed=2, concept="owl")
    sign_in_keeper(client)

    answer = client.get(f"{LIST_FILE}?status__exact=waiting")

    rows = list(csv.DictReader(StringIO(b"".join(answer).decode("utf-8-sig"))))
    assert answer["Content-Disposition"] == 'attachment; filename="pictures.csv"'
    assert [(row["concept"], row["source"], row["shows_words"]) for row in rows] == [
        ("'=SUM(A1)", "'@home", "0")
    ]


def test_staff_see_pictures_in_every_state(client: Client) -> None:
    waiting, gone = make_raster(seed=1, is_checked=False), make_raster(seed=2)
    report_picture(picture=gone, reason="other", by_worker=None, now=NOW)
    prepare_pictures(now=NOW)
    sign_in_keeper(client)

    answers = [client.get(file_of(one)) for one in (waiting, gone)]
    small = client.get(reverse("admin:pictures_picture_thumbnail", args=[gone.pk, 160]))

    assert [b"".join(one)[:4] for one in (*answers, small)] == [b"\x89PNG", b"\x89PNG", b"RIFF"]
    assert {one["Cache-Control"] for one in (*answers, small)} == {"private, max-age=300"}


def test_mended_words_reach_the_rivals(client: Client) -> None:
    picture = make_raster(concept="owl")
    sign_in_keeper(client)
    words = {"concept": " snow_owl ", "caption": "", "source": "A book", "credit": "", "licence": "CC0"}

    answer = client.post(reverse("admin:pictures_picture_change", args=[picture.pk]), words)

    assert answer.status_code == 302
    saved = Picture.objects.get()
    assert (saved.concept, saved.licence, saved.status) == ("snow owl", "CC0", "fit")
    assert PoolPicture.objects.get().caption == "snow owl"


def test_picture_keeps_a_concept(client: Client) -> None:
    picture = make_raster(concept="owl")
    sign_in_keeper(client)
    words = {"concept": "7", "caption": "", "source": "", "credit": "", "licence": ""}

    answer = client.post(reverse("admin:pictures_picture_change", args=[picture.pk]), words)

    assert "Say in a word what the picture shows." in answer.text
    assert Picture.objects.get().concept == "owl"


@pytest.mark.parametrize("action", ["remove", "restore", "recheck", "allow", "disallow"])
def test_action_asks_first_and_changes_nothing(client: Client, action: str) -> None:
    first, second = make_raster(seed=1), make_raster(seed=2)
    sign_in_keeper(client)

    answer = client.post(LIST, {"action": action, "_selected_action": [first.pk, second.pk]})

    assert f'value="{first.pk},{second.pk}"' in answer.text
    assert "<strong>2 pictures</strong>" in answer.text
    assert set(Picture.objects.values_list("status", flat=True)) == {"fit"}


def test_many_are_removed_and_restored_for_the_record(client: Client) -> None:
    first, second = make_raster(seed=1), make_raster(seed=2)
    user = sign_in_keeper(client)
    both = f"{first.pk},{second.pk}"

    client.post(do("remove"), {"pictures": both, "reason": "The licence ended."})
    removed = set(Picture.objects.values_list("status", "removal_reason"))
    client.post(do("restore"), {"pictures": str(first.pk), "reason": "It did not."})

    assert removed == {("removed", "The licence ended.")}
    assert list(Picture.objects.order_by("pk").values_list("status", flat=True)) == ["fit", "removed"]
    notes = AuditEvent.objects.order_by("pk").values_list("kind", "by")
    assert list(notes) == [("picture.removed", user.pk)] * 2 + [("picture.restored", user.pk)]


def test_removal_without_a_reason_asks_again(client: Client) -> None:
    picture = make_raster()
    sign_in_keeper(client)

    answer = client.post(do("remove"), {"pictures": str(picture.pk), "reason": " "})

    assert answer.status_code == 409
    assert "Say why, for the record." in answer.text
    assert Picture.objects.get().status == "fit"


@pytest.mark.parametrize("given", ["", "x", "999999", "9" * 40])
def test_verb_about_no_picture_is_not_found(client: Client, given: str) -> None:
    make_raster()
    sign_in_keeper(client)

    assert client.post(do("remove"), {"pictures": given, "reason": "Odd."}).status_code == 404
    assert Picture.objects.get().status == "fit"


def test_prepare_again_puts_pictures_into_the_queue(client: Client) -> None:
    picture = make_raster()
    prepare_pictures(now=NOW)
    sign_in_keeper(client)

    client.post(LIST, {"action": "prepare_again", "_selected_action": [picture.pk]})

    assert Picture.objects.get().prepared_at is None


def _requests(picture: Picture) -> list[tuple[str, str, str, dict[str, Any]]]:
    one = str(picture.pk)
    check, report = reverse("admin:pictures_check"), reverse("admin:pictures_report_changelist")
    return [
        ("view_picture", "get", LIST, {}),
        ("view_picture", "get", LIST_FILE, {}),
        ("view_picture", "get", file_of(picture), {}),
        ("view_picture", "get", reverse("admin:pictures_picture_change", args=[picture.pk]), {}),
        ("remove_picture", "post", do("remove"), {"pictures": one, "reason": "Odd."}),
        ("remove_picture", "post", do("restore"), {"pictures": one, "reason": "Odd."}),
        ("check_picture", "post", do("recheck"), {"pictures": one}),
        ("check_picture", "post", do("allow"), {"pictures": one}),
        ("check_picture", "post", do("disallow"), {"pictures": one}),
        ("check_picture", "get", check, {}),
        ("check_picture", "post", f"{check}decide/", {"picture": one, "verdict": "fit"}),
        ("check_picture", "post", f"{check}undo/", {}),
        ("view_report", "get", report, {}),
        ("import_picture", "get", reverse("admin:pictures_import_changelist"), {}),
        ("import_picture", "get", reverse("admin:pictures_import_add"), {}),
        ("import_picture", "post", reverse("admin:pictures_import_add"), {}),
    ]


@pytest.mark.parametrize("number", range(16))
def test_every_page_asks_for_its_permission(client: Client, number: int) -> None:
    picture = make_raster()
    permission, method, address, data = _requests(picture)[number]
    others = {row[0] for row in _requests(picture)} - {permission}

    sign_in_with(client, *others)
    refused = getattr(client, method)(address, data)
    before = Picture.objects.values().get()
    sign_in_with(client, permission)
    allowed = getattr(client, method)(address, data)
    if allowed.streaming:
        b"".join(allowed)

    assert refused.status_code == 403
    assert before["status"] == "fit"
    assert allowed.status_code in (200, 302)


def _count(client: Client, address: str) -> int:
    with CaptureQueriesContext(connection) as queries:
        assert client.get(address).status_code == 200
    return len(queries)


def _fill(seeds: range) -> None:
    for seed in seeds:
        picture = make_raster(seed=seed, concept="owl")
        Picture.objects.filter(pk=picture.pk).update(checked_by=make_user(), checked_at=NOW)
        report = report_picture(picture=picture, reason="other", by_worker=f"W{seed}", now=NOW)
        Report.objects.filter(pk=report.pk).update(status="upheld", decided_by=make_user(), decided_at=NOW)
        Import.objects.create(name="owls.zip", made_by=make_user(), made_at=NOW)


@pytest.mark.parametrize("model", ["picture", "report", "import"])
def test_lists_ask_as_little_of_a_large_pool(client: Client, model: str) -> None:
    address = reverse(f"admin:pictures_{model}_changelist") + ("?status=all" if model == "report" else "")
    sign_in_keeper(client)
    _fill(range(2))
    client.get(address)

    few = _count(client, address)
    _fill(range(2, 8))
    many = _count(client, address)

    assert few == many <= 10

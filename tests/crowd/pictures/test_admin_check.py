"""The manual check, page by page and without scripts."""

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from crowd.pictures.admin import checking_pages
from crowd.pictures.models import Picture, Unfit
from crowd.pictures.services.manual_check import claim_picture
from tests.crowd.pictures.images import make_raster, make_waiting
from tests.crowd.pictures.staff import sign_in_keeper
from tests.factories import make_picture, make_user
from tests.pages import text_of

pytestmark = pytest.mark.django_db
CHECK = reverse("admin:pictures_check")


def decide(client: Client, picture: Picture, **given: str) -> str:
    return text_of(client.post(f"{CHECK}decide/", {"picture": picture.pk, **given}, follow=True))


def plain(page: str) -> str:
    return " ".join(page.split())


def test_check_shows_one_picture_with_all_that_is_known(client: Client) -> None:
    first, second = make_waiting(2)
    make_picture()
    Picture.objects.filter(pk=first.pk).update(
        shows_words=True, ocr_text="STOP", licence="CC0", source="https://example.org/stop"
    )
    sign_in_keeper(client)

    page = plain(client.get(CHECK).text)

    assert "<strong>1 of 3</strong> checked; 2 wait" in page
    assert f"/picture/{first.pk}/file/" in page
    assert f'<link rel="prefetch" href="/admin/pictures/picture/{second.pk}/file/"' in page
    for words in ("thing a", "It shows written words", "STOP", "CC0", 'href="https://example.org/stop"'):
        assert words in page
    assert Picture.objects.get(pk=first.pk).claimed_until is not None


def test_verdicts_lead_to_the_next_picture(client: Client) -> None:
    first, second, third = make_waiting(3)
    user = sign_in_keeper(client)

    after_fit = decide(client, first, verdict="fit")
    after_unfit = decide(client, second, reason="quality")
    after_skip = decide(client, third, verdict="skip")

    assert "thing b" in after_fit
    assert "thing c" in after_unfit
    assert "thing c" in after_skip
    rows = Picture.objects.order_by("pk").values_list("status", "unfit_reason", "checked_by")
    assert list(rows) == [("fit", "", user.pk), ("unfit", "quality", user.pk), ("waiting", "", None)]


def test_undo_brings_the_last_one_back(client: Client) -> None:
    first, _ = make_waiting(2)
    sign_in_keeper(client)
    offered = decide(client, first, verdict="fit")

    page = text_of(client.post(f"{CHECK}undo/", follow=True))

    assert "Undo “thing a”" in offered
    assert "Undone: “thing a” is yours to check again." in page
    assert f"/picture/{first.pk}/file/" in page
    assert Picture.objects.get(pk=first.pk).status == "waiting"


def test_nothing_to_undo_is_said(client: Client) -> None:
    sign_in_keeper(client)

    assert "nothing to undo" in text_of(client.post(f"{CHECK}undo/", follow=True))


def test_verdict_on_a_picture_before_a_colleague_is_refused(client: Client) -> None:
    first, second = make_waiting(2)
    claim_picture(by=make_user(), now=timezone.now())
    sign_in_keeper(client)

    page = decide(client, first, verdict="fit")

    assert "A colleague is checking this picture now" in page
    assert f"/picture/{second.pk}/file/" in page
    assert Picture.objects.get(pk=first.pk).status == "waiting"


@pytest.mark.parametrize(
    "given", [{}, {"verdict": "x"}, {"reason": "ugly"}], ids=["nothing", "verdict", "reason"]
)
def test_verdict_that_is_none_changes_nothing(client: Client, given: dict[str, str]) -> None:
    (picture,) = make_waiting(1)
    sign_in_keeper(client)

    assert "Say why the picture is unfit." in decide(client, picture, **given)
    assert Picture.objects.get().status == "waiting"


@pytest.mark.parametrize("key", ["", "x", "999", "9" * 30])
def test_verdict_on_no_picture_is_not_found(client: Client, key: str) -> None:
    sign_in_keeper(client)

    assert client.post(f"{CHECK}decide/", {"picture": key, "verdict": "fit"}).status_code == 404


def test_the_end_of_a_check_names_what_was_set_aside_for_its_letters(client: Client) -> None:
    sign_in_keeper(client)
    make_picture()
    before = text_of(client.get(CHECK))
    flagged = Picture.objects.filter(pk=make_picture().pk)
    flagged.update(status="unfit", unfit_reason=Unfit.WORDS, flagged_at=timezone.now(), checked_at=None)

    page = text_of(client.get(CHECK))

    assert "1 picture set aside for letters that were read on it." in plain(page)
    assert f'href="{reverse("admin:pictures_picture_changelist")}?flag=undecided"' in page
    assert "set aside" not in before


def test_empty_queues_say_why(client: Client) -> None:
    sign_in_keeper(client)
    nothing = text_of(client.get(CHECK))
    make_picture()
    all_done = text_of(client.get(CHECK))
    make_raster(is_checked=False)
    claim_picture(by=make_user(), now=timezone.now())
    taken = text_of(client.get(CHECK))

    assert "No pictures yet" in nothing
    assert "All checked" in all_done
    assert "Nothing for you now" in taken


def test_letters_that_nobody_has_looked_for_yet_are_not_called_none(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_waiting(1)
    sign_in_keeper(client)
    monkeypatch.setattr(checking_pages, "installed_reader", lambda: None)
    without = text_of(client.get(CHECK))
    monkeypatch.setattr(checking_pages, "installed_reader", object)
    waiting = text_of(client.get(CHECK))

    assert "Nothing odd was found about it." in without
    assert "Nobody has looked for letters on it yet." in waiting


def test_check_asks_as_few_questions_of_a_large_pool(
    client: Client, django_assert_max_num_queries: pytest.FixtureRequest
) -> None:
    make_waiting(9)
    sign_in_keeper(client)
    client.get(CHECK)

    with django_assert_max_num_queries(9):  # type: ignore[operator]
        client.get(CHECK)

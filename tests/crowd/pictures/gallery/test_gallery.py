"""The gallery of the pool: what it shows, and what is done to what was chosen in it."""

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils.html import strip_tags

from crowd.pictures.admin import gallery
from crowd.pictures.models import Picture
from crowd.pictures.services import bulk_check
from tests.crowd.pictures.images import make_waiting
from tests.crowd.pictures.staff import sign_in_keeper
from tests.crowd.pictures.test_flagged import make_written
from tests.factories import make_picture
from tests.pages import text_of
from tests.people import sign_in_with

pytestmark = pytest.mark.django_db
GALLERY = reverse("admin:pictures_gallery")
UNDO = reverse("admin:pictures_gallery_undo")
WAITING = "?status__exact=waiting"


@pytest.fixture(autouse=True)
def _no_reader(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bulk_check, "installed_reader", lambda: None)


def do(name: str) -> str:
    return reverse("admin:pictures_picture_do", args=[name])


def statuses() -> list[str]:
    return list(Picture.objects.order_by("pk").values_list("status", flat=True))


def test_gallery_shows_each_picture_with_its_state_and_license(client: Client) -> None:
    make_written("Library", seed=17)
    make_waiting(2)
    make_picture(concept="owl", licence="CC BY 4.0")
    sign_in_keeper(client)

    page = client.get(GALLERY)

    words = " ".join(strip_tags(page.text).split())
    assert "thing a Waits for the check No license named" in words
    assert "owl Fit CC BY 4.0" in words
    assert "It shows its concept: “library”" in words
    assert page.text.count('loading="lazy"') == 4
    assert page.text.count('width="128" height="128"') == 4
    assert "Check one by one: 2 wait" in words


def test_search_and_filters_are_those_of_the_list(client: Client) -> None:
    make_waiting(3)
    make_picture(concept="owl")
    sign_in_keeper(client)

    for query, concepts in [
        ("?q=owl", ["owl"]),
        (WAITING, ["thing a", "thing b", "thing c"]),
        ("?q=nothing", []),
    ]:
        page = client.get(GALLERY + query)
        assert sorted(one.concept for one, _, _ in page.context["tiles"]) == concepts
    assert "No picture matches." in page.text
    assert client.get(f"{GALLERY}?nonsense=1").status_code == 302


def test_chosen_pictures_are_marked_as_fit_after_a_look_and_undone(client: Client) -> None:
    pictures = make_waiting(3)
    sign_in_keeper(client)

    asked = client.post(GALLERY + WAITING, {"action": "fit", "picture": [pictures[0].pk, pictures[1].pk]})

    assert statuses() == ["waiting", "waiting", "waiting"]
    assert "2 pictures become fit." in text_of(asked)
    assert asked.context["at"] == do("fit")
    hidden = dict(asked.context["hidden"])
    done = client.post(do("fit"), hidden, follow=True)
    assert done.redirect_chain == [(GALLERY + WAITING, 302)]
    assert statuses() == ["fit", "fit", "waiting"]
    assert "Undo: 2 pictures marked as fit" in text_of(done)

    undone = client.post(UNDO, {"gallery": "status__exact=waiting"}, follow=True)

    assert undone.redirect_chain == [(GALLERY + WAITING, 302)]
    assert statuses() == ["waiting", "waiting", "waiting"]
    assert "Undone: 2 pictures wait for the check again." in text_of(undone)
    assert "nothing to undo" in text_of(client.post(UNDO, follow=True))


def test_all_that_match_are_marked_across_pages_with_what_is_left_out(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = make_written("Library", seed=17, is_checked=False)
    make_waiting(4)
    make_picture()
    sign_in_keeper(client)

    asked = client.post(GALLERY + WAITING, {"action": "fit", "all": "yes"})
    words = text_of(asked)

    assert "Mark as fit: 4 pictures" in words
    assert "Left as they are: 1, which show letters" in words
    client.post(do("fit"), dict(asked.context["hidden"]))
    assert statuses() == ["waiting", "fit", "fit", "fit", "fit", "fit"]
    assert Picture.objects.get(status="waiting") == written

    monkeypatch.setattr(gallery, "MOST", 3)
    refused = client.post(GALLERY, {"action": "recheck", "all": "yes"}, follow=True)
    assert "6 pictures are too many at once" in text_of(refused)
    assert statuses().count("fit") == 5


def test_unfit_asks_for_a_reason_and_keeps_the_way_back(client: Client) -> None:
    picture = make_waiting(1)[0]
    sign_in_keeper(client)
    asked = client.post(GALLERY + WAITING, {"action": "unfit", "picture": picture.pk})
    hidden = dict(asked.context["hidden"])

    refused = client.post(do("unfit"), {**hidden, "reason": ""})

    assert refused.status_code == 409
    assert "Say why the pictures are unfit." in text_of(refused)
    assert statuses() == ["waiting"]
    done = client.post(do("unfit"), {**dict(refused.context["hidden"]), "reason": "quality"})
    assert (done.status_code, done.headers["Location"]) == (302, GALLERY + WAITING)
    picture.refresh_from_db()
    assert (picture.status, picture.unfit_reason) == ("unfit", "quality")


def test_nothing_chosen_or_nothing_to_mark_changes_nothing(client: Client) -> None:
    fit = make_picture()
    sign_in_keeper(client)

    assert "Choose pictures first." in text_of(client.post(GALLERY, {"action": "fit"}, follow=True))
    blocked = client.post(GALLERY, {"action": "fit", "picture": fit.pk})
    assert "There is nothing to mark." in text_of(blocked)
    assert client.post(GALLERY, {"action": "sell", "picture": fit.pk}).status_code == 404
    assert client.post(f"{GALLERY}?pk__in=x", {"action": "fit", "all": "yes"}).status_code in (400, 404)
    assert statuses() == ["fit"]


def test_who_may_not_check_looks_and_marks_nothing(client: Client) -> None:
    picture = make_waiting(1)[0]
    sign_in_with(client, "view_picture")

    page = client.get(GALLERY)

    assert "thing a" in page.text
    assert 'name="picture"' not in page.text
    assert client.post(GALLERY, {"action": "fit", "picture": picture.pk}).status_code == 403
    assert client.post(do("fit"), {"pictures": picture.pk, "confirmed": "yes"}).status_code == 403
    assert client.post(UNDO).status_code == 403
    assert statuses() == ["waiting"]


def test_gallery_takes_the_same_queries_for_one_picture_and_for_nine(client: Client) -> None:
    sign_in_keeper(client)

    def count() -> int:
        with CaptureQueriesContext(connection) as queries:
            client.get(GALLERY)
        return len(queries)

    make_waiting(1)
    count()
    one = count()
    make_waiting(9)

    assert count() == one
    assert one <= 16


def test_list_gallery_and_check_lead_to_each_other(client: Client) -> None:
    make_waiting(1)
    sign_in_keeper(client)
    pool, check = reverse("admin:pictures_picture_changelist"), reverse("admin:pictures_check")

    assert f'href="{GALLERY}?q=thing"' in client.get(f"{pool}?q=thing").text
    assert f'href="{pool}?q=thing"' in client.get(f"{GALLERY}?q=thing").text
    assert f'href="{check}"' in client.get(GALLERY).text
    assert f'href="{GALLERY}{WAITING}"' in client.get(check).text

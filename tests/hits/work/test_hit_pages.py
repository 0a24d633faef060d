"""The list of HITs and a HIT's own page: searching, looking and steering."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone
from django.utils.dateformat import format as format_date

from hits.batches.models import BatchEvent
from hits.work.models.early_ends import EarlyEnd
from hits.work.models.hits import HIT, Change
from tests.factories import NOW, make_assignment, make_batch, make_hit, make_study, make_user
from tests.hits.ended_early import end_early
from tests.pages import text_of
from tests.people import sign_in_with

pytestmark = pytest.mark.django_db
STEERS = ("view_hit", "view_batch", "steer_batch")
LIST = "/admin/hits/hit/"


def page_url(hit: HIT) -> str:
    return reverse("admin:hits_hit_change", args=[hit.pk])


def steer_url(hit: HIT, verb: str) -> str:
    return reverse("admin:hits_hit_steer", args=[hit.pk, verb])


def listed(client: Client, query: str) -> list[int]:
    return [hit.pk for hit in client.get(f"{LIST}?{query}").context["cl"].result_list]


def as_of(page: Any) -> str:
    """The state that the page was made from, as its form sends it."""
    return str(dict(page.context["hidden"])["as_of"])


def date_of(at: datetime) -> str:
    return format_date(at, "j M Y, H:i")


def choose(client: Client, action: str, *hits: HIT, query: str = "", **more: Any) -> Any:
    """Choose an action of the list for these HITs."""
    form = {"action": action, "_selected_action": [hit.pk for hit in hits], **more}
    return client.post(f"{LIST}?{query}", form, follow=True)


def test_list_shows_how_far_each_hit_is(client: Client) -> None:
    sign_in_with(client, "view_hit", "see_all_studies")
    hit = make_hit(number=7, look_at=timezone.now() + timedelta(minutes=10, seconds=30))
    make_assignment(hit=hit, status="submitted")
    make_assignment(hit=hit)

    text = text_of(client.get(LIST))

    assert '<span class="progress">1 of 3<progress max="3" value="1"' in text
    assert '<td class="field-number_number">7</td>' in text
    assert "in 10 minutes" in text


def test_list_is_narrowed_by_batch_number_and_status(client: Client) -> None:
    sign_in_with(client, "view_hit", "see_all_studies")
    one, two = make_batch(status="open"), make_batch(status="open")
    first, second = make_hit(batch=one, number=1), make_hit(batch=one, number=2, status="closed")
    other = make_hit(batch=two, number=1)

    assert listed(client, f"batch={one.pk}") == [second.pk, first.pk]
    assert listed(client, f"batch={one.pk}&q=%231") == [first.pk]
    assert listed(client, "status__exact=closed") == [second.pk]
    assert listed(client, f"batch={two.pk}") == [other.pk]
    assert listed(client, "batch=x") == []


@pytest.mark.parametrize("query", ["", "nowhere", "#x", "#99999999999999999999", "%", "a b c"])
def test_search_that_finds_nothing_says_so(client: Client, query: str) -> None:
    sign_in_with(client, "view_hit", "see_all_studies")
    make_hit()

    page = client.get(LIST, {"q": query})

    assert (page.status_code, len(page.context["cl"].result_list)) == (200, 0 if query else 1)


def test_search_finds_whole_ids_of_ours_and_of_the_provider(client: Client) -> None:
    sign_in_with(client, "view_hit", "see_all_studies")
    first, second, _ = make_hit(), make_hit(), make_hit()

    assert listed(client, f"q={first.external_id}") == [first.pk]
    assert listed(client, f"q={first.public_id}+{second.external_id}") == [second.pk, first.pk]


def test_trouble_is_found(client: Client) -> None:
    sign_in_with(client, "view_hit", "see_all_studies")
    lost, refused, waiting = make_hit(problem="It is gone."), make_hit(), make_hit()
    make_hit()
    Change.objects.create(hit=refused, kind="expire", status="refused", problem="No.", made_at=NOW)
    Change.objects.create(hit=waiting, kind="expire", made_at=NOW)

    assert listed(client, "trouble=yes") == [lost.pk]
    assert listed(client, "trouble=refused") == [refused.pk]
    assert listed(client, "trouble=waiting") == [waiting.pk]


def test_hits_of_somebody_elses_study_are_not_found(client: Client) -> None:
    user = sign_in_with(client, *STEERS)
    own = make_hit(batch=make_batch(status="open", study=make_study()))
    own.batch.study.members.add(user)
    theirs = make_hit()

    pages = [client.get(page_url(theirs)), client.get(steer_url(theirs, "expire"))]
    choose(client, "expire", theirs, confirmed="yes", as_of="0-1")

    assert listed(client, "") == [own.pk]
    assert listed(client, f"batch={theirs.batch_id}") == []
    assert [page.status_code for page in pages] == [404, 404]
    assert not Change.objects.exists()


def test_actions_need_the_permission_to_steer(client: Client) -> None:
    sign_in_with(client, "view_hit", "view_batch", "change_batch", "see_all_studies")
    hit = make_hit()

    page = client.get(page_url(hit))
    single = client.post(steer_url(hit, "expire"), {"confirmed": "yes", "as_of": "0-1"})
    choose(client, "expire", hit, confirmed="yes", as_of="0-1")

    assert page.context["verbs"] == []
    assert single.status_code == 403
    assert (Change.objects.count(), BatchEvent.objects.count()) == (0, 0)


def test_a_hit_that_ended_before_its_time_says_so_until_it_is_lengthened(client: Client) -> None:
    sign_in_with(client, "view_hit", "see_all_studies")
    hit, _other = make_hit(), make_hit()
    end_early(hit)

    found = listed(client, "trouble=ended")
    page = text_of(client.get(page_url(hit)))
    EarlyEnd.objects.update(reason="They show people")
    with_reason = text_of(client.get(page_url(hit)))
    HIT.objects.filter(pk=hit.pk).update(expires_at=NOW + timedelta(days=9))

    assert found == [hit.pk]
    assert f"This HIT was ended at the marketplace on {date_of(NOW)} (UTC), and not from here." in page
    assert "Ask those who run the marketplace why, or send another." in page
    assert "operator writes: “They show people”. Ask them, or send another." in with_reason
    assert f"<dt>Starting ended (UTC)</dt><dd>{date_of(NOW)}</dd>" in page
    assert "was ended at the marketplace" not in text_of(client.get(page_url(hit)))
    assert listed(client, "trouble=ended") == []


def test_expiring_a_selection_asks_first(client: Client) -> None:
    user = sign_in_with(client, *STEERS, "see_all_studies")
    batch = make_batch(status="open")
    hits = [make_hit(batch=batch) for _ in range(3)]

    asked = choose(client, "expire", *hits[:2])
    unchanged = Change.objects.count()
    done = choose(client, "expire", *hits[:2], confirmed="yes", as_of=as_of(asked))

    assert "2 HITs of 1 batch." in text_of(asked)
    assert unchanged == 0
    assert "2 changes on the way to the provider." in text_of(done)
    assert [(change.hit, change.kind, change.by) for change in Change.objects.order_by("pk")] == [
        (hits[0], "expire", user),
        (hits[1], "expire", user),
    ]


def test_everything_that_a_filter_finds_can_be_selected(client: Client) -> None:
    sign_in_with(client, *STEERS, "see_all_studies")
    batch = make_batch(status="open")
    hits = [make_hit(batch=batch) for _ in range(3)]
    make_hit()
    query = f"batch={batch.pk}"

    asked = choose(client, "extend", hits[0], query=query, select_across="1", asked="yes", hours=24)
    carried = dict(asked.context["hidden"])
    form = {**carried, "hours": 24, "confirmed": "yes", "as_of": as_of(asked)}
    client.post(f"{LIST}?{query}", form)

    assert "3 HITs can be started for 1 day longer." in text_of(asked)
    assert {change.hit for change in Change.objects.all()} == set(hits)


def test_selection_that_has_grown_meanwhile_is_asked_about_again(client: Client) -> None:
    sign_in_with(client, *STEERS, "see_all_studies")
    batch = make_batch(status="open")
    hit = make_hit(batch=batch)
    query = f"batch={batch.pk}"
    asked = choose(client, "expire", hit, query=query, select_across="1")
    make_hit(batch=batch)

    choose(
        client,
        "expire",
        hit,
        query=query,
        select_across="1",
        confirmed="yes",
        as_of=as_of(asked),
    )

    assert not Change.objects.exists()


def test_places_of_a_selection_show_their_cost_and_are_added_once(client: Client) -> None:
    sign_in_with(client, *STEERS, "see_all_studies")
    batch = make_batch(status="open")
    hits = [make_hit(batch=batch) for _ in range(2)]

    asked = choose(client, "add_places", *hits, asked="yes", places=2)
    form: dict[str, Any] = {"confirmed": "yes", "as_of": as_of(asked), "places": 2}
    choose(client, "add_places", *hits, **form)
    Change.objects.update(status="done")
    choose(client, "add_places", *hits, **form)

    assert "$0.16" in asked.context["confirm"].cost
    assert [change.places for change in Change.objects.all()] == [2, 2]


def test_hits_that_were_never_sent_cannot_be_changed(client: Client) -> None:
    sign_in_with(client, *STEERS, "see_all_studies")
    hit = make_hit(status="intended", external_id="", sent_at=None)

    answer = choose(client, "expire", hit)

    assert "The provider has none of these HITs" in text_of(answer)
    assert client.get(page_url(hit)).context["verbs"] == []


def test_one_hit_is_steered_from_its_page(client: Client) -> None:
    sign_in_with(client, *STEERS, "see_all_studies")
    hit = make_hit(expires_at=NOW)

    labels = [one.label for one in client.get(page_url(hit)).context["verbs"]]
    url = steer_url(hit, "extend")
    asked = client.post(url, {"asked": "yes", "hours": 5})
    form = {"hours": 5, "confirmed": "yes", "as_of": as_of(asked)}
    done = client.post(url, form, follow=True)

    assert labels == ["Expire", "Extend", "Add places"]
    assert "5 hours longer" in text_of(asked)
    assert "More time to start: until" in text_of(done)
    assert Change.objects.get().kind == "extend"


@pytest.mark.parametrize("form", [{"hours": ""}, {"hours": "-1"}, {"hours": "9999999"}])
def test_wrong_hours_are_asked_for_again(client: Client, form: dict[str, str]) -> None:
    sign_in_with(client, *STEERS, "see_all_studies")
    hit = make_hit()

    page = client.post(steer_url(hit, "extend"), {**form, "confirmed": "yes", "as_of": "0-1"})

    assert (page.status_code, bool(page.context["form"].errors)) == (400, True)
    assert not Change.objects.exists()


def test_page_shows_changes_refused_in_the_providers_words(client: Client) -> None:
    sign_in_with(client, "view_hit", "see_all_studies")
    hit = make_hit()
    Change.objects.create(
        hit=hit, kind="add", places=2, status="refused", problem="Not across ten.", made_at=NOW
    )

    text = text_of(client.get(page_url(hit)))

    assert "More places: 2" in text
    assert "Refused: “Not across ten.”" in text


def test_page_shows_no_id_of_a_worker_at_the_provider(client: Client) -> None:
    client.force_login(make_user(is_superuser=True))
    assignment = make_assignment()

    text = text_of(client.get(page_url(assignment.hit)))

    assert assignment.worker.pseudonym in text
    assert assignment.worker.external_id not in text


@pytest.mark.parametrize("pk", ["999999", "x", "1%2F..%2F2"])
def test_unknown_hit_is_not_found(client: Client, pk: str) -> None:
    sign_in_with(client, "view_hit", "see_all_studies")

    assert client.get(f"{LIST}{pk}/change/").status_code == 404


@pytest.mark.parametrize("page", ["list", "hit"])
def test_pages_take_few_queries_whatever_the_size(client: Client, page: str) -> None:
    user = sign_in_with(client, *STEERS, "view_assignment")
    counts = []
    for size in (3, 30):
        batch = make_batch(status="open")
        batch.study.members.add(user)
        hit = make_hit(batch=batch, max_assignments=100)
        for _ in range(size):
            make_assignment(hit=hit, status="submitted")
            make_assignment(hit=make_hit(batch=batch), status="submitted")
            Change.objects.create(hit=hit, kind="expire", status="done", by=make_user(), made_at=NOW)
        with CaptureQueriesContext(connection) as queries:
            assert client.get(LIST if page == "list" else page_url(hit)).status_code == 200
        counts.append(len(queries))

    assert counts[0] == counts[1] < 10

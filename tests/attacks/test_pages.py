"""Every text that a person writes is hostile, and every page of every site shows it as a text."""

import pytest

from hits import families
from tests.attacks.conftest import Seen
from tests.attacks.crawling import route_of
from tests.attacks.poison import MARK, find_leaks

pytestmark = [pytest.mark.django_db, pytest.mark.pure]
# Pages that show a hostile text at least; with fewer the test would have nothing to find.
SHOWN = {
    "admin": 250,
    "worker site": 10,
    "desk": 30,
    "play": 9,
    "statement": 3,
    "workspace": 5,
    "data": 4,
    "frames": len(families.registered()) - 3,
}
# Pages whose rows no world has: files of a release that is being made, and pages found by a search word.
NOT_THERE = {
    "admin": {
        "admin/hits/batch/example/<str:task>/",
        "admin/pictures/picture/originals/<int:pk>/",
        "admin/qualifications/holding/many/<str:verb>/",
        # They follow what a person has typed or done: tests/hits/review reads them.
        "admin/hits/assignment/decided/",
        "admin/hits/assignment/by-rule.csv",
        "admin/whoops/project/<int:pk>/training/<int:row>/",
        "admin/winogavil_annotation/annotation/<int:study_id>/examples/<slug:kind>/",
        # They need a task that mixes attention items in: tests/scoring/admin reads them.
        "admin/scoring/studyrival/<int:study_id>/attention/<str:task>/",
        "admin/scoring/studyrival/<int:study_id>/attention/<str:task>/do/<slug:key>/",
        "admin/scoring/studyrival/<int:study_id>/attention/<str:task>/items/<uuid:item>/",
        "admin/releases/release/<int:pk>/files/<str:name>",
        # They need a release with frozen rows: tests/crowd/benchmarks/test_hostile_names.py reads them.
        "admin/benchmarks/benchmark/of/<int:pk>/<slug:task>/",
        "admin/benchmarks/benchmark/<int:pk>/<slug:name>.csv",
        "admin/benchmarks/benchmark/<int:pk>/<slug:name>.json",
        "admin/benchmarks/benchmark/<int:pk>/train/<slug:recipe>/",
        "admin/benchmarks/benchmark/<int:pk>/trained/<slug:name>.csv",
        "admin/benchmarks/benchmark/<int:pk>/trained/<slug:name>.json",
        "admin/benchmarks/benchmark/results/<int:pk>/answers.csv",
        "admin/benchmarks/benchmark/results/<int:pk>/items/",
        "admin/benchmarks/benchmark/results/<int:pk>/regions/",
        # They need an identity provider, or a study that was purged: tests/hits reads them.
        "admin/openid/",
        "admin/openid/back/",
        "admin/hits/study/<int:pk>/personal-data/purged/<uuid:public_id>/",
        # The former page for new drafts, which redirects and is linked from nowhere.
        "admin/winoventi/project/<int:pk>/<slug:kind>/draft/",
    },
    # They need a release with frozen rows: tests/crowd/boards reads them.
    "data": {
        "data/submit/<str:token>/<slug:task>/items.jsonl",
        "data/<uuid:release_id>/files/<str:name>",
        "data/<uuid:release_id>/<slug:task>/<slug:name>.csv",
        "data/<uuid:release_id>/<slug:task>/<slug:name>.json",
    },
    # The old service's address of a preview redirects: tests/crowd/marketplace/site_pages reads it.
    # A file is a download, whose address its requester's program is told: tests/crowd/marketplace/work.
    # Links of e-mails are signed: tests/crowd/marketplace/site_pages reads them.
    "worker site": {
        "email/confirm/<str:signed>/",
        "email/invitation/<str:signed>/",
        "email/stop/<str:signed>/",
        "files/<str:signed>/",
        "invitation/<str:token>/",
        "mturk/preview",
        "password/<str:signed>/",
        "register/",
    },
    # Only a HIT that the log calls a trial, one that is over while a worker has it open, and a payout without
    # a reference have them: tests/crowd/marketplace/desk_pages reads all three.
    "desk": {
        "desk/hits/<slug:hit_id>/end-work/",
        "desk/requesters/<slug:requester_id>/trial-hits/<slug:hit_id>/",
        "desk/payouts/<int:payout_id>/reference/",
    },
    # The code of a game, which is posted, and a turn that its player has shared: tests/crowd/winogavil/play.
    "play": {"join/", "shared/<uuid:shared_as>/"},
}


@pytest.mark.parametrize("site", SHOWN)
def test_hostile_texts_are_only_texts(seen: Seen, site: str) -> None:
    reading = seen.sites[site]
    leaks = {
        page.address: found for page in reading.pages if page.is_html and (found := find_leaks(page.text))
    }

    assert (reading.broken, leaks) == ([], {})
    assert sum(MARK in page.text for page in reading.shown) >= SHOWN[site]


@pytest.mark.parametrize("site", SHOWN)
def test_no_page_is_left_unread(seen: Seen, site: str) -> None:
    assert set(seen.sites[site].unseen) <= NOT_THERE.get(site, set())


@pytest.mark.parametrize("site", SHOWN)
def test_no_link_leads_nowhere(seen: Seen, site: str) -> None:
    dead = {
        f"{link}, on {origin}"
        for link, origin in seen.sites[site].dead.items()
        if route_of(link, seen.sites[site].urlconf) not in NOT_THERE.get(site, set())
    }

    assert "\n".join(sorted(dead)) == ""


def test_form_with_a_wrong_field_fails_nowhere_and_what_was_typed_stays(seen: Seen) -> None:
    assert [one for one in seen.wrong_forms if one.status >= 500] == []
    assert "\n".join(str(one) for one in seen.wrong_forms if one.lost) == ""
    assert len({one.route for one in seen.wrong_forms}) > 100


@pytest.mark.parametrize("site", SHOWN)
def test_no_answer_is_taken_for_another_kind(seen: Seen, site: str) -> None:
    pages = seen.sites[site].shown

    assert [page.address for page in pages if page.headers.get("X-Content-Type-Options") != "nosniff"] == []
    assert [page.address for page in pages if "svg" in page.kind and MARK in page.text] == []


def test_hostile_answers_are_refused_in_words_and_never_shown_as_elements(seen: Seen) -> None:
    assert [page.address for page in seen.answers if page.status >= 500 or find_leaks(page.text)] == []
    assert {page.status for page in seen.answers} == {400, 409}
    assert len(seen.answers) > 20


def test_every_table_and_most_columns_hold_a_hostile_text(seen: Seen) -> None:
    assert seen.empty == []
    assert len(seen.columns) > 270


@pytest.mark.parametrize(
    ("html", "leaks"),
    [
        ("<p>&lt;zq&gt; {{6007*6007}}</p><a href='/?q=zq'>zq</a>", 0),
        ('<script type="application/json">{"a": "zq"}</script>', 0),
        ("<p><zq></p>", 1),
        ("<p title='a' zq=1>", 1),
        ("<p onclick='zq()'>", 1),
        ("<p style='color: zq'>", 1),
        ("<script>var a = 'zq';</script>", 1),
        ("<style>zq {}</style>", 1),
        ("<a href='javascript:zq'>", 1),
        ("<a href='=zq'>", 1),
        ("<iframe srcdoc='zq'></iframe>", 1),
        ("<p>36084049</p>", 1),
    ],
)
def test_leaks_are_found_where_they_are(html: str, leaks: int) -> None:
    assert len(find_leaks(html)) == leaks

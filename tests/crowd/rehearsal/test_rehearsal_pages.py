"""Rehearsals in the admin: asked for, followed, reported, compared, cancelled, begun anew, removed."""

from collections.abc import Iterator
from datetime import timedelta
from time import monotonic, sleep
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from crowd.rehearsal.admin.assumptions_form import GROUPS
from crowd.rehearsal.domain.assumptions import BOUNDS, Assumptions, read_assumptions
from crowd.rehearsal.domain.spreads import spreads_by_key
from crowd.rehearsal.models import Rehearsal
from crowd.rehearsal.services import rehearsal_jobs, rehearsal_turns
from hits.identity.roles import PAYMENTS_PREPARER, RESEARCHER, REVIEWER
from hits.studies.models import Batch
from hits.work.models.assignments import Assignment
from tests.crowd.rehearsal.rehearsing import report_beside, report_of
from tests.factories import NOW, make_association, make_batch, make_study
from tests.pages import text_of
from tests.people import sign_in, sign_in_with

pytestmark = pytest.mark.django_db
FEW = {"workers": 8, "runs": 1, "spammers": 0, "gives_up": 0, "come_within_h": 1, "most_days": 3}
USUAL = Assumptions().as_data()
TYPED = {**USUAL, **FEW, "zones": "-5, 5.5", "seed": "7"}
LONGEST_S = 120


@pytest.fixture(autouse=True)
def nothing_plays() -> Iterator[None]:
    yield
    for key in list(rehearsal_turns._live):
        rehearsal_turns._live.pop(key).play.end()


# A figure that only the family knows.
SELECTED = "Words that are selected"


def at(name: str, *args: Any) -> str:
    return reverse(f"admin:rehearsal_{name}", args=args)


def make_draft(items: int = 2) -> Batch:
    batch = make_batch(hits_wanted=items)
    for _ in range(items):
        make_association(study=batch.study)
    return batch


def ask(batch: Batch, **assumed: int) -> Rehearsal:
    return rehearsal_jobs.ask_rehearsal(
        batch=batch, assumed=read_assumptions({**FEW, **assumed}), by=None, now=NOW, seed=7
    )


def play(rehearsal: Rehearsal) -> Rehearsal:
    """Let the sweep run until the rehearsal is over."""
    until = monotonic() + LONGEST_S
    while rehearsal.is_open and monotonic() < until:
        rehearsal_turns.play_rehearsals(now=NOW)
        rehearsal.refresh_from_db()
        sleep(0.1)
    return rehearsal


def done(batch: Batch, *, mean: float, **assumed: int) -> Rehearsal:
    rehearsal = ask(batch, **assumed)
    Rehearsal.objects.filter(pk=rehearsal.pk).update(status="done", report=report_of(mean=mean))
    rehearsal.refresh_from_db()
    return rehearsal


def test_a_draft_is_rehearsed_from_its_check_page_and_reported(client: Client) -> None:
    batch = make_draft()
    user = sign_in(client, RESEARCHER, batch.study)

    check = text_of(client.get(reverse("admin:hits_batch_launch", args=[batch.pk])))
    empty = text_of(client.get(at("of_batch", batch.pk)))
    form = text_of(client.get(at("ask", batch.pk)))
    sent = client.post(at("ask", batch.pk), TYPED)
    rehearsal = Rehearsal.objects.get()
    waiting = text_of(client.get(at("report", rehearsal.pk)))
    play(rehearsal)
    page = text_of(client.get(at("report", rehearsal.pk)))

    assert f'href="{at("of_batch", batch.pk)}">Rehearse</a>' in check
    assert "It has not been rehearsed yet." in empty
    assert all(f'name="{name}"' in form for name in TYPED)
    assert sent.headers["Location"] == at("report", rehearsal.pk)
    assert (rehearsal.asked_by, rehearsal.seed, rehearsal.assumed["zones"]) == (user, 7, [-5, 5.5])
    assert 'data-every="2000"' in waiting
    assert rehearsal.problem == ""
    assert rehearsal.status == "done"
    assert 'data-every="0"' in page
    assert "In every run all items became final" in page
    assert "Nothing was lost and nothing came twice" in page
    assert "Nothing is recorded: careful workers find each picture in 85 of 100 tries." in page
    assert "Nowhere: in every run all items became final." in page
    assert Assignment.objects.count() == 0


def test_every_assumption_stands_under_one_heading_of_the_form() -> None:
    placed = [name for names in GROUPS.values() for name in names]

    assert sorted(placed) == sorted([*BOUNDS, "zones", "seed"])


def test_its_tables_and_the_whole_report_are_files(client: Client) -> None:
    rehearsal = done(make_draft(), mean=2.5)
    sign_in(client, REVIEWER, rehearsal.batch.study)

    csv = b"".join(client.get(f"{at('report', rehearsal.pk)}figures.csv")).decode("utf-8-sig")
    days = client.get(f"{at('report', rehearsal.pk)}cost_by_day.json").json()
    whole = client.get(at("whole", rehearsal.pk)).json()
    page = text_of(client.get(at("report", rehearsal.pk)))

    assert "Hours until all is final,2.5,2.5,2.5" in csv.splitlines()
    assert "Words that are selected,2.5,2.5,2.5" in csv.splitlines()
    assert days == [{"day": "Day 1", "mean": 2.5, "least": 2.5, "most": 2.5}]
    assert whole == [rehearsal.report]
    assert "3 processes that were killed." in page
    assert "The provider has paid $1.10, and our books say $1.10." in page
    assert client.get(f"{at('report', rehearsal.pk)}none.csv").status_code == 404


def test_what_happened_most_stands_first(client: Client) -> None:
    rehearsal = done(make_draft(1), mean=1)
    refused = spreads_by_key([{"rare": 1, "frequent": 9, "also rare": 1}])
    report = {**rehearsal.report, "refused": refused}
    Rehearsal.objects.filter(pk=rehearsal.pk).update(report=report)
    sign_in(client, RESEARCHER, rehearsal.batch.study)

    rows = client.get(f"{at('report', rehearsal.pk)}refused.json").json()

    assert [row["what"] for row in rows] == ["frequent", "also rare", "rare"]


def test_no_cell_of_a_report_is_a_formula(client: Client) -> None:
    rehearsal = done(make_draft(1), mean=1)
    spread = {"mean": 1, "least": 1, "most": 1}
    report = {**rehearsal.report, "bonuses": {"=HYPERLINK(1): 0.05": spread}}
    Rehearsal.objects.filter(pk=rehearsal.pk).update(report=report)
    sign_in(client, RESEARCHER, rehearsal.batch.study)

    csv = b"".join(client.get(f"{at('report', rehearsal.pk)}bonuses.csv")).decode("utf-8-sig")

    assert "'=HYPERLINK(1): 0.05" in csv
    assert "\n=" not in csv


def test_a_number_is_changed_and_two_reports_stand_side_by_side(client: Client) -> None:
    batch = make_draft()
    one, other = done(batch, mean=10), done(batch, mean=4, workers=20)
    sign_in(client, RESEARCHER, batch.study)

    form = text_of(client.get(at("ask", batch.pk), {"like": one.pk}))
    report = text_of(client.get(at("report", other.pk)))
    query = f"?one={one.pk}&other={other.pk}"
    page = text_of(client.get(at("compared", batch.pk) + query))
    files = client.get(f"{at('compared', batch.pk)}compared.json{query}").json()
    listed = text_of(client.get(at("of_batch", batch.pk)))

    assert 'name="workers" value="8"' in form
    assert f"The numbers are those of {one}" in form
    assert f"{at('compared', batch.pk)}?one={one.pk}&amp;other={other.pk}" in report
    assert '<th scope="row">workers</th><td>8</td><td>20</td>' in page
    assert files[0] == {"figure": "Hours until all is final", "one": 10, "other": 4, "difference": -6}
    assert "Two of them side by side" in listed
    assert client.get(at("compared", batch.pk), {"one": one.pk}).status_code == 404


def test_another_design_stands_beside_it_and_families_add_figures(client: Client) -> None:
    batch = make_draft()
    plain, saving = done(batch, mean=3), done(batch, mean=2)
    report = report_beside(mean=2, other=3, design="3 people")
    Rehearsal.objects.filter(pk=saving.pk).update(report=report)
    sign_in(client, RESEARCHER, batch.study)

    page = text_of(client.get(at("report", saving.pk)))
    files = client.get(f"{at('report', saving.pk)}beside.json").json()
    csv = b"".join(client.get(f"{at('report', saving.pk)}figures.csv")).decode("utf-8-sig")
    query = f"?one={plain.pk}&other={saving.pk}"
    compared = client.get(f"{at('compared', batch.pk)}compared.json{query}").json()

    assert "3 people is told." in page
    assert '<h2 id="beside">Beside another design</h2>' in page
    assert files[0] == {
        "figure": "Hours until all is final",
        "other": 3,
        "this_design": 2,
        "difference": -1,
    }
    assert {"figure": SELECTED, "other": 3, "this_design": 2, "difference": -1} in files
    assert f"{SELECTED},2.0,2,2" in csv.splitlines()
    assert {"figure": SELECTED, "one": 3, "other": 2, "difference": -1} in compared
    assert 'id="beside"' not in text_of(client.get(at("report", plain.pk)))
    assert client.get(f"{at('report', plain.pk)}beside.json").status_code == 404


def test_a_wrong_number_is_refused_beside_its_field(client: Client) -> None:
    batch = make_draft(1)
    sign_in(client, RESEARCHER, batch.study)

    many = client.post(at("ask", batch.pk), {**TYPED, "workers": "90000"})
    early = client.post(at("ask", batch.pk), {**TYPED, "first_hour": "22"})

    assert many.status_code == early.status_code == 400
    assert "less than or equal to 2000" in text_of(many)
    assert "The first working hour must be before the last one." in text_of(early)
    assert not Rehearsal.objects.exists()


def test_a_launched_batch_is_not_rehearsed_and_says_why(client: Client) -> None:
    batch = make_batch(status="open")
    sign_in(client, RESEARCHER, batch.study)

    page = text_of(client.get(at("ask", batch.pk)))
    sent = client.post(at("ask", batch.pk), TYPED)

    assert "Only a draft is rehearsed" in page
    assert sent.status_code == 400
    assert not Rehearsal.objects.exists()


def test_a_task_that_cannot_be_rehearsed_says_why(client: Client) -> None:
    design, other = make_batch(task="whoops.design"), make_batch(task="winogavil.types")
    sign_in(client, RESEARCHER, design.study, other.study)

    page = text_of(client.get(at("ask", design.pk)))
    silent = text_of(client.get(at("of_batch", other.pk)))

    assert "Designers make images with tools of their own" in page
    assert "Nobody has said yet how simulated people do this task." in silent


def test_an_item_takes_at_first_as_long_as_the_draft_expects(client: Client) -> None:
    batch = make_batch(estimated_s=540, items_per_assignment=3)
    sign_in(client, RESEARCHER, batch.study)

    form = text_of(client.get(at("ask", batch.pk)))

    assert 'name="item_s" value="180"' in form
    assert 'name="fools" value="40"' in form


def test_who_may_not_is_refused_by_the_server(client: Client) -> None:
    rehearsal = done(make_draft(1), mean=1)
    batch = rehearsal.batch
    pages = [at("of_batch", batch.pk), at("report", rehearsal.pk), at("whole", rehearsal.pk)]

    sign_in(client, RESEARCHER, make_study())
    strangers = [client.get(page).status_code for page in pages]
    sign_in(client, PAYMENTS_PREPARER, batch.study)
    payers = [client.get(page).status_code for page in pages]
    sign_in(client, REVIEWER, batch.study)
    reviewers = [client.get(page).status_code for page in pages]
    refused = [
        client.post(at("ask", batch.pk), TYPED).status_code,
        client.post(at("remove", rehearsal.pk), {"confirmed": "yes"}).status_code,
    ]
    sign_in_with(client, "rehearsal.view_rehearsal", studies=[batch.study])

    assert (strangers, payers, reviewers) == ([404] * 3, [403] * 3, [200] * 3)
    assert refused == [403, 403]
    assert client.get(at("report", rehearsal.pk)).status_code == 403
    assert Rehearsal.objects.count() == 1


def test_a_cancelled_one_ends_its_process_and_begins_anew(client: Client) -> None:
    rehearsal = ask(make_draft(1))
    sign_in(client, RESEARCHER, rehearsal.batch.study)
    rehearsal_turns.play_rehearsals(now=NOW)
    live = rehearsal_turns._live[rehearsal.pk]

    client.post(at("cancel", rehearsal.pk))
    rehearsal_turns.play_rehearsals(now=NOW)
    rehearsal.refresh_from_db()
    cancelled = rehearsal.status
    client.post(at("again", rehearsal.pk))
    rehearsal.refresh_from_db()

    assert live.play.is_over
    assert (cancelled, rehearsal.status) == ("cancelled", "waiting")


def test_one_whose_process_was_killed_is_told_as_interrupted(client: Client) -> None:
    rehearsal = ask(make_draft(1))
    sign_in(client, RESEARCHER, rehearsal.batch.study)
    rehearsal_turns.play_rehearsals(now=NOW)
    rehearsal_turns._live.pop(rehearsal.pk).play.end()  # the worker that began it is gone, and so it ends

    rehearsal_turns.play_rehearsals(now=NOW)
    rehearsal.refresh_from_db()
    meanwhile = rehearsal.status
    rehearsal_turns.play_rehearsals(now=NOW + timedelta(minutes=2))
    page = text_of(client.get(at("report", rehearsal.pk)))

    assert meanwhile == "playing"
    assert "Interrupted." in page
    assert "Nothing of it was kept: begin it anew." in page
    assert ">Begin anew</button>" in page


def test_a_play_that_breaks_says_what_it_said(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    rehearsal = ask(make_draft(1))
    monkeypatch.setattr(rehearsal_turns, "write_spec", lambda *_, **__: {"assumed": {"workers": 0}})

    play(rehearsal)

    assert rehearsal.status == "failed"
    assert "workers must be a whole number" in rehearsal.problem


def test_an_old_one_is_removed(client: Client) -> None:
    rehearsal = done(make_draft(1), mean=1)
    sign_in(client, RESEARCHER, rehearsal.batch.study)

    asked = text_of(client.get(at("remove", rehearsal.pk)))
    client.post(at("remove", rehearsal.pk), {"confirmed": "yes"})

    assert "You remove" in asked
    assert not Rehearsal.objects.exists()


def test_a_child_ends_with_its_parent() -> None:
    from crowd.rehearsal.playing.child_process import ApartPlay  # noqa: PLC0415

    play = ApartPlay({"assumed": USUAL})
    assert play._process.stdin
    play._process.stdin.close()
    play._process.wait(timeout=LONGEST_S)

    assert play.is_over
    play.end()

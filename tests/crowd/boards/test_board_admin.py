"""The public page in the admin and in the API: for members with the permission, who decide on submissions."""

from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from crowd.benchmarks import benchmark_tasks
from crowd.boards.models import Board, Invitation, Submission
from crowd.boards.services import board_links, board_states
from crowd.releases.services import release_states
from hits.core.models.audit_events import AuditEvent
from hits.identity.roles import OPERATOR, PAYMENTS_PREPARER, RESEARCHER, REVIEWER
from tests.crowd.boards.making import benchmark_of, make_board, make_invitation, submitted
from tests.crowd.releases.studies import make_of, release_of
from tests.factories import NOW, make_study, make_user
from tests.hits.calling import notebook
from tests.pages import text_of
from tests.people import sign_in

pytestmark = pytest.mark.django_db
SENT = {"asked": "yes", "confirmed": "yes"}
LOOK = ("releases.view_release", "boards.view_board")
ALL = (
    *LOOK,
    "boards.change_board",
    "boards.open_board",
    "boards.add_invitation",
    "boards.change_invitation",
    "boards.change_submission",
)


def at(name: str, *args: object) -> str:
    return reverse(f"admin:boards_{name}", args=args)


def test_a_release_leads_to_its_page_only_once_it_is_published(client: Client) -> None:
    release = release_of(make_of("whoops"), "whoops")
    sign_in(client, RESEARCHER, release.study)
    shown = reverse("admin:releases_release_change", args=[release.pk])
    before = text_of(client.get(shown))
    early = text_of(client.get(at("of", release.pk), follow=True))
    release_states.publish_release(release=release, by=make_user(), now=NOW)

    after = text_of(client.get(shown))
    led = client.get(at("of", release.pk))

    assert "Public page" not in before
    assert "Only a published release has a page for the public." in early
    assert at("of", release.pk) in after
    assert led.headers["Location"] == at("board", Board.objects.get().pk)


def test_it_is_set_up_opened_and_closed_and_each_is_on_record(client: Client) -> None:
    release = release_of(make_of("whoops"), "whoops")
    release_states.publish_release(release=release, by=make_user(), now=NOW)
    board = board_states.board_of(release)
    sign_in(client, RESEARCHER, release.study)
    settings = {"citation": "A paper.", "takes_submissions": "on", "daily_limit": "5", **SENT}

    wrong = client.post(at("setup", board.pk), {**settings, "daily_limit": "51"})
    client.post(at("setup", board.pk), settings)
    question = text_of(client.get(at("open", board.pk)))
    client.post(at("open", board.pk), SENT)
    page = text_of(client.get(at("board", board.pk)))

    assert wrong.status_code == 400
    assert "Ensure this value is less than or equal to 50." in text_of(wrong)
    assert "You open the page of" in question
    board.refresh_from_db()
    assert (board.citation, board.takes_submissions, board.daily_limit, board.is_open) == (
        "A paper.", True, 5, True,
    )  # fmt: skip
    assert board_links.address_of_board(board) in page
    assert release.benchmarks.count() == len(benchmark_tasks.tasks_for(release))
    client.post(at("close", board.pk), SENT)
    board.refresh_from_db()
    assert not board.is_open
    kinds = AuditEvent.objects.filter(kind__startswith="board.").values_list("kind", flat=True)
    assert sorted(kinds) == ["board.changed", "board.closed", "board.opened"]


def test_somebody_is_invited_by_a_link_that_is_shown_to_who_may_change_it(client: Client) -> None:
    board = make_board()
    sign_in(client, RESEARCHER, board.release.study)

    led = client.post(at("invite", board.pk), {"name": "A lab", "days": "10", **SENT}, follow=True)
    again = client.post(at("invite", board.pk), {"name": "A lab", "days": "10", **SENT})

    invitation = Invitation.objects.get()
    address = board_links.address_of(invitation)
    assert address in text_of(led)
    assert again.status_code == 409
    assert "There is an invitation of this name." in text_of(again)
    client.post(at("renew", invitation.pk), {"days": "20", **SENT})
    invitation.refresh_from_db()
    assert board_links.address_of(invitation) != address
    client.post(at("end", invitation.pk), SENT)
    ended = text_of(client.get(at("invitation", invitation.pk)))
    assert "The link is over." in ended
    client.post(at("prolong", invitation.pk), {"days": "20", **SENT})
    invitation.refresh_from_db()
    assert invitation.link_until > timezone.now() + timedelta(days=19)
    sign_in(client, REVIEWER, board.release.study)
    assert board_links.write_token(invitation) not in text_of(client.get(at("invitation", invitation.pk)))


def test_a_submission_is_put_on_the_board_and_taken_off_with_a_reason(client: Client) -> None:
    board = make_board()
    made = submitted(make_invitation(board))
    user = sign_in(client, RESEARCHER, board.release.study)

    listed = text_of(client.get(at("board", board.pk), {"state": "waiting"}))
    client.post(at("agree", made.pk), {"name": "CLIP", **SENT})
    made.refresh_from_db()
    agreed = (made.status, made.result.name, made.decided_by)
    empty = client.post(at("decline", made.pk), {"words": "", **SENT})
    client.post(at("decline", made.pk), {"words": "Trained on it.", **SENT})

    made.refresh_from_db()
    assert "their model" in listed
    assert "None is in this state" in text_of(client.get(at("board", board.pk), {"state": "listed"}))
    assert agreed == ("listed", "CLIP", user)
    assert "Say why: its submitter reads it." in text_of(empty)
    assert (made.status, made.words) == ("declined", "Trained on it.")
    assert "Trained on it." in text_of(client.get(at("submission", made.pk)))


def test_what_was_submitted_cannot_be_removed(client: Client) -> None:
    made = submitted(make_invitation(make_board()))
    sign_in(client, RESEARCHER, made.result.benchmark.release.study)
    remove = reverse("admin:benchmarks_remove", args=[made.result_id])

    answer = text_of(client.post(remove, SENT, follow=True))

    assert "What others submitted is kept." in answer
    assert Submission.objects.filter(pk=made.pk).exists()


@pytest.mark.parametrize("name", ["board", "setup", "open", "invite"])
def test_strangers_see_nothing_and_reviewers_change_nothing(client: Client, name: str) -> None:
    board = make_board()

    sign_in(client, RESEARCHER, make_study())
    assert client.get(at(name, board.pk)).status_code == 404
    sign_in(client, PAYMENTS_PREPARER, board.release.study)
    assert client.get(at(name, board.pk)).status_code == 403
    sign_in(client, REVIEWER, board.release.study)
    assert client.get(at(name, board.pk)).status_code == (200 if name == "board" else 403)
    sign_in(client, OPERATOR, board.release.study)
    assert client.get(at(name, board.pk)).status_code == 200


def test_programs_do_the_same(client: Client) -> None:
    release = release_of(make_of("whoops"), "whoops")
    release_states.publish_release(release=release, by=make_user(), now=NOW)
    held = notebook(*ALL, sees=[release.study])

    made = held.post("boards/", {"release": str(release.public_id)})
    number = made.json()["number"]
    held.post(f"boards/{number}/setup/", {"takes_submissions": True, "daily_limit": 4})
    opened = held.post(f"boards/{number}/open/")
    again = held.post(f"boards/{number}/open/")
    invited = held.post(f"boards/{number}/invite/", {"name": "A lab", "days": 9})
    (row,) = held.get("boards/", release=str(release.public_id)).json()["results"]
    (invitation,) = held.get("board-invitations/").json()["results"]

    assert (made.status_code, opened.status_code, invited.status_code) == (201, 200, 200)
    assert again.status_code == 409
    assert (row["is_open"], row["takes_submissions"], row["daily_limit"]) == (True, True, 4)
    assert client.get(row["address"]).status_code == 200
    assert "A lab" not in str(invitation)
    renewed = held.post(f"board-invitations/{invitation['public_id']}/renew/", {"days": 5})
    assert renewed.status_code == 200


def test_programs_decide_and_read_the_visible_means_alone() -> None:
    board = make_board("winoground", hides=True)
    made = submitted(make_invitation(board))
    held = notebook(*ALL, sees=[board.release.study])

    (row,) = held.get("board-submissions/", status="waiting").json()["results"]
    agreed = held.post(f"board-submissions/{row['public_id']}/agree/", {"name": "CLIP"})
    declined = held.post(f"board-submissions/{row['public_id']}/decline/", {"words": "No."})
    stranger = notebook(*ALL, sees=[])

    assert row["public_id"] == str(made.public_id)
    assert {one["over"] for one in row["scores"]} == {"the split train"}
    assert (agreed.status_code, declined.status_code) == (200, 200)
    assert stranger.get("board-submissions/").json()["results"] == []
    assert benchmark_of(board).results.get(source="outside").is_listed is False


@pytest.mark.parametrize("app", ["boards_board", "benchmarks_benchmark"])
def test_django_s_own_pages_show_no_rows_of_other_studies(client: Client, app: str) -> None:
    board = make_board()
    pk = board.pk if app == "boards_board" else benchmark_of(board).pk
    address = reverse(f"admin:{app}_change", args=[pk])

    sign_in(client, RESEARCHER, make_study())
    listed = text_of(client.get(reverse(f"admin:{app}_changelist")))

    assert "Data 1.0" not in listed
    assert client.get(address).status_code != 200

"""Models from outside: scored on what is visible, kept, limited by the day, listed when somebody agrees."""

from datetime import timedelta
from io import BytesIO
from uuid import uuid4

import pytest

from crowd.benchmarks.models import ItemResult, Result
from crowd.benchmarks.queries.benchmark_table import complete_results, tables_of
from crowd.benchmarks.services import answer_files, benchmark_results, result_relations
from crowd.boards.models import Invitation, Submission
from crowd.boards.queries.board_tables import public_tables, visible_scores
from crowd.boards.services import board_links, board_states, submitting
from crowd.boards.services.board_links import LinkOver
from hits.core import held_links
from hits.core.errors import InvalidItems, RuleBroken
from hits.core.models.audit_events import AuditEvent
from hits.core.signed_links import UnknownLink
from tests.crowd.benchmarks.making import uploaded
from tests.crowd.boards.making import (
    benchmark_of,
    best_file,
    items_of,
    make_board,
    make_invitation,
    submitted,
)
from tests.factories import NOW, make_user

pytestmark = pytest.mark.django_db
FAMILIES = ("winogavil", "winoground", "winoventi", "whoops")


@pytest.mark.parametrize("family", FAMILIES)
def test_a_submission_is_scored_and_stands_in_no_table_before_a_researcher_agrees(family: str) -> None:
    board = make_board(family)
    benchmark = benchmark_of(board)

    made = submitted(make_invitation(board), file=best_file(benchmark, wrong=2))

    items = len(items_of(benchmark))
    (score,) = [one for one in visible_scores(made.result) if one.measure != "Text"][-1:]
    assert score.mean == f"{100 * (items - 2) / items:.1f} %"
    assert score.items == items
    assert made.result.source == "outside"
    assert made.result not in complete_results(benchmark)
    assert AuditEvent.objects.filter(kind="board.submitted").count() == 1

    submitting.agree(submission=made, name=" Their  model ", by=make_user(), now=NOW)

    assert made.result in complete_results(benchmark)
    assert (made.result.name, made.status) == ("Their model", "listed")


@pytest.mark.parametrize("family", FAMILIES)
def test_a_hidden_split_has_no_part_in_what_a_submitter_sees(family: str) -> None:
    board = make_board(family, hides=True)
    benchmark = benchmark_of(board)
    items = items_of(benchmark)
    told = [item for item in items if board.release.family != "whoops" or not item.is_hidden]
    wrong_when_hidden = [place for place, item in enumerate(told) if item.is_hidden]
    assert wrong_when_hidden or family == "whoops"

    made = submitted(make_invitation(board))
    scores = list(visible_scores(made.result))

    assert {one.over for one in scores} == {"the split train"}
    assert {one.items for one in scores} == {sum(1 for item in items if not item.is_hidden)}
    assert made.result.answered == len(told)


def test_two_clicks_are_one_submission() -> None:
    invitation = make_invitation(make_board())
    key = uuid4()

    first = submitted(invitation, key=key)
    again = submitted(invitation, key=key, name="another name")

    assert again == first
    assert Submission.objects.count() == Result.objects.filter(source="outside").count() == 1


def test_a_days_submissions_are_limited_for_each_link_and_bad_files_do_not_count() -> None:
    board = make_board()
    mine, theirs = make_invitation(board), make_invitation(board, name="Another lab")
    with pytest.raises(InvalidItems):
        submitted(mine, file=BytesIO(b"ID,prediction\nnothing,x\n"))
    submitted(mine)
    submitted(mine, name="second", now=NOW + timedelta(hours=5))

    assert submitting.left_today(mine, now=NOW + timedelta(hours=6)) == 0
    with pytest.raises(RuleBroken, match="2 of 2 submissions are sent within 24 hours"):
        submitted(mine, name="third", now=NOW + timedelta(hours=23))
    assert submitted(theirs, name="third", now=NOW + timedelta(hours=23))
    assert submitted(mine, name="third", now=NOW + timedelta(hours=25))


def test_nothing_of_a_bad_file_is_kept_and_each_line_has_its_reason() -> None:
    board = make_board("whoops")
    benchmark = benchmark_of(board)
    lines = best_file(benchmark).getvalue().decode().splitlines()
    spoilt = [lines[0], "nobody-1,1,2", lines[1], lines[1], f"{lines[2].split(',')[0]},much,1", *lines[4:]]

    with pytest.raises(InvalidItems) as refused:
        submitted(make_invitation(board), file=BytesIO("\n".join(spoilt).encode()))

    said = " ".join(refused.value.problems)
    assert "Line 2: the release has no 'nobody-1'" in said
    assert "is in line 3 already" in said
    assert "Line 5" in said
    assert "have no answer" in said
    assert not Submission.objects.exists()
    assert not Result.objects.filter(source="outside").exists()
    assert not ItemResult.objects.filter(result__source="outside").exists()


def test_a_file_of_another_release_is_told_so() -> None:
    board, other = make_board("winoground"), make_board("winoground", items=7)

    with pytest.raises(InvalidItems) as refused:
        submitted(make_invitation(board), file=best_file(benchmark_of(other)))

    assert any("Is the file of another release or task?" in one for one in refused.value.problems)


def test_a_name_that_stands_on_the_board_is_refused_and_another_one_is_taken() -> None:
    board = make_board()
    first, second = (submitted(make_invitation(board, name=name)) for name in ("A", "B"))
    by = make_user()
    submitting.agree(submission=first, name="CLIP", by=by, now=NOW)

    with pytest.raises(RuleBroken, match="There is a clip in the tables"):
        submitting.agree(submission=second, name="clip", by=by, now=NOW)

    second.refresh_from_db()
    assert second.status == "waiting"
    submitting.agree(submission=second, name="clip of B", by=by, now=NOW)
    assert [one.name for one in complete_results(benchmark_of(board)) if one.is_of_model] == [
        "CLIP",
        "clip of B",
    ]


def test_a_submission_that_is_taken_off_the_board_is_kept_with_the_words() -> None:
    board = make_board()
    made = submitted(make_invitation(board))
    submitting.agree(submission=made, name="CLIP", by=make_user(), now=NOW)

    submitting.decline(submission=made, words="It saw the test split.", by=make_user(), now=NOW)

    made.refresh_from_db()
    assert (made.status, made.words) == ("declined", "It saw the test split.")
    assert made.result not in complete_results(benchmark_of(board))
    assert made.result.items.count() == 6


def test_a_closed_board_takes_nothing() -> None:
    board = make_board()
    invitation = make_invitation(board)
    board_states.change_board(board=board, values={"takes_submissions": False}, by=make_user(), now=NOW)
    invitation.refresh_from_db()

    with pytest.raises(RuleBroken, match="Nothing can be submitted"):
        submitted(invitation)


def test_links_end_at_their_time_by_a_new_one_and_at_once() -> None:
    invitation = make_invitation(make_board())
    token = board_links.write_token(invitation)

    assert board_links.read_token(token, now=NOW + timedelta(days=29)) == invitation
    with pytest.raises(LinkOver):
        board_links.read_token(token, now=NOW + timedelta(days=30))
    with pytest.raises(UnknownLink):
        board_links.read_token(f"{token}x", now=NOW)
    held_links.renew_link(invitation, days=3, now=NOW)
    with pytest.raises(LinkOver):
        board_links.read_token(token, now=NOW)
    newer = board_links.write_token(invitation)
    board_states.end_link(invitation=invitation, now=NOW)
    with pytest.raises(LinkOver):
        board_links.read_token(newer, now=NOW)


def test_only_a_published_release_has_a_board() -> None:
    board = make_board()
    release = board.release
    release.status = "ready"

    with pytest.raises(RuleBroken, match="Only a published release"):
        board_states.board_of(release)


def test_correlations_of_what_nobody_agreed_to_are_in_no_table() -> None:
    board = make_board("winoground", items=8)
    benchmark = benchmark_of(board)
    waiting = submitted(make_invitation(board), name="waiting", file=best_file(benchmark, wrong=3))
    benchmark_results.answer_benchmarks(now=NOW)
    result_relations.relate_results()
    assert waiting.result.correlations.exists()

    tables = {table.name: str(table.shown()) for table in public_tables(benchmark)}

    assert "waiting" not in tables["correlations"]
    submitting.agree(submission=waiting, name="waiting", by=make_user(), now=NOW)
    again = {table.name: str(table.shown()) for table in public_tables(benchmark)}
    assert "waiting" in again["correlations"]


def test_what_colleagues_note_about_a_result_is_not_public() -> None:
    board = make_board("winoground")
    benchmark = benchmark_of(board)
    noted = uploaded(benchmark, best_file(benchmark), name="ours")
    Result.objects.filter(pk=noted.pk).update(about="badly tuned, do not tell")

    results, *_ = public_tables(benchmark)

    assert "ours" in str(results.shown())
    assert "do not tell" not in str(results.shown())
    assert "do not tell" in str(tables_of(benchmark)[0].shown())


def test_a_file_of_far_too_many_lines_is_not_read_to_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answer_files, "SLACK", 3)
    board = make_board("whoops")
    heading, first, *_ = best_file(benchmark_of(board)).getvalue().decode().splitlines()

    with pytest.raises(InvalidItems) as refused:
        submitted(make_invitation(board), file=BytesIO("\n".join([heading, *[first] * 50]).encode()))

    assert refused.value.problems == ["The file has many more lines than the release has annotations."]


def test_a_form_of_another_link_is_refused_in_words() -> None:
    board = make_board()
    key = uuid4()
    submitted(make_invitation(board), key=key)

    with pytest.raises(RuleBroken, match="This form was used before"):
        submitted(make_invitation(board, name="B"), key=key)


@pytest.mark.parametrize("ended", ["closed", "link"])
def test_what_ends_while_a_file_is_scored_keeps_nothing_of_it(ended: str) -> None:
    board = make_board()
    invitation = make_invitation(board)
    held = Invitation.objects.select_related("board__release__study").get(pk=invitation.pk)
    if ended == "closed":
        board_states.close_board(board=board, by=make_user(), now=NOW)
    else:
        board_states.end_link(invitation=invitation, now=NOW)

    with pytest.raises(RuleBroken):
        submitted(held)

    assert not Submission.objects.exists()
    assert not Result.objects.filter(source="outside").exists()

"""Imports turn a researcher's file into pictures in the pool: in the background, or by the command."""

import json
from datetime import timedelta
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import DatabaseError
from django.utils import timezone

from crowd.pictures import tasks
from crowd.pictures.bringing.import_lines import ConceptFrom
from crowd.pictures.errors import NotFetched
from crowd.pictures.models import Import, Picture, Request
from crowd.pictures.services import picture_imports, picture_requests, preparation
from crowd.pictures.services.picture_imports import (
    Rights,
    begin_import,
    discard_import,
    prepare_import,
    try_again,
)
from crowd.pictures.services.picture_requests import LEASE, MOST_TRIES, WAITS, fulfil_requests, next_request
from crowd.pictures.tasks import tend_pool
from hits.common.sweeps import SWEEPS
from hits.core.errors import InvalidItems, RuleBroken
from tests.crowd.pictures.images import archive, kept_files, make_raster, png, svg
from tests.factories import NOW, make_user
from tests.idle import watch

pytestmark = pytest.mark.django_db
LIST = b"concept,url,licence\nowl,https://example.org/owl.png,CC0\ncat,https://example.org/cat.png,\n"
ARCHIVE = {"owl-1.png": png(seed=1), "owl-2.png": png(seed=2), "cat.svg": svg()}
Answers = dict[str, bytes | NotFetched]


@pytest.fixture
def answers(monkeypatch: pytest.MonkeyPatch) -> Answers:
    """Replace the network by a mapping from file names to what fetching them gives or raises."""
    found: Answers = {}

    def fetch(url: str) -> bytes:
        answer = found[url.rpartition("/")[2]]
        if isinstance(answer, NotFetched):
            raise answer
        return answer

    monkeypatch.setattr(picture_requests, "fetch", fetch)
    monkeypatch.setattr(picture_imports, "fetch", fetch)
    return found


def prepare(content: bytes, **changes: Any) -> Import:
    values: dict[str, Any] = {
        "name": "owls.zip",
        "upload": BytesIO(content),
        "concept_from": ConceptFrom.FILE,
        "rights": Rights(source="A book", licence="CC BY 4.0"),
        "is_checked": False,
        "by": make_user(),
        "now": NOW,
    }
    return prepare_import(**{**values, **changes})


def begun(content: bytes, **changes: Any) -> Import:
    made = prepare(content, **changes)
    begin_import(importing=made, now=NOW)
    return made


def outcomes() -> list[tuple[str, str, str]]:
    return list(Request.objects.order_by("pk").values_list("place", "status", "problem"))


def test_nothing_comes_in_before_the_import_begins() -> None:
    made = prepare(archive(ARCHIVE))

    assert fulfil_requests(now=NOW) == 0
    assert (Picture.objects.count(), made.requests.count()) == (0, 3)


def test_archive_comes_in_and_goes_away() -> None:
    made = begun(archive(ARCHIVE))

    fulfil_requests(now=NOW)

    made.refresh_from_db()
    rows = Picture.objects.order_by("pk").values_list("concept", "status", "source", "licence")
    assert sorted(rows) == [
        ("cat", "waiting", "A book", "CC BY 4.0"),
        ("owl", "waiting", "A book", "CC BY 4.0"),
        ("owl", "waiting", "A book", "CC BY 4.0"),
    ]
    assert (made.ended_at, made.file.name) == (NOW, "")
    assert len(kept_files()) == 3


def test_import_of_checked_pictures_is_playable_at_once() -> None:
    begun(archive(ARCHIVE), is_checked=True)

    fulfil_requests(now=NOW)

    assert Picture.objects.playable().count() == 3


def test_bad_file_of_an_archive_is_named_and_the_others_come_in() -> None:
    begun(archive({**ARCHIVE, "bad.svg": svg("<script/>"), "cut.png": png()[:99]}))

    fulfil_requests(now=NOW)

    told = {place: (status, problem.partition(".")[0]) for place, status, problem in outcomes()}
    assert told["bad.svg"] == ("failed", "The drawing holds <script>")
    assert told["cut.png"][0] == "failed"
    assert Picture.objects.count() == 3


def test_list_is_fetched_with_its_own_rights_first(answers: Answers) -> None:
    answers |= {"owl.png": png(seed=1), "cat.png": png(seed=2)}
    begun(LIST)

    fulfil_requests(now=NOW)

    rows = Picture.objects.order_by("concept").values_list("concept", "licence", "source")
    assert list(rows) == [("cat", "CC BY 4.0", "A book"), ("owl", "CC0", "A book")]


def test_duplicates_are_found_and_told(answers: Answers) -> None:
    known = make_raster(seed=1, concept="barn owl")
    answers |= {"owl.png": png(seed=1), "cat.png": png(seed=2)}
    begun(LIST)

    fulfil_requests(now=NOW)

    assert outcomes() == [
        ("Line 2", "duplicate", "It is in the pool as “barn owl”."), ("Line 3", "added", "")
    ]  # fmt: skip
    assert Request.objects.order_by("pk")[0].picture == known
    assert Picture.objects.count() == 2


def test_address_that_fails_is_tried_ever_more_rarely_and_then_given_up(answers: Answers) -> None:
    answers |= {"owl.png": NotFetched("Busy.", is_final=False), "cat.png": NotFetched("Gone.", is_final=True)}
    made = begun(LIST)
    now, tried = NOW, []

    for wait in (*WAITS, timedelta(0)):
        tried.append((fulfil_requests(now=now - timedelta(seconds=1)), fulfil_requests(now=now)))
        now += wait

    made.refresh_from_db()
    assert tried == [(0, 2), (0, 1), (0, 1), (0, 1), (0, 1)]
    assert outcomes() == [("Line 2", "failed", "Busy."), ("Line 3", "failed", "Gone.")]
    assert made.ended_at == now


def test_failed_addresses_can_be_tried_again(answers: Answers) -> None:
    answers |= {"owl.png": NotFetched("Gone.", is_final=True), "cat.png": png()}
    made = begun(LIST)
    fulfil_requests(now=NOW)
    answers["owl.png"] = png(seed=1)

    count = try_again(importing=made, now=NOW)
    fulfil_requests(now=NOW)

    made.refresh_from_db()
    assert (count, made.ended_at) == (1, NOW)
    assert [status for _, status, _ in outcomes()] == ["added", "added"]


def test_files_that_are_no_pictures_are_not_tried_again() -> None:
    made = begun(archive({"bad.png": b"x"}))
    fulfil_requests(now=NOW)

    assert try_again(importing=made, now=NOW) == 0


def test_process_that_died_leaves_its_row_to_another(
    answers: Answers, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers |= {"owl.png": png(seed=1), "cat.png": png(seed=2)}
    begun(LIST)
    picture_requests._claim(now=NOW)

    early = fulfil_requests(now=NOW + LEASE - timedelta(seconds=1))
    late = fulfil_requests(now=NOW + LEASE)

    assert (early, late) == (0, 2)


def test_row_that_kills_every_process_is_given_up() -> None:
    begun(archive({"bomb.png": png()}))
    for number in range(MOST_TRIES):
        assert len(picture_requests._claim(now=NOW + number * LEASE)) == 1

    fulfil_requests(now=NOW + MOST_TRIES * LEASE)

    ((_, status, problem),) = outcomes()
    assert (status, Picture.objects.count()) == ("failed", 0)
    assert problem.startswith("Every attempt at this file broke off.")


def test_row_is_claimed_once() -> None:
    begun(archive(ARCHIVE))

    assert [len(picture_requests._claim(now=NOW)) for _ in range(2)] == [3, 0]


def test_archive_that_was_lost_is_looked_for_again_and_then_told() -> None:
    made = begun(archive(ARCHIVE))
    Path(made.file.path).unlink()
    now = NOW

    for wait in (*WAITS, timedelta(0)):
        fulfil_requests(now=now)
        now += wait

    assert {(status, problem[:29]) for _, status, problem in outcomes()} == {
        ("failed", "The archive cannot be opened ")
    }


def test_list_with_wrong_lines_brings_nothing() -> None:
    with pytest.raises(InvalidItems) as refused:
        prepare(LIST + b"dog,nowhere,CC0\n" * 60)

    assert refused.value.problems[0].startswith("Line 4: Give a whole address")
    assert refused.value.problems[-1] == "And 10 more."
    assert (Import.objects.count(), Request.objects.count(), kept_files()) == (0, 0, set())


def test_upload_that_cannot_be_written_down_leaves_no_file(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise DatabaseError

    monkeypatch.setattr(Request.objects, "bulk_create", fail)

    with pytest.raises(DatabaseError):
        prepare(archive(ARCHIVE))

    assert (Import.objects.count(), kept_files()) == (0, set())


def test_the_background_brings_prepares_and_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(preparation, "installed_reader", lambda: None)
    made = prepare(archive(ARCHIVE))
    begin_import(importing=made, now=timezone.now())

    tend_pool()

    rows = Picture.objects.order_by("concept").values_list("concept", "has_thumbnails", "read_by")
    assert list(rows) == [("cat", False, "svg"), ("owl", True, ""), ("owl", True, "")]
    assert SWEEPS["pictures.tend_pool"].run is tasks.tend_pool


def test_discarded_import_leaves_nothing() -> None:
    made = prepare(archive(ARCHIVE))

    discard_import(importing=made)

    assert (Import.objects.count(), Request.objects.count(), kept_files()) == (0, 0, set())


def test_import_begins_once_and_is_not_discarded_afterwards() -> None:
    made = begun(archive(ARCHIVE))

    with pytest.raises(RuleBroken) as twice:
        begin_import(importing=made, now=NOW + LEASE)
    with pytest.raises(RuleBroken) as discarded:
        discard_import(importing=made)

    assert (twice.value.code, discarded.value.code) == ("begun_already", "begun_already")
    assert set(Request.objects.values_list("try_at", flat=True)) == {NOW}


def run(path: Path, *options: str) -> tuple[dict[str, Any], str, str]:
    """Run the command and return its summary, its messages, and the error with which it ended."""
    out, err, end = StringIO(), StringIO(), ""
    try:
        call_command("import_pictures", str(path), *options, stdout=out, stderr=err)
    except CommandError as error:
        end = str(error)
    summary = json.loads(out.getvalue() or "{}")
    summary.pop("seconds", None)
    return summary, err.getvalue(), end


def test_command_brings_a_folder_in(tmp_path: Path) -> None:
    for name, content in {"snow_owl/1.png": png(seed=1), "snow_owl/2.svg": svg(), "cat/1.png": png()}.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(content)

    found = run(tmp_path, "--concept-from", "folder", "--licence", "CC0", "--checked")

    assert found == ({"added": 3, "duplicates": 0, "failed": 0}, "", "")
    rows = Picture.objects.playable().order_by("concept").values_list("concept", "licence")
    assert list(rows) == [("cat", "CC0"), ("snow owl", "CC0"), ("snow owl", "CC0")]


def test_command_goes_on_past_bad_lines_and_says_so(tmp_path: Path, answers: Answers) -> None:
    answers |= {"a.png": png(seed=1), "b.png": NotFetched("Gone.", is_final=True)}
    (tmp_path / "owl.png").write_bytes(png(seed=2))
    (tmp_path / "bad.png").write_bytes(b"no")
    rows = ["concept,file,url", "owl,owl.png,", ",owl.png,", "cat,bad.png,", "dog,none.png,"]
    rows += ["cow,,https://example.org/a.png", "pig,,https://example.org/b.png", "bird,owl.png,"]
    (tmp_path / "list.csv").write_text("\n".join(rows))

    summary, named, end = run(tmp_path / "list.csv")

    assert summary == {"added": 2, "duplicates": 0, "failed": 5}
    assert [line.partition(":")[0] for line in named.splitlines()] == [
        "Line 3", "Line 5", "Line 8", "Line 4", "Line 7"
    ]  # fmt: skip
    assert end == "5 lines are wrong, as named above. The others are in the pool."
    assert set(Picture.objects.values_list("concept", "status")) == {("owl", "waiting"), ("cow", "waiting")}


def test_command_run_twice_adds_nothing(tmp_path: Path) -> None:
    (tmp_path / "all.zip").write_bytes(archive(ARCHIVE))

    first, _, _ = run(tmp_path / "all.zip")
    second, _, end = run(tmp_path / "all.zip")

    assert first == {"added": 3, "duplicates": 0, "failed": 0}
    assert (second, end) == ({"added": 0, "duplicates": 3, "failed": 0}, "")


@pytest.mark.parametrize("name", ["nowhere", "empty", "list.csv"])
def test_command_refuses_what_holds_no_pictures(tmp_path: Path, name: str) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "list.csv").write_text("a,b\n")

    summary, _, end = run(tmp_path / name)

    assert (summary, Picture.objects.count()) == ({}, 0)
    assert end


def test_next_picture_is_due_when_it_is_tried_again(answers: Answers) -> None:
    answers |= {"owl.png": NotFetched("Busy.", is_final=False), "cat.png": png()}
    prepare(LIST)
    assert next_request(now=NOW) is None
    Import.objects.all().delete()

    begun(LIST)
    assert next_request(now=NOW) == NOW
    fulfil_requests(now=NOW)
    assert next_request(now=NOW) == NOW + WAITS[0]
    answers["owl.png"] = NotFetched("Gone.", is_final=True)
    fulfil_requests(now=NOW + WAITS[0])

    assert next_request(now=NOW) is None


def test_background_that_finds_nothing_asks_little_and_writes_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(preparation, "installed_reader", lambda: None)
    begun(archive(ARCHIVE))
    tend_pool()

    idle = watch(tend_pool)

    assert (idle.queries, idle.writes) == (4, [])

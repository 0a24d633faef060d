"""Making a release: its files hold exactly what was frozen, whatever dies in between."""

import csv
import json
from collections.abc import Iterator
from datetime import timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pyarrow.parquet as pq
import pytest

from crowd.benchmarks.models import Benchmark, Result
from crowd.releases.files.places import only_one
from crowd.releases.models import Release
from crowd.releases.services import release_files, release_states
from crowd.winogavil.releases import rows as reading
from crowd.winogavil.releases.columns import FULL, PUBLISHED
from crowd.winogavil.releases.services import frozen_rows
from crowd.winogavil.services.final_associations import finalize_associations
from hits.core.errors import RuleBroken
from hits.core.models.audit_events import AuditEvent
from hits.studies.models import Study
from hits.work.models.items import Item
from tests.crowd.winogavil.releases.data import WEIGHTS, add_verdict, benchmark_of, make_final, people
from tests.factories import NOW, make_study, make_user
from tests.idle import watch

pytestmark = pytest.mark.django_db
ZERO = timedelta()


class Killed(Exception):
    pass


def ask(study: Study, **changes: Any) -> Release:
    values: dict[str, Any] = {
        "title": "Words",
        "version": "1.0",
        "licence": "CC BY 4.0",
        "sources": ["worker"],
        "by": make_user(),
        "now": NOW,
    }
    return release_states.make_release(family="winogavil", study=study, **{**values, **changes})


def make(study: Study, **changes: Any) -> Release:
    release = ask(study, **changes)
    assert release_states.write_releases(clock=lambda: NOW) == 1
    release.refresh_from_db()
    return release


def lines(release: Release, name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (release.folder / name).read_text().splitlines()]


def table(release: Release, name: str) -> list[dict[str, str]]:
    with (release.folder / name).open(newline="") as file:
        return list(csv.DictReader(file))


def test_selected_row_in_every_form() -> None:
    study = make_study()
    one = make_final(
        study,
        cue="werewolf",
        concepts=["moon", "puppy", "cup", "key", "tree"],
        chosen=[0, 1, 2],
        predicted=[0, 3, 4],
        picks=[(0, 1, 2), (0, 1, 2), (0, 1, 3)],
    )

    release = make(study)

    # Jaccard 1, 1 and 2/4: mean 5/6; the model has 1 of 5, so 20, and the score is 80.
    expected = {
        "ID": str(one.item.public_id),
        "candidates": ["moon", "puppy", "cup", "key", "tree"],
        "cue": "werewolf",
        "associations": ["moon", "puppy", "cup"],
        "score_fool_the_ai": 80,
        "num_associations": 3,
        "num_candidates": 5,
        "solvers_jaccard_mean": 5 / 6,
        "solvers_jaccard_std": pytest.approx(0.23570226039551584, abs=0),
    }
    assert lines(release, "associations.jsonl") == [expected]
    assert pq.read_table(release.folder / "associations.parquet").to_pylist() == [expected]
    (row,) = table(release, "associations.csv")
    assert list(row) == [column.name for column in PUBLISHED]
    assert json.loads(row["candidates"]) == expected["candidates"]
    assert json.loads(row["associations"]) == expected["associations"]
    assert (row["cue"], row["score_fool_the_ai"]) == ("werewolf", "80")
    assert float(row["solvers_jaccard_mean"]) == 5 / 6


def test_full_row_says_where_it_comes_from() -> None:
    study = make_study()
    author, *solvers = people(4)
    one = make_final(
        study,
        author=author,
        picks=dict.fromkeys(solvers, (0, 1)),
        concepts=["moon", "puppy", "cup", "key", "tree"],
    )
    add_verdict(one)

    release = make(study)

    (row,) = lines(release, "full.jsonl")
    assert list(row) == [column.name for column in FULL]
    assert (row["study"], row["source"], row["selected"]) == (str(study.public_id), "worker", True)
    assert row["made_at"] == "2026-11-21T11:00:00+00:00"
    assert row["final_at"] == "2026-11-21T12:00:00+00:00"
    assert row["pictures"][0] == {
        "name": "moon",
        "sha256": one.places.get(position=0).picture.sha256,  # type: ignore[union-attr]
        "licence": "CC0",
        "credit": "A person",
        "source": "https://a.example/x",
        "chosen": True,
        "predicted": True,
    }
    assert [solver["picked"] for solver in row["solvers"]] == [["moon", "puppy"]] * 3
    assert row["solvers"][0]["jaccard"] == "1"
    (verdict,) = row["verdicts"]
    assert (verdict["rival"], verdict["weights_sha256"], verdict["code_version"]) == ("rn", WEIGHTS, "1.2.3")
    assert verdict["predicted"] == ["moon", "cup"]
    nested = pq.read_table(release.folder / "full.parquet").to_pylist()[0]
    assert nested["solvers"][0]["submitted_at"] == NOW
    assert {**nested, "made_at": row["made_at"], "final_at": row["final_at"]}["pictures"] == row["pictures"]
    assert json.loads(table(release, "full.csv")[0]["solvers"]) == row["solvers"]


def test_only_what_is_selected_of_the_chosen_sources_is_in_it() -> None:
    study = make_study()
    wanted = make_final(study)
    make_final(study, source="player")
    make_final(study, picks=[(2, 3), (2, 3), (2, 3)])
    make_final(make_study())
    make_final(study, now=NOW + timedelta(minutes=1))
    pulled = make_final(study)
    Item.objects.filter(association=pulled).update(pulled_at=NOW)

    release = make(study)

    assert [row["ID"] for row in lines(release, "full.jsonl")] == [str(wanted.item.public_id)]
    assert [row["ID"] for row in lines(release, "associations.jsonl")] == [str(wanted.item.public_id)]


def test_full_form_may_have_the_rest_and_the_published_one_never() -> None:
    study = make_study()
    good, bad = make_final(study), make_final(study, picks=[(2, 3), (2, 3), (2, 3)])

    release = make(study, with_rest=True)

    assert [row["selected"] for row in lines(release, "full.jsonl")] == [True, False]
    assert [row["ID"] for row in lines(release, "associations.jsonl")] == [str(good.item.public_id)]
    assert lines(release, "full.jsonl")[1]["ID"] == str(bad.item.public_id)


def test_no_worker_id_and_no_pseudonym_of_ours_leaves() -> None:
    study = make_study()
    author, *solvers = people(4)
    make_final(study, author=author, picks=dict.fromkeys(solvers, (0, 1)))

    release = make(study)

    everything = b"".join(path.read_bytes() for path in release.folder.iterdir())
    for worker in (author, *solvers):
        for told in (worker.external_id, worker.pseudonym, str(worker.public_id)):
            assert told.encode() not in everything
    row = lines(release, "full.jsonl")[0]
    assert len({row["author"], *(solver["solver"] for solver in row["solvers"])}) == 4


def test_pseudonyms_link_releases_only_where_somebody_chose_that() -> None:
    study = make_study()
    make_final(study, author=people(1)[0])

    alone = [lines(make(study, version=version), "full.jsonl")[0]["author"] for version in ("1", "2")]
    linked = [
        lines(make(study, version=version, linkable=True), "full.jsonl")[0]["author"]
        for version in ("3", "4")
    ]

    assert len(set(alone)) == 2
    assert len(set(linked)) == 1
    assert linked[0] not in alone


def test_pictures_of_one_concept_have_names_of_their_own() -> None:
    study = make_study()
    one = make_final(study, concepts=["dog", "dog", "cup", "key", "tree"])

    row = lines(make(study), "full.jsonl")[0]

    digests = [place.picture.sha256 for place in one.places.all() if place.picture]
    assert row["candidates"] == [f"dog~{digests[0][:10]}", f"dog~{digests[1][:10]}", "cup", "key", "tree"]
    assert row["associations"] == row["candidates"][:2]


def test_recording_may_name_two_candidates_alike() -> None:
    study = make_study()
    one = make_final(study, concepts=["dog", "cat", "cup", "key", "tree"], source="recorded")
    one.places.update(picture=None)
    one.places.filter(position__in=(1, 2)).update(label="dog")

    row = lines(make(study, sources=["recorded"]), "full.jsonl")[0]

    assert row["candidates"] == ["dog", "dog (2)", "dog (3)", "key", "tree"]
    assert row["associations"] == ["dog", "dog (2)"]
    assert (row["pictures"][1]["sha256"], row["pictures"][1]["licence"]) == ("", "")


@pytest.mark.parametrize(
    "cue", ['=HYPERLINK("http://x","y")', "@sum", "-1", 'a"b,c\nd', "ünï\u202ecode", "<b>|`#"]
)
def test_hostile_words_come_back_as_they_were(cue: str) -> None:
    """Only CSV, which spreadsheets run, gets a mark before what they would take for a formula."""
    study = make_study()
    cue = cue[:30]
    make_final(study, cue=cue)

    release = make(study)

    is_formula = cue[0] in "=@-"
    assert lines(release, "associations.jsonl")[0]["cue"] == cue
    assert pq.read_table(release.folder / "associations.parquet")["cue"].to_pylist() == [cue]
    assert table(release, "associations.csv")[0]["cue"] == (f"'{cue}" if is_formula else cue)
    assert release.counts["guarded"] == int(is_formula)


def test_every_file_is_described_by_its_digest() -> None:
    study = make_study()
    make_final(study)

    release = make(study)

    assert [file["name"] for file in release.files] == list(release_files.files_of(release))
    for file in release.files:
        content = (release.folder / file["name"]).read_bytes()
        assert (file["bytes"], file["sha256"]) == (len(content), sha256(content).hexdigest())
    sums = (release.folder / "SHA256SUMS").read_text().splitlines()
    assert sums == [f"{file['sha256']}  {file['name']}" for file in release.files[:-2]]
    assert sorted(path.name for path in release.folder.iterdir()) == sorted(release_files.files_of(release))


def test_card_tells_counts_fields_licences_and_limits() -> None:
    study = make_study()
    add_verdict(make_final(study, author=people(1)[0]))
    make_final(study, predicted=None, size=10, source="recorded")

    release = make(
        study, title="Words | and *pictures*", notes="Made in spring.", sources=["worker", "recorded"]
    )

    text = (release.folder / "README.md").read_text()
    assert text.startswith('---\npretty_name: "Words | and *pictures*"\n')
    assert "# Words \\| and \\*pictures\\*, version 1.0" in text
    assert "2 associations between a word and pictures, made by 1 people" in text
    assert "Made in spring." in text
    assert "| 10 & 12 | 1 |" in text
    assert "| CC0 | a.example | 15 |" in text
    assert f"| rn | RN50 | {WEIGHTS} | 1 |" in text
    assert "1 selected association had no answer of the model yet" in text
    assert "Recordings name their pictures" in text
    assert all(f"`{column.name}`" in text for column in FULL)
    assert not any(marks in text for marks in ("{{", "{%", "None", "&amp;", "&lt;"))


# Files that have the release's id and version.
TOLD_BY_VERSION = ("README.md", "SHA256SUMS", "croissant.json", "everything.zip")


def everything_in(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_release_that_is_killed_between_any_two_steps_comes_out_the_same() -> None:
    """Each step is one chunk of one row; it may die after writing the file and before writing the row."""
    study = make_study()
    for number in range(4):
        make_final(study, cue=f"cue{'abcd'[number]}")
    whole = make(study, version="1", linkable=True)

    broken = ask(study, version="2", linkable=True)
    note, deaths = frozen_rows._note, iter([True, False] * 50)

    def dies(*args: Any, **changes: Any) -> None:
        if "cursor" in changes and next(deaths):
            raise Killed
        note(*args, **changes)

    def in_ones(*args: Any, **changes: Any) -> Iterator[Any]:
        return reading.chunks(*args, **{**changes, "size": 1})

    with patch.object(frozen_rows, "_note", dies), patch.object(frozen_rows, "chunks", in_ones):
        for _ in range(100):
            broken.refresh_from_db()
            if broken.is_complete:
                break
            try:
                release_states.write_some(broken, clock=lambda: NOW, stretch=ZERO)
            except Killed:
                continue

    assert broken.is_complete
    assert broken.rows_done == len(lines(broken, "full.jsonl")) == 4
    told = everything_in(whole.folder)
    for name, content in everything_in(broken.folder).items():
        if name not in TOLD_BY_VERSION:
            assert content == told[name], name


def test_two_processes_never_work_on_one_release() -> None:
    study = make_study()
    make_final(study)
    release = ask(study)

    with only_one(release, wait=False) as is_ours:
        assert is_ours
        assert release_states.write_releases(clock=lambda: NOW) == 0

    release.refresh_from_db()
    assert (release.status, release.rows_done) == (Release.Status.FREEZING, 0)
    assert release_states.write_releases(clock=lambda: NOW) == 1


def test_full_disk_fails_the_release_and_trying_again_makes_it() -> None:
    study = make_study()
    make_final(study)
    release = ask(study)
    with patch.object(release_files, "write_pieces", side_effect=OSError(28, "No space left on device")):
        release_states.write_releases(clock=lambda: NOW)
    release.refresh_from_db()
    assert (release.status, release.problem) == (
        Release.Status.FAILED, "The files cannot be written: No space left on device.",
    )  # fmt: skip

    release_states.try_again(release=release, by=make_user(), now=NOW)
    release_states.write_releases(clock=lambda: NOW)

    release.refresh_from_db()
    assert release.is_complete
    assert release.rows_done == len(lines(release, "full.jsonl")) == 1


def test_association_reopened_while_it_is_read_is_left_out() -> None:
    study = make_study()
    one, other = make_final(study), make_final(study)
    release = ask(study)

    def reopened_meanwhile(*args: Any, **changes: Any) -> Iterator[Any]:
        some = list(reading.chunks(*args, **changes))
        Item.objects.filter(association=one).update(recount=True)
        finalize_associations(now=NOW)
        return iter(some)

    with patch.object(frozen_rows, "chunks", reopened_meanwhile):
        release_states.write_some(release, clock=lambda: NOW, stretch=ZERO)
    release_states.write_releases(clock=lambda: NOW)

    release.refresh_from_db()
    assert [row["ID"] for row in lines(release, "full.jsonl")] == [str(other.item.public_id)]


def test_what_changes_later_changes_no_release() -> None:
    study = make_study()
    one = make_final(study, cue="before")
    release = make(study)
    before = everything_in(release.folder)

    type(one).objects.filter(pk=one.pk).update(cue="after")
    release_states.write_releases(clock=lambda: NOW)

    assert everything_in(release.folder) == before


def test_release_of_nothing_is_refused() -> None:
    study = make_study()
    make_final(study, picks=[(2, 3), (2, 3), (2, 3)])

    with pytest.raises(RuleBroken, match="nothing to release"):
        ask(study)
    with pytest.raises(RuleBroken, match="Choose whose"):
        ask(study, sources=[])
    with pytest.raises(RuleBroken, match="Choose whose"):
        ask(study, sources=["nobody"])

    assert Release.objects.count() == 0
    assert AuditEvent.objects.filter(kind__startswith="release").count() == 0


def test_version_is_made_once() -> None:
    study = make_study()
    make_final(study)
    first = ask(study)

    with pytest.raises(RuleBroken, match="There is a version"):
        ask(study)

    assert list(Release.objects.all()) == [first]


def test_published_release_stays() -> None:
    study, user = make_study(), make_user()
    make_final(study)
    release = make(study)

    release_states.publish_release(release=release, by=user, now=NOW)
    with pytest.raises(RuleBroken, match="never deleted"):
        release_states.delete_release(release=release, by=user, now=NOW)

    release.refresh_from_db()
    assert (release.status, release.released_by, release.released_at) == ("released", user, NOW)
    assert sorted(everything_in(release.folder)) == sorted(release_files.files_of(release))


def test_release_that_is_not_ready_is_not_published() -> None:
    study = make_study()
    make_final(study)
    release = ask(study)

    with pytest.raises(RuleBroken, match="is ready can be published"):
        release_states.publish_release(release=release, by=make_user(), now=NOW)

    release.refresh_from_db()
    assert (release.status, release.released_at) == ("freezing", None)


def test_deleted_release_leaves_nothing() -> None:
    study = make_study()
    make_final(study)
    release = make(study)
    benchmark_of(release)

    release_states.delete_release(release=release, by=make_user(), now=NOW)

    assert Release.objects.count() == Benchmark.objects.count() == Result.objects.count() == 0
    assert not release.folder.exists()
    assert not release.frozen.exists()
    assert AuditEvent.objects.filter(kind="release.deleted", study=study).count() == 1


def test_reading_takes_as_many_queries_for_many_rows_as_for_few(django_assert_num_queries: Any) -> None:
    study = make_study()
    for _ in range(6):
        add_verdict(make_final(study, author=people(1)[0]))
    naming = reading.Naming(salt="x")
    belonging = frozen_rows.belonging(Release(study=study, sources=["worker"], made_at=NOW))

    with django_assert_num_queries(6):
        some = next(reading.chunks(belonging))
        rows = reading.full_rows(some[:1], naming=naming, threshold=80)
    assert len(rows) == 1
    for wanted in (2, 6):
        with django_assert_num_queries(5):
            assert len(reading.full_rows(some[:wanted], naming=naming, threshold=80)) == wanted


def test_release_is_due_for_as_long_as_it_is_being_made() -> None:
    study = make_study()
    make_final(study)
    assert release_states.next_release(now=NOW) is None

    release = ask(study)
    assert release_states.next_release(now=NOW + timedelta(hours=1)) == NOW
    with only_one(release, wait=False):
        assert watch(lambda: release_states.write_releases(clock=lambda: NOW)).writes == []
    release_states.write_releases(clock=lambda: NOW)

    assert release_states.next_release(now=NOW) is None
    idle = watch(lambda: release_states.write_releases(clock=lambda: NOW))
    assert (idle.queries, idle.writes) == (1, [])


def test_release_that_failed_waits_for_a_person() -> None:
    study = make_study()
    make_final(study)
    ask(study)
    with patch.object(release_files, "write_pieces", side_effect=OSError(28, "No space left on device")):
        release_states.write_releases(clock=lambda: NOW)

    assert release_states.next_release(now=NOW) is None

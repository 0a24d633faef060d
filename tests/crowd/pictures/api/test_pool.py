"""The pool in the REST API: pictures, reports, imports and wanted concepts."""

from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test.utils import CaptureQueriesContext

from crowd.pictures.models import Import, Picture, Report, Request
from crowd.pictures.services.flagged_pictures import drop_flagged
from crowd.pictures.services.picture_reports import report_picture
from hits.core.models.audit_events import AuditEvent
from hits.identity.api_tokens import Scope
from tests.crowd.pictures.images import archive, make_raster, make_waiting, png, svg
from tests.crowd.pictures.staff import KEEPER
from tests.crowd.pictures.test_flagged import make_written
from tests.factories import NOW
from tests.hits.calling import Notebook, notebook
from tests.qualifications.lists import make_list

pytestmark = pytest.mark.django_db
ARCHIVE = archive({"owl/1.png": png(), "cat/1.svg": svg()})


@pytest.fixture
def keeper() -> Notebook:
    return notebook(*KEEPER)


def make_flagged(*, seed: int = 0) -> Picture:
    """A picture that its letters made unfit."""
    picture = make_written("open daily", seed=seed)
    drop_flagged(now=NOW)
    return picture


def upload(held: Notebook, content: bytes = ARCHIVE, **more: Any) -> Any:
    given = {"file": SimpleUploadedFile("owls.zip", content), "concept_from": "folder", **more}
    return held.client.post("/api/picture-imports/upload/", given, headers=held.headers())


def test_picture_is_told_with_its_state_and_found_by_its_digest(keeper: Notebook) -> None:
    flagged = make_flagged(seed=1)
    make_raster(seed=2)

    (row,) = keeper.get("pictures/", sha256=flagged.sha256).json()["results"]
    (undecided,) = keeper.get("pictures/", awaits_decision="true").json()["results"]

    assert row == undecided == keeper.get(f"pictures/{flagged.pk}/").json()
    assert (row["sha256"], row["status"], row["unfit_reason"]) == (flagged.sha256, "unfit", "words")
    assert (row["shows_words"], row["ocr_text"]) == (True, "open daily")


def test_letters_are_overruled_and_held_against_the_picture_again(keeper: Notebook) -> None:
    picture = make_flagged()
    here = f"pictures/{picture.pk}/"

    allowed = keeper.post(f"{here}allow/").json()
    fit = keeper.get(here).json()["status"]
    keeper.post(f"{here}disallow/")

    assert (allowed["message"], fit) == ("1 picture allowed in spite of letters.", "fit")
    assert keeper.get(here).json()["status"] == "unfit"


def test_picture_is_removed_with_a_reason_restored_and_checked_again(keeper: Notebook) -> None:
    here = f"pictures/{make_raster().pk}/"

    bare = keeper.post(f"{here}remove/")
    blank = keeper.post(f"{here}remove/", {"reason": " "})
    before = keeper.get(here).json()["status"]
    keeper.post(f"{here}remove/", {"reason": "It is somebody's own."})
    removed = keeper.get(here).json()
    keeper.post(f"{here}restore/", {"reason": "A mistake."})
    restored = keeper.get(here).json()["status"]
    keeper.post(f"{here}recheck/")

    assert (bare.status_code, blank.status_code, before) == (400, 400, "fit")
    assert (removed["status"], removed["removal_reason"]) == ("removed", "It is somebody's own.")
    assert (restored, keeper.get(here).json()["status"]) == ("fit", "waiting")
    assert AuditEvent.objects.filter(kind="picture.removed").count() == 1


@pytest.mark.parametrize("verb", ["allow", "disallow", "remove", "restore", "recheck"])
def test_verbs_need_the_permission_of_the_page_and_the_scope(verb: str) -> None:
    picture = make_flagged()
    unscoped = notebook(*KEEPER, scopes=[Scope.READ])

    answers = [
        held.post(f"pictures/{picture.pk}/{verb}/", {"reason": "Why not."})
        for held in (notebook("view_picture"), unscoped)
    ]

    picture.refresh_from_db()
    assert ([answer.status_code for answer in answers], picture.status) == ([403, 403], "unfit")


def test_words_are_corrected_as_the_page_corrects_them(keeper: Notebook) -> None:
    picture = make_raster(concept="owl")
    here = f"pictures/{picture.pk}/"

    told = keeper.patch(here, {"concept": " snow  owl ", "licence": "CC0"})
    refused = keeper.patch(here, {"concept": "!!!"})
    other = keeper.patch(here, {"status": "removed"})

    assert (told.status_code, told.json()["concept"], told.json()["licence"]) == (200, "snow owl", "CC0")
    assert (refused.status_code, list(refused.json())) == (400, ["concept"])
    assert (other.status_code, other.json()["status"]) == (200, "fit")
    assert notebook("view_picture").patch(here, {"concept": "cat"}).status_code == 403


def test_picture_is_prepared_again(keeper: Notebook) -> None:
    picture = make_flagged()

    assert keeper.post(f"pictures/{picture.pk}/prepare/").status_code == 200

    picture.refresh_from_db()
    assert (picture.prepared_at, picture.read_by) == (None, "")


def test_waiting_picture_is_found_fit_or_unfit_and_a_verdict_is_undone(keeper: Notebook) -> None:
    good, bad = make_waiting(2)

    fit = keeper.post(f"pictures/{good.pk}/fit/").json()
    again = keeper.post(f"pictures/{good.pk}/fit/")
    strange = keeper.post(f"pictures/{bad.pk}/unfit/", {"reason": "ugly"})
    unfit = keeper.post(f"pictures/{bad.pk}/unfit/", {"reason": "quality"}).json()
    undone = keeper.post("pictures/undo-check/").json()

    assert (fit["status"], fit["checked_by"]) == ("fit", keeper.user.username)
    assert [(one.status_code, one.json()["code"]) for one in (again, strange)] == [
        (409, "checked_already"),
        (409, "no_reason"),
    ]
    assert (unfit["status"], unfit["unfit_reason"]) == ("unfit", "quality")
    assert (undone["number"], undone["status"]) == (bad.pk, "waiting")
    assert notebook("view_picture").post(f"pictures/{bad.pk}/fit/").status_code == 403


def test_report_is_told_by_pseudonym_and_decided_once(keeper: Notebook) -> None:
    picture = make_raster()
    report_picture(picture=picture, reason="inappropriate", by_worker="W1", now=NOW)

    (row,) = keeper.get("picture-reports/", status="open", picture=str(picture.pk)).json()["results"]
    here = f"picture-reports/{row['number']}/"
    dismissed = keeper.post(f"{here}dismiss/")
    again = keeper.post(f"{here}uphold/")

    picture.refresh_from_db()
    assert (row["sha256"], row["worker"], row["reason"]) == (picture.sha256, "W1", "inappropriate")
    assert (dismissed.json()["status"], dismissed.json()["decided_by"]) == (
        "dismissed",
        keeper.user.username,
    )
    assert (again.status_code, again.json()["code"], picture.status) == (409, "decided_already", "fit")


def test_report_is_upheld_only_by_who_may_remove_pictures() -> None:
    picture = make_raster()
    report = report_picture(picture=picture, reason="missing", by_worker="W1", now=NOW)
    here = f"picture-reports/{report.pk}/uphold/"

    refused = notebook("view_report").post(here)
    still = Report.objects.get().status
    upheld = notebook("view_report", "remove_picture").post(here)

    assert (refused.status_code, still) == (403, "open")
    assert upheld.json()["status"] == "upheld"


def test_import_is_uploaded_read_and_begun(keeper: Notebook) -> None:
    made = upload(keeper, licence="CC0")
    here = f"picture-imports/{made.json()['number']}/"
    lines = keeper.get("import-lines/", picture_import=str(made.json()["number"])).json()["results"]
    begun = keeper.post(f"{here}begin/")
    refused = [keeper.post(f"{here}{verb}/") for verb in ("begin", "discard")]

    assert (made.status_code, made.json()["waiting"], made.json()["begun_at"]) == (201, 2, None)
    assert sorted(line["concept"] for line in lines) == ["cat", "owl"]
    assert (begun.status_code, Request.objects.filter(try_at=None).count()) == (200, 0)
    assert [(one.status_code, one.json()["code"]) for one in refused] == [(409, "begun_already")] * 2


def test_import_that_cannot_be_read_leaves_nothing_behind(keeper: Notebook) -> None:
    bad = upload(keeper, archive({"notes.txt": b"no picture"}))
    strange = upload(keeper, association_list="5b3c8a52-6df4-4a3f-9a49-6f37d4b9c111")

    assert (bad.status_code, bad.json()["code"]) == (400, "invalid_items")
    assert (strange.status_code, list(strange.json())) == (400, ["association_list"])
    assert not Import.objects.exists()


def test_import_is_discarded_and_failed_lines_are_tried_again(keeper: Notebook) -> None:
    here = f"picture-imports/{upload(keeper).json()['number']}/"

    again = keeper.post(f"{here}again/")
    discarded = keeper.post(f"{here}discard/")

    assert again.json()["message"] == "0 addresses are tried again."
    assert (discarded.status_code, keeper.get(here).status_code) == (200, 404)
    assert upload(notebook("view_picture")).status_code == 403


def test_wanted_concepts_of_a_list_are_told_in_pages_with_filters() -> None:
    swow = make_list([("owl", "night", 9, 0), ("volcano", "fire", 40, 0), ("ship", "sea", 5, 0)], name="en")
    make_raster(concept="owl")
    make_raster(seed=1, concept="ship", is_checked=False)
    held = notebook("view_picture", "view_swowlist")
    here = f"wanted-concepts/{swow.public_id}/"

    told = held.get(here, order="answers").json()
    waiting = held.get(here, which="awaited", q="SHI").json()
    far = held.get(here, page="9").json()

    assert told["pictured"] == 1
    assert told["concepts"][0]["word"] == "volcano"
    assert waiting["concepts"] == [{"word": "ship", "answers": 5, "states": {"waiting": 1}, "coming": 0}]
    assert (far["found"], far["concepts"]) == (told["found"], [])
    assert held.get(here, which="nonsense").status_code == 400
    assert notebook("view_picture").get(here).status_code == 403


@pytest.mark.parametrize("path", ["pictures", "picture-reports", "picture-imports", "import-lines"])
def test_lists_ask_as_often_for_many_rows_as_for_few(keeper: Notebook, path: str) -> None:
    keeper.get(f"{path}/")
    counts = []
    for rows in (range(2), range(2, 8)):
        for seed in rows:
            picture = make_raster(seed=seed)
            report_picture(picture=picture, reason="missing", by_worker=f"W{seed}", now=NOW)
            upload(keeper)
        with CaptureQueriesContext(connection) as queries:
            answer = keeper.get(f"{path}/")
        counts.append(len(queries))
        assert len(answer.json()["results"]) >= len(rows)

    assert counts[0] == counts[1]
    assert Picture.objects.count() == 8

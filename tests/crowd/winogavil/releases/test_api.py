"""The API of releases for notebooks: the scope `export`, the owner's permissions and the owner's studies."""

import json
from typing import Any

import pytest

from crowd.benchmarks.models import Benchmark
from crowd.releases.models import Release
from crowd.releases.services import release_states
from hits.core.models.audit_events import AuditEvent
from hits.studies.models import Study
from tests.crowd.winogavil.releases.data import make_final
from tests.factories import NOW, make_study, make_user
from tests.hits.calling import notebook

pytestmark = pytest.mark.django_db
ALL = ("view_release", "export_batch", "view_result", "add_result")


def a_release(study: Study, **changes: Any) -> Release:
    values = {"title": "Words", "version": "1", "licence": "CC0", "sources": ["worker"], "by": make_user()}
    release = release_states.make_release(family="winogavil", study=study, now=NOW, **{**values, **changes})
    release_states.write_releases(clock=lambda: NOW)
    release.refresh_from_db()
    return release


def test_releases_are_listed_and_read() -> None:
    study, other = make_study(), make_study()
    make_final(study)
    make_final(other)
    release = a_release(study)
    a_release(other)
    held = notebook(*ALL, sees=[study])

    listed = held.get("releases/").json()["results"]
    narrowed = held.get("releases/", study=str(other.public_id)).json()["results"]
    one = held.get(f"releases/{release.public_id}/").json()

    assert listed == [one]
    assert narrowed == []
    assert (one["study"], one["version"], one["status"]) == (str(study.public_id), "1", "ready")
    assert one["counts"]["selected"] == 1
    assert [file["name"] for file in one["files"]][:2] == ["associations.csv", "associations.jsonl"]


def test_file_is_downloaded_with_its_digest() -> None:
    study = make_study()
    make_final(study, cue="snow")
    release = a_release(study)
    held = notebook(*ALL, sees=[study])

    answer = held.get(f"releases/{release.public_id}/download/", name="associations.jsonl")

    assert json.loads(b"".join(answer.streaming_content))["cue"] == "snow"
    assert answer["Cache-Control"] == "no-store"
    assert AuditEvent.objects.get(kind="release.taken").by == held.user
    assert held.get(f"releases/{release.public_id}/download/", name="../x").status_code == 404
    assert held.get(f"releases/{release.public_id}/download/").status_code == 400


@pytest.mark.parametrize(
    ("permissions", "scopes", "path", "code"),
    [
        (ALL, ["read"], "", 403),
        (ALL, ["read", "draft", "launch", "review", "workers"], "download/?name=README.md", 403),
        (("export_batch",), ["export"], "", 403),
        (("view_release",), ["export"], "", 200),
        (("view_release",), ["export"], "download/?name=README.md", 403),
        (ALL, ["export"], "download/?name=README.md", 200),
    ],
    ids=["no scope", "no scope to take", "no permission", "looking", "looking only", "taking"],
)
def test_scope_and_permissions_are_both_needed(permissions: Any, scopes: Any, path: str, code: int) -> None:
    study = make_study()
    make_final(study)
    release = a_release(study)
    held = notebook(*permissions, scopes=scopes, sees=[study])

    answer = held.client.get(f"/api/releases/{release.public_id}/{path}", headers=held.headers())

    answer.close()
    assert answer.status_code == code


def test_release_of_another_study_is_not_there() -> None:
    study = make_study()
    make_final(study)
    release = a_release(study)
    held = notebook(*ALL, sees=[make_study()])

    for path in ("", "download/?name=README.md"):
        address = f"/api/releases/{release.public_id}/{path}"
        assert held.client.get(address, headers=held.headers()).status_code == 404
    asked = held.post("benchmarks/", {"release": str(release.public_id), "task": "associations"})
    assert asked.status_code == 404
    assert Benchmark.objects.count() == 0

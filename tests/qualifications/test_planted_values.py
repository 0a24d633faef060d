"""Demographic answers must be in no other place: a search for planted values that nothing else contains."""

import json
import logging
from collections.abc import Iterator
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
import structlog
from celery.app.task import Task
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from drf_spectacular.generators import SchemaGenerator

from crowd.frame import before_work, visit_authentication
from crowd.releases.services import release_states
from crowd.statement import statement_links
from hits.core.audit_trail import note
from hits.core.domain.months import read_month
from hits.core.models.audit_events import AuditEvent
from hits.data.services import batch_export
from hits.identity.models.users import User
from hits.ledger.models.transfers import LedgerEntry
from hits.payments.models.runs import Run
from hits.payments.services import finance_files
from hits.providers.gateway import registry
from hits.studies.models import Batch, Study
from hits.work.models.assignments import Assignment
from qualifications.domain import about_people
from qualifications.models import Consent, Demographics, PeopleCount
from qualifications.services import demographics
from tests import admin_pages
from tests.crowd.frame.test_asking import agree, open_hit, visit
from tests.crowd.frame.test_question import SITE
from tests.crowd.winogavil.releases.data import make_final
from tests.factories import NOW, make_consent_text, make_user, make_worker
from tests.hits.calling import Notebook
from tests.stubbed import StubbedTurk

pytestmark = pytest.mark.django_db
AGE, WORD = 97_531_864_209_753, "zzplanted"
PLANTED = {
    "age": AGE,
    "gender": f"{WORD}-gender",
    "education": f"{WORD}-school",
    "native_english": f"{WORD}-tongue",
}


class Honest:
    """A stand-in for the form that accepts what no real form would: values that cannot occur by chance."""

    is_minor = False
    answers = PLANTED

    def __init__(self, data: object = None) -> None:
        pass

    def is_valid(self) -> bool:
        return True


def is_planted(text: str) -> bool:
    return WORD in text or str(AGE) in text or f"{AGE:,}" in text


def look(found: dict[str, str]) -> list[str]:
    return sorted(name for name, text in found.items() if is_planted(text))


def go_the_way(client: Client, caplog: pytest.LogCaptureFixture) -> dict[str, str]:
    """Go through the frame from the consent to the work. Returns what was logged and sent meanwhile."""
    caplog.set_level(logging.DEBUG)
    sent: list[str] = []
    hit = open_hit()
    make_consent_text(study=hit.batch.study, asks_demographics=True)
    with pytest.MonkeyPatch.context() as patch, structlog.testing.capture_logs() as logs:
        patch.setattr(Task, "apply_async", lambda *args, **more: sent.append(repr((args[1:], more))))
        patch.setattr(before_work, "PersonForm", Honest)
        patch.setattr(about_people, "is_offered", lambda *_: True)
        agree(client, visit(client, hit))
        # The page itself is skipped: the stand-in has no form to render.
        work = Assignment.objects.get(hit=hit)
        token = visit_authentication.write_token(
            assignment=work, submit_to=SITE, purpose=visit_authentication.CONSENT
        )
        answers = {name: str(value) for name, value in PLANTED.items()}
        client.post(f"/q/{hit.public_id}/tell/", {"token": token, **answers})
        page = visit(client, hit)
    assert json.loads(Demographics.objects.latest("pk").answers) == PLANTED
    return {"logs": repr(logs) + caplog.text, "messages": "".join(sent), "work": page.content.decode()}


@dataclass(frozen=True, kw_only=True)
class World:
    user: User
    on_the_way: dict[str, str]


@pytest.fixture
def world(client: Client, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch) -> World:
    """Rows for every page; one worker has answered in the frame, and a dozen others the same."""
    stubbed = StubbedTurk()
    monkeypatch.setattr(registry, "_boto_provider", lambda **_: stubbed.provider)
    user = admin_pages.fill(hits=20, batches=2, now=timezone.now())
    user.is_superuser = True
    user.save()
    told = go_the_way(client, caplog)
    Demographics.objects.update(answers=json.dumps(PLANTED))
    client.force_login(user)
    return World(user=user, on_the_way=told)


def body(response: Any) -> str:
    content = b"".join(response.streaming_content) if response.streaming else response.content
    return str(content.decode(errors="replace"))


def admin(client: Client) -> dict[str, str]:
    found = {name: body(client.get(address)) for name, address in admin_pages.pages()}
    study = Consent.objects.earliest("pk").text.study
    counted = client.post(reverse("admin:qualifications_count_people", args=[study.pk]), {"confirmed": "yes"})
    assert PeopleCount.objects.exists()
    page = reverse("admin:qualifications_people", args=[study.pk])
    files = {f"people.{form}": body(client.get(f"{page}people.{form}")) for form in ("csv", "json")}
    return {**found, **files, "counted": body(counted), "people": body(client.get(page))}


def api(user: User) -> dict[str, str]:
    """Answers of every address of the schema to GET; of a list's rows, the newest one is asked for."""
    schema: Any = SchemaGenerator()  # type: ignore[no-untyped-call]
    paths = schema.get_schema(request=None, public=True)["paths"]
    notebook = Notebook(user)
    found: dict[str, str] = {}
    rows: dict[str, str] = {}
    for path in sorted((path for path, methods in paths.items() if "get" in methods), key=len):
        group = path.split("/")[2]
        if "{" in path and group not in rows:
            continue
        response = notebook.get(path.removeprefix("/api/").replace("{public_id}", rows.get(group, "")))
        found[path] = body(response)
        results = json.loads(found[path]).get("results", []) if path == f"/api/{group}/" else []
        if group == "workers":  # a worker who has answered
            results = [row for row in results if row["public_id"] in _tellers()] or results
        if results and "public_id" in results[0]:
            rows[group] = results[0]["public_id"]
    return found


def _tellers() -> set[str]:
    return {str(row.worker.public_id) for row in Demographics.objects.select_related("worker")}


def files(user: User, folder: Path) -> dict[str, str]:
    """Contents of exports, releases and the finance office's files."""
    now = timezone.now()
    study = Study.objects.earliest("pk")
    make_final(study, author=Demographics.objects.earliest("pk").worker)
    release_states.make_release(
        family="winogavil",
        study=study,
        version="1.0",
        title="Words",
        licence="CC0",
        sources=["worker"],
        by=user,
        now=now,
    )
    release_states.write_releases(clock=timezone.now)
    for kind in ("csv", "jsonl"):
        call_command(
            "export",
            "winogavil",
            study=study.name,
            out=folder,
            format=kind,
            full=True,
            all=True,
            stdout=StringIO(),
        )
    found = {path.name: path.read_bytes().decode(errors="replace") for path in _files(folder)}
    for batch in Batch.objects.all():
        facts = batch_export.describe_export(batch=batch, include_excluded=True, by=user, now=now)
        rows = list(batch_export.export_batch(batch=batch, include_excluded=True))
        found[f"batch {batch.pk}"] = repr((facts, rows))
    reason = "To pay them."
    finance = {
        "close": finance_files.close_file(
            studies=Study.objects.all(), month=read_month(f"{now:%Y-%m}"), by=user, now=now, reason=reason
        ),
        "run": finance_files.run_file(run=Run.objects.latest("pk"), by=user, now=now, reason=reason),
        "ledger": finance_files.ledger_file(study=study, entries=LedgerEntry.objects.all(), by=user, now=now),
        "audit": finance_files.audit_file(events=AuditEvent.objects.all(), by=user, now=now),
    }
    return {**found, **{name: repr((file.header, list(file.rows))) for name, file in finance.items()}}


def _files(folder: Path) -> Iterator[Path]:
    return (path for path in folder.rglob("*") if path.is_file())


def statement(client: Client) -> dict[str, str]:
    given = Consent.objects.filter(withdrawn_at=None, worker__demographics__isnull=False).earliest("pk")
    token = statement_links.write_token_for(worker=given.worker, study=given.text.study, now=timezone.now())
    where = reverse("statement:consent", args=[token])
    addresses = {
        "pay": reverse("statement:pay", args=[token]),
        "consent": where,
        "withdraw": f"{where}?withdraw={given.text.study.public_id}",
    }
    pages = {name: client.get(address) for name, address in addresses.items()}
    assert {page.status_code for page in pages.values()} == {200}
    assert "Erase what I told about myself" in body(pages["consent"])
    return {name: body(page) for name, page in pages.items()}


def tables() -> dict[str, str]:
    """Every row of every table, as the database keeps it."""
    found = {}
    with connection.cursor() as cursor:
        for name in connection.introspection.table_names(cursor):
            cursor.execute(f"SELECT * FROM {connection.ops.quote_name(name)}")  # noqa: S608 - our own tables
            found[name] = repr(cursor.fetchall())
    return found


def test_what_people_say_of_themselves_is_found_nowhere(world: World, client: Client, tmp_path: Path) -> None:
    seen = {
        "on the way": world.on_the_way,
        "admin": admin(client),
        "API": api(world.user),
        "files": files(world.user, tmp_path),
        "statement": statement(client),
        "database": tables(),
    }

    assert {place: look(found) for place, found in seen.items()} == {place: [] for place in seen}
    assert {place: len(found) for place, found in seen.items() if len(found) < 3} == {}
    assert len(seen["admin"]) > 80
    assert len(seen["API"]) > 25


def test_the_look_finds_what_is_there(client: Client) -> None:
    """One careless line in the audit log is found wherever it can be read."""
    user = make_user(is_superuser=True)
    client.force_login(user)

    note("careless", f"She is {WORD}.", by=user, now=NOW)

    page = body(client.get(reverse("admin:hits_auditevent_changelist")))
    file = finance_files.audit_file(events=AuditEvent.objects.all(), by=user, now=NOW)
    assert look({"page": page, "file": repr(list(file.rows))}) == ["file", "page"]
    assert look(tables()) == [AuditEvent._meta.db_table]


def test_erased_is_not_in_the_database_in_any_form() -> None:
    worker = make_worker()
    Demographics.objects.create(worker=worker, answers=json.dumps(PLANTED), asked_at=NOW)

    demographics.erase(worker=worker)

    assert tables()["qualifications_demographics"] == "[]"

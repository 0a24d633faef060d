"""The notebook of docs/api.md, run as it stands there, over real HTTP."""

import re
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as project
from django.utils import timezone

from hits.batches.services import sending_hits
from hits.identity.api_tokens import Scope, make_token
from hits.identity.roles import RESEARCHER
from hits.studies.models import Batch
from hits.work.models.assignments import Assignment
from hits.work.models.decisions import Decision
from hits.work.models.hits import HIT
from tests.conftest import Sites
from tests.factories import make_account, make_assignment, make_picture
from tests.people import make_member
from tests.stubbed import StubbedTurk

SNIPPETS = re.findall(r"```python\n(.*?)```", (project.BASE_DIR / "docs" / "api.md").read_text(), re.DOTALL)


@pytest.fixture
def token(sites: Sites, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> str:
    """Make a researcher's token, and put a file of items into the notebook's folder."""
    make_account()
    user = make_member(RESEARCHER)
    _, secret = make_token(user=user, name="notebook", scopes=Scope.values, now=timezone.now())
    keys = [make_picture().key for _ in range(5)]
    rows = [f"{cue},{'|'.join(keys)},{'|'.join(keys[:2])}" for cue in ("cold", "round")]
    (tmp_path / "items.csv").write_text("\n".join(["cue,candidates,chosen", *rows]))
    monkeypatch.chdir(tmp_path)
    for name, value in {"CROWD_SITE": sites.public, "CROWD_TOKEN": secret, "no_proxy": "*"}.items():
        monkeypatch.setenv(name, value)
    return secret


def work_on(batch: Batch) -> None:
    """Do what workers and the background processes do meanwhile."""
    sending_hits.send_launching_batches(now=timezone.now())
    for hit in batch.hits.all():
        make_assignment(
            hit=hit, status="submitted", submitted_at=timezone.now(), answer={}, accepted_at=timezone.now()
        )
        make_assignment(hit=hit, status="approved", submitted_at=timezone.now(), answer={})


@pytest.mark.django_db(transaction=True)
def test_walkthrough_leads_from_a_token_to_answers(
    token: str, turk: StubbedTurk, capsys: pytest.CaptureFixture[str]
) -> None:
    notebook: dict[str, Any] = {}

    for snippet in SNIPPETS:
        exec(compile(snippet, "docs/api.md", "exec"), notebook)  # noqa: S102
        if "launch/" in snippet:
            work_on(Batch.objects.get())

    batch = Batch.objects.get()
    assert (batch.status, batch.hits.exclude(status=HIT.Status.INTENDED).count()) == ("draining", 2)
    assert (len(notebook["answers"]), len(notebook["rows"])) == (2, 4)
    assert [decision.kind for decision in Decision.objects.all()] == ["approve"]
    assert Assignment.objects.filter(notes__text="A good example.").count() == 1
    printed = capsys.readouterr().out
    assert "decided_already" in printed
    assert "4 of 6" in printed


def test_walkthrough_is_all_of_the_document() -> None:
    assert len(SNIPPETS) == 9

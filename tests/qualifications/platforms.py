"""Rows of gates, their types and their holders; and the provider behind every account of a test."""

from itertools import count
from typing import Any

import pytest

from crowd.winogavil.domain import SOLVE
from hits.identity.models.workers import Worker
from hits.providers.gateway import registry
from qualifications.models import Gate, Holding, PlatformType
from tests.crowd.marketplace.qualifying import answer_key, question_form
from tests.factories import NOW, make_account, make_study, make_worker
from tests.stubbed import StubbedTurk

TEST = "solver-test"
OWN_TEST = {
    "grading": "provider",
    "test_task": "",
    "question_form": question_form(),
    "answer_key": answer_key(),
    "test_duration_s": 600,
}
_numbers = count(1)


@pytest.fixture
def turk(monkeypatch: pytest.MonkeyPatch) -> StubbedTurk:
    stubbed = StubbedTurk()
    monkeypatch.setattr(registry, "_boto_provider", lambda **_: stubbed.provider)
    return stubbed


def make_gate(**changes: Any) -> Gate:
    """Make a gate before the solving of associations, whose test is the task TEST."""
    values: dict[str, Any] = {
        "study": changes.get("study") or make_study(),
        "name": f"Solver test {next(_numbers)}",
        "description": "Ten associations.",
        "test_task": TEST,
        "opens": [SOLVE],
        "rules": [{"measure": "jaccard", "above": 80}],
    }
    return Gate.objects.create(**{**values, **changes})


def make_type(**changes: Any) -> PlatformType:
    """Make a type: ready, unless a status is given."""
    values: dict[str, Any] = {
        "gate": changes.get("gate") or make_gate(),
        "account": changes.get("account") or make_account(),
        "status": PlatformType.Status.READY,
        "external_id": f"QUALIFICATION{next(_numbers):017}",
    }
    return PlatformType.objects.create(**{**values, **changes})


def make_holding(row: PlatformType, *, worker: Worker | None = None, **changes: Any) -> Holding:
    """Make a holding: passed and not yet sent to the provider, unless changed."""
    values: dict[str, Any] = {
        "gate": row.gate,
        "worker": worker or make_worker(account=row.account),
        "value": Holding.Value.PASSED,
        "changed_at": NOW,
    }
    return Holding.objects.create(**{**values, **changes})

"""Gates in front of tasks, and what workers hold of them."""

from collections.abc import Collection, Iterable

from hits import families
from hits.common.kept_queries import KeptQuery, given_id
from hits.identity.models.workers import Worker
from hits.providers.models.accounts import Account
from hits.studies.models import Batch
from qualifications.models import Gate, Holding

# Batches in which a test can be taken now.
OPEN = (Batch.Status.LAUNCHING, Batch.Status.OPEN)
ACTIVE = KeptQuery(
    lambda: (
        Gate.objects.filter(study=given_id("study"), is_active=True)
        .select_related("study")
        .order_by("pk")
        .defer("question_form", "answer_key")
    )
)


def active_gates(study_id: int) -> list[Gate]:
    """All active gates of a study, in one query.

    The tasks that they open are JSON, which one of the databases cannot search.
    """
    return ACTIVE.rows(study=study_id)


def is_gated(batch: Batch) -> bool:
    """Whether gates apply: not to web players, to tasks that only pay a bonus, or to an unsaved draft."""
    if None in (batch.study_id, batch.account_id):
        return False
    return not batch.account.can.are_players and families.is_offered(batch.task)


def gates_opening(gates: Iterable[Gate], task: str) -> list[Gate]:
    return [gate for gate in gates if task in gate.opens]


def gates_tested_by(gates: Iterable[Gate], task: str) -> list[Gate]:
    return [gate for gate in gates if gate.test_task and gate.test_task == task]


def holdings_of(worker: Worker, gates: Collection[Gate]) -> dict[int, Holding]:
    """The worker's holdings at these gates, by gate."""
    rows = Holding.objects.filter(worker=worker, gate__in=[gate.pk for gate in gates])
    return {row.gate_id: row for row in rows}


def tests_to_take(gates: Collection[Gate], *, account: Account) -> dict[int, str]:
    """Title of the newest HIT in which each gate's test can be taken now, by gate."""
    tasks = {(gate.study_id, gate.test_task): gate.pk for gate in gates if gate.test_task}
    batches = Batch.objects.filter(
        account=account,
        study__in={study for study, _ in tasks},
        task__in={task for _, task in tasks},
        status__in=OPEN,
    )
    found = batches.order_by("pk").values_list("study", "task", "title")
    return {tasks[study, task]: title for study, task, title in found if (study, task) in tasks}

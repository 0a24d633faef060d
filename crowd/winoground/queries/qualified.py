"""How many workers may do the task, as far as this study's gates tell."""

from django.db.models import Exists, OuterRef

from crowd.winoground.domain import VALIDATE
from crowd.winoground.models import Project
from hits.identity.models.workers import Worker
from hits.providers.models.accounts import Account
from qualifications.models import Gate, Holding
from qualifications.queries.gates import active_gates, gates_opening


def gates_before(project: Project) -> list[Gate]:
    return gates_opening(active_gates(project.study_id), VALIDATE)


def workers_qualified(gates: list[Gate], *, account: Account | None = None) -> int | None:
    """The number of workers who hold all of these gates. None: there is no gate, so the number is unknown."""
    if not gates:
        return None
    people = Worker.objects.all() if account is None else Worker.objects.filter(account=account)
    for gate in gates:
        held = Holding.objects.filter(gate=gate, worker=OuterRef("pk"), value=Holding.Value.PASSED)
        people = people.filter(Exists(held))
    return people.count()

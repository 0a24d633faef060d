"""Work by which people of a study have roles, and their answers to the survey about it."""

from crowd.plain.models import Project
from hits.identity.models.workers import Worker
from hits.providers.models.accounts import Account
from tests.factories import NOW, make_assignment, make_batch, make_hit, make_worker


def work(project: Project, account: Account, *tasks: str, **changes: object) -> Worker:
    worker = make_worker(account=account)
    for task in tasks:
        batch = make_batch(study=project.study, account=account, task=task, status="open")
        state = {"status": "approved", "submitted_at": NOW, **changes}
        make_assignment(hit=make_hit(batch=batch), worker=worker, **state)
    return worker


def ratings(first: int, *, bonus: str = "") -> dict[str, str]:
    """Entries of the survey: all ratings the same, and the question about the bonus, which is the 13th."""
    return {f"q{place}": str(first) for place in range(1, 10)} | ({"q13": bonus} if bonus else {})

"""A project whose steps go on by themselves, and workers who answer them as workers' pages do."""

from collections.abc import Mapping
from typing import Any

from crowd.winoventi import domain
from crowd.winoventi.domain.outcomes import QUESTIONS
from crowd.winoventi.models import Alternative, FilterScore, Generic, PieceScoring, Project
from crowd.winoventi.procedure.services import collected_answers, project_rules, step_items
from hits.core.states import move
from hits.identity.models.workers import Worker
from hits.providers.models.accounts import Account
from hits.studies.models import Batch
from hits.work.models.assignments import Assignment
from hits.work.models.items import Item
from hits.work.services.leasing import items_of, lease_items, save_answer
from tests.crowd.winoventi.rows import make_generic, make_project
from tests.factories import NOW, make_account, make_assignment, make_batch, make_hit, make_worker

EXCEPTIONS = {"makes_sense": "yes", "exception_1": "sweet", "exception_2": "", "exception_3": ""}
NONSENSE = {**dict.fromkeys(EXCEPTIONS, ""), "makes_sense": "no"}
PREMISE = {"sentence": "She made a [face/smile]", "generic_word": "face", "exception_word": "smile"}
FINE: Mapping[str, str] = dict.fromkeys(QUESTIONS, "no")
BAD: Mapping[str, str] = {**FINE, "generic_synonym": "yes"}


class Crowd:
    """One study with a batch for each step, and its workers."""

    def __init__(self, **rules: Any) -> None:
        self.project = make_project(**rules)
        self.account: Account = make_account()
        self.batches: dict[str, Batch] = {}
        self.project.steps.update(by_itself=True)

    def post(self, noun: str = "lemon", word: str = "sour", **changes: Any) -> Generic:
        """Make a ranked generic and post its item."""
        generic = make_generic(self.project, noun, word, **{"rank": 1, **changes})
        self.sweep()
        generic.refresh_from_db()
        return generic

    def sweep(self) -> None:
        """Run one round of the background work."""
        collected_answers.take_answers(now=NOW)
        project_rules.pass_alternatives(now=NOW)
        project_rules.settle_anew(now=NOW)
        step_items.advance_steps(now=NOW)

    def batch(self, task: str) -> Batch:
        if task not in self.batches:
            values = {"study": self.project.study, "account": self.account, "task": task}
            self.batches[task] = make_batch(status="open", **values)
        return self.batches[task]

    def worker(self) -> Worker:
        return make_worker(account=self.account)

    def open(self, task: str, worker: Worker | None = None) -> Assignment:
        """Open a HIT of this step, and lease what there is for this worker."""
        hit = make_hit(batch=self.batch(task))
        assignment = make_assignment(hit=hit, worker=worker or self.worker())
        lease_items(assignment=assignment, now=NOW)
        return assignment

    def answer(self, task: str, raw: Mapping[str, str], worker: Worker | None = None) -> Assignment:
        """Save an answer, submit it to the provider, and sweep."""
        assignment = self.open(task, worker)
        items = items_of(assignment)
        assert items, "nothing is left for this worker"
        save_answer(assignment=assignment, answer={str(one.public_id): dict(raw) for one in items}, now=NOW)
        assert move(assignment, Assignment.Status.SUBMITTED, submitted_at=NOW)
        self.sweep()
        return assignment

    def score(self, generic: float = 0.3, exception: float = 0.1) -> None:
        """Score every triplet that has no score yet with these probabilities, and sweep."""
        FilterScore.objects.bulk_create(
            FilterScore(
                alternative=one,
                rival=self.project.filter_model,
                way=way,
                p_generic=generic,
                p_exception=exception,
                passes=generic > exception,
                scored_at=NOW,
            )
            for one in Alternative.objects.filter(project=self.project, scores=None)
            for way in (PieceScoring.PROPERLY,)
        )
        self.sweep()

    def triplet(self, worker: Worker | None = None) -> Alternative:
        """Make a triplet that has passed the filter."""
        self.post()
        self.answer(domain.EXCEPTIONS, EXCEPTIONS, worker)
        self.score()
        return Alternative.objects.get(project=self.project)

    def judge(self, *raw: Mapping[str, str]) -> list[Assignment]:
        return [self.answer(domain.VALIDATE, one) for one in raw]

    def wanting(self, task: str) -> int:
        """Number of items of this step that a worker can still be asked about."""
        items = Item.objects.filter(study=self.project.study, task=task)
        return items.filter(wanted__gt=0, pulled_at=None).count()


def states(project: Project) -> dict[str, list[str]]:
    """States of all rows by kind, in the order of the rows."""
    return {
        name: list(rows.order_by("pk").values_list("state", flat=True))
        for name, rows in (
            ("generics", project.generics),
            ("alternatives", project.alternatives),
            ("premises", project.premises),
        )
    }

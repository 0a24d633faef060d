"""Checks at the launch: what caption matching lacks, and how many different workers it takes."""

from collections.abc import Iterator
from datetime import datetime

from crowd.winoground import domain
from crowd.winoground.models import FirstQuestion, Project
from crowd.winoground.queries.examples_per_worker import workers_needed
from crowd.winoground.queries.qualified import gates_before, workers_qualified
from hits.families.entry_policies import EntryPolicy, PlatformRequirements
from hits.identity.models.workers import Worker
from hits.studies.models import Batch
from hits.work.models.hits import HIT


class ExamplesPolicy(EntryPolicy):
    def ask(self, batch: Batch) -> PlatformRequirements:
        if batch.task not in (domain.VALIDATE, domain.ONBOARDING) or batch.study_id is None:
            return PlatformRequirements()
        project = Project.objects.filter(study=batch.study_id).first()
        if project is None:
            words = f"The study “{batch.study}” has no caption matching yet. Set it up first."
            return PlatformRequirements(obstacles=[words])
        if batch.task == domain.ONBOARDING:
            return PlatformRequirements(
                obstacles=list(_lacking_questions(project, asked=batch.items_per_assignment))
            )
        return PlatformRequirements(warnings=list(_lacking_people(project, batch)))

    def refuse_entry(self, *, hit: HIT, worker: Worker, now: datetime) -> None:
        """Refuse no worker: what one may see is decided item by item."""


def people_in_words(project: Project, *, qualified: int | None) -> str:
    """A warning about the number of workers needed; empty if enough are qualified."""
    needed = workers_needed(project)
    if qualified is not None and qualified >= needed:
        return ""
    known = (
        "" if qualified is None else f", and {qualified} {'is' if qualified == 1 else 'are'} qualified so far"
    )
    if project.apart != Project.Apart.NEVER:
        return f"Each example needs {needed} different workers{known}."
    return (
        f"Each example needs {needed} different workers{known}: nobody is shown two combinations of one "
        "example. If so many are hard to find, open the settings of the caption matching, and let a worker "
        "see another combination after a number of questions about other examples: then "
        f"{project.answers_wanted} are enough."
    )


def _lacking_people(project: Project, batch: Batch) -> Iterator[str]:
    gates = gates_before(project)
    if not gates:
        yield (
            "This task has no test: any worker who meets the requirements may do it. "
            "The gate “Captions and images: first questions” is there as a preset of the study's gates."
        )
    if words := people_in_words(project, qualified=workers_qualified(gates, account=batch.account)):
        yield words


def _lacking_questions(project: Project, *, asked: int) -> Iterator[str]:
    questions = FirstQuestion.objects.filter(
        item__study=project.study_id, item__batch=None, item__pulled_at=None
    )
    matching = list(questions.values_list("is_match", flat=True))
    if len(matching) < asked:
        there = len(matching)
        yield f"Each worker is to get {asked} first questions, and {there} are there. Write the others."
    if len(set(matching)) == 1:
        yield (
            "All first questions have the same answer, so a worker who reads none of them can pass. "
            "Write some with the other one."
        )

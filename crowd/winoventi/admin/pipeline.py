"""A project as a pipeline: for each step what came in, went out and stayed behind, and what is next."""

from collections.abc import Iterator, Sequence

from crowd.winoventi.admin.cards import CARDS, results_card
from crowd.winoventi.admin.counted import ProjectCounts
from crowd.winoventi.admin.step_actions import Pages, actions_of
from crowd.winoventi.admin.tallies import tallies_of
from crowd.winoventi.models import Project, Step
from crowd.winoventi.models.model_runs import ModelRun
from hits.admin.actions import RowButton
from hits.admin.projects.project_cards import Card
from hits.identity.models.users import User


def cards_of(pages: Pages, project: Project, user: User) -> Iterator[Card]:
    """Cards of all steps and of the results, in three queries, however much there is."""

    def buttons(step: Step) -> Sequence[RowButton]:
        return actions_of(pages, step.kind).offered(step, user=user)

    rows = ModelRun.objects.filter(project=project).order_by("pk")
    model_runs = {(one.purpose, one.rival_id): one for one in rows}
    tallies = tallies_of(project)
    counted = ProjectCounts(project=project, tallies=tallies, model_runs=model_runs, buttons=buttons)
    steps = {step.kind: step for step in project.steps.all()}
    for kind, card in CARDS.items():
        if step := steps.get(kind):
            yield card(counted, step)
    yield results_card(project)

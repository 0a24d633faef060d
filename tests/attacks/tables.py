"""Rows of pages that are empty until much work is done: without them their tables and files have no text."""

from collections.abc import Iterator

from django.urls import reverse
from django.utils import timezone

from crowd.rehearsal.domain.assumptions import Assumptions
from crowd.rehearsal.models import Rehearsal
from crowd.whoops.models import Category, Image
from crowd.whoops.models import Project as WeirdImages
from crowd.winoventi.models import Evaluation, ModelAnswer, Project
from hits.studies.models import Batch
from qualifications.domain.people_table import Person, figures_of
from qualifications.models import ConsentText, PeopleCount
from tests.attacks.poison import poison
from tests.crowd.rehearsal.rehearsing import report_beside
from tests.crowd.whoops import making_results
from tests.crowd.winoventi.rows import make_pair
from tests.factories import make_user
from tests.qualifications.lists import make_list

IMAGES = 3
# Files that the pages link to beside others of the same route.
FILES = {
    "whoops_by_category_file": ("categories-compared", "categories-won"),
    "winoventi_error_table": ("errors", "error-words", "error-prompts"),
}


def fill_tables() -> list[str]:
    """Make the rows, and return the addresses of the files that show them."""
    _fill_errors(Project.objects.order_by("pk")[0])
    _fill_categories(WeirdImages.objects.order_by("pk")[0])
    _fill_people()
    _fill_rehearsals(Batch.objects.filter(launched_at=None).order_by("-pk")[0])
    make_list([("owl", "night", 9, 0), ("volcano", "fire", 40, 0)], name="cues")
    return list(_files())


def _files() -> Iterator[str]:
    projects = {"winoventi": Project.objects, "whoops": WeirdImages.objects}
    for page, names in FILES.items():
        project = projects[page.partition("_")[0]].order_by("pk")[0]
        for name in names:
            yield reverse(f"admin:{page}", args=[project.pk, name])


def _fill_errors(project: Project) -> None:
    """Make a model's answers with both probabilities: one is wrong, and one is right."""
    evaluation = Evaluation.objects.create(project=project, name="A model", added_at=timezone.now())
    for noun, p_target in (("lime", 0.1), ("fig", 0.9)):
        answer = {"p_target": p_target, "p_incorrect": 0.5, "is_right": p_target > 0.5}
        ModelAnswer.objects.create(
            evaluation=evaluation, premise=make_pair(project, noun), kind="exception", **answer
        )


def _fill_categories(project: WeirdImages) -> None:
    """Make judged explanations of two models in one category."""
    crowd = making_results.Crowd(project, people=project.judges_wanted, right=1, seed=1)
    category = Category.objects.order_by("pk")[0]
    for image in Image.objects.filter(project=project, state=Image.State.ACCEPTED).order_by("pk")[:IMAGES]:
        Image.objects.filter(pk=image.pk).update(category=category)
        offers = [("A model", None), ("Another model", None)]
        options = making_results.ask(image, making_results.Kind.EXPLAIN, offers=offers)
        crowd.vote((option, option.number == 1) for option in options)


def _fill_rehearsals(draft: Batch) -> None:
    """Make two complete rehearsals, which stand side by side."""
    hostile, spread = poison(0, longest=None), {"mean": 1, "least": 1, "most": 1}
    for seed in (1, 2):
        Rehearsal.objects.create(
            batch=draft,
            assumed=Assumptions().as_data(),
            seed=seed,
            status=Rehearsal.Status.DONE,
            report={
                **report_beside(mean=seed, other=seed, design=hostile),
                "sources": [hostile],
                "starving": {hostile: spread},
            },
            asked_at=timezone.now(),
        )


def _fill_people() -> None:
    """Count people of a hostile role: roles are names of our own, which the table does not rely on."""
    study = ConsentText.objects.order_by("pk")[0].study
    role = poison(0, longest=None)
    people = [Person(mark=str(number), roles=frozenset([role])) for number in range(9)]
    PeopleCount.objects.create(
        study=study,
        counted_at=timezone.now(),
        counted_by=make_user(),
        figures=figures_of(people),
        members={},
        aged={},
    )

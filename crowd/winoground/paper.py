"""Figures of the Winoground paper, each with the place that states it."""

from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal
from typing import Any

from crowd.papers.paper_project import PaperProject
from crowd.winoground import domain
from crowd.winoground.models import Project
from crowd.winoground.services.posted_examples import want_anew
from hits.families.paper_figures import Figure, Paper, PaperGate, PaperTerms
from hits.identity.models.users import User
from hits.studies.models import Study

INTERFACE = "appendix E"
SCREEN = "figure 5, which shows one HIT and does not say how many questions it has"
APPROVED, COUNTED, PLACES = domain.PAPER_ASKS


class MatchingOfPaper(PaperProject):
    model = Project

    def open(self, *, study: Study) -> Project:
        project, _ = Project.objects.get_or_create(study=study)
        return project

    def change(self, *, project: Project, values: Mapping[str, Any], by: User, now: datetime) -> None:
        Project.objects.filter(pk=project.pk).update(**values)
        want_anew(project)


PAPER = Paper(
    key="winoground",
    name="Winoground",
    title="Winoground: Probing Vision and Language Models for Visio-Linguistic Compositionality",
    requirements=[
        Figure(value=APPROVED, origin=INTERFACE),
        Figure(value=COUNTED, origin=INTERFACE),
        Figure(
            value=PLACES,
            origin=f"{INTERFACE} asks for an English speaker; this list of countries is the product's",
            is_papers=False,
        ),
    ],
    english_speakers=Figure(value=True, origin=INTERFACE),
    required_of=(domain.VALIDATE, domain.ONBOARDING),
    terms=[
        PaperTerms(
            task=domain.VALIDATE,
            reward=Figure(value=Decimal("0.35"), origin=SCREEN),
            duration_s=Figure(value=3600, origin="figure 5: “60 Min”"),
        ),
        PaperTerms(task=domain.ONBOARDING, items_each=Figure(value=10, origin=INTERFACE)),
    ],
    gates=[
        PaperGate(
            preset=domain.ONBOARDING,
            origin=f"{INTERFACE}: ten questions; one mistake may be corrected, a further one disqualifies",
        )
    ],
    settings={
        "answers_wanted": Figure(value=10, origin="section 4.3: at least ten annotators"),
    },
    built_in=[
        Figure(value="One image and one caption at a time: does it match?", origin="section 4.3"),
        Figure(value="All four combinations of an example are asked about", origin="section 4.3"),
        Figure(value="Text, image and group score, ties wrong", origin="section 3.2"),
        Figure(value="A list of 70 tags", origin="section 3.1"),
    ],
    silences=[
        "a bonus: it names none, and the study's table stays as it is",
        "a rival: the models are evaluated afterwards, on a release",
        "how many questions a HIT has, and what the test pays",
        "whether a worker may see two combinations of one example",
    ],
)

"""Figures of the WHOOPS! paper, each with the place that states it."""

from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.urls import reverse

from crowd.papers.paper_project import PaperProject, study_page
from crowd.whoops import domain
from crowd.whoops.domain.paper_requirements import PAPER_ASKS
from crowd.whoops.judge.services.posting_questions import want_judges
from crowd.whoops.models import Project
from hits.families.paper_figures import Figure, FigureElsewhere, Paper, PaperGate, PaperTerms
from hits.identity.models.users import User
from hits.studies.models import Study
from hits.work.services.locking import held

ANNOTATION = "appendix A.5"
FIVE = "sections 4.1 and 4.2: five explanations and five captions for each image"


class ImagesOfPaper(PaperProject):
    model = Project

    def open(self, *, study: Study) -> Project:
        project, _ = Project.objects.get_or_create(study=study)
        return project

    def change(self, *, project: Project, values: Mapping[str, Any], by: User, now: datetime) -> None:
        with held(project) as locked:
            for name, value in values.items():
                setattr(locked, name, value)
            locked.save(update_fields=values.keys())
            if "judges_wanted" in values:
                want_judges(project=locked)


def _project(study: Study) -> str:
    return reverse("admin:whoops_of_study", args=[study.pk])


PAPER = Paper(
    key="whoops",
    name="WHOOPS!",
    title="Breaking Common Sense: WHOOPS! A Vision-and-Language Benchmark of Synthetic and Compositional "
    "Images",
    requirements=[Figure(value=row, origin=ANNOTATION) for row in PAPER_ASKS],
    required_of=(
        domain.ANNOTATE,
        domain.EXAMPLES,
        domain.IDENTIFY,
        domain.EXPLAIN,
        domain.VERIFY,
        domain.RATE,
    ),
    terms=[
        PaperTerms(task=domain.ANNOTATE, workers_per_hit=Figure(value=5, origin=FIVE)),
        PaperTerms(task=domain.EXAMPLES, items_each=Figure(value=5, origin=ANNOTATION)),
        PaperTerms(task=domain.IDENTIFY, workers_per_hit=Figure(value=3, origin="section 4.1")),
        PaperTerms(task=domain.EXPLAIN, workers_per_hit=Figure(value=3, origin="section 4.1")),
        PaperTerms(task=domain.VERIFY, workers_per_hit=Figure(value=3, origin="section 4.2")),
    ],
    gates=[PaperGate(preset="whoops.annotator", origin=f"{ANNOTATION}: five examples, screened")],
    settings={
        "image_pay": Figure(value=Decimal("6.00"), origin="section 3.1"),
        "reviews_wanted": Figure(value=4, origin="section 4.3: four of the authors"),
        "annotations_wanted": Figure(value=5, origin=FIVE),
        "judges_wanted": Figure(value=3, origin="sections 4.1 and 4.2: the majority of three"),
        "negatives": Figure(value=25, origin="section 4.2"),
    },
    built_in=[
        Figure(value="A control group sees each image before it enters", origin="section 3.1"),
        Figure(value="An image that the control group fails goes back", origin="section 3.1, footnote 4"),
        Figure(value="A list of 26 categories", origin="section 3.2"),
        Figure(value="100 weird images and their normal partners are identified", origin="section 4.1"),
    ],
    elsewhere=[
        FigureElsewhere(
            value="$12 to $15 an hour for captions and explanations",
            origin="section 4",
            where="the study's wage floor",
            page=study_page,
        ),
        FigureElsewhere(
            value="300 questions with their answers are verified",
            origin="section 4.2",
            where="Weird images, samples for verification",
            page=_project,
        ),
        FigureElsewhere(
            value="A model's captions of 300 images, natural, normal and weird, are rated",
            origin="section 6.1",
            where="Weird images, import of captions to rate",
            page=_project,
        ),
    ],
    silences=[
        "a bonus table: designers are paid for each accepted image, and the study's table stays as it is",
        "a rival: no model answers while images are made",
        "the reward of one HIT: an annotation starts at $0.60, which we expect to be $13.50 an hour",
        "how many people rate a caption: as many as judge everything else, by the setting above",
        "how large the control group is, and how many of it must see what is weird",
        "what the test and the other tasks pay",
    ],
)

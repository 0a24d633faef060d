"""Figures of the WinoGAViL paper, each with the place that states it."""

from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.urls import reverse

from crowd.papers.paper_project import PaperProject, study_page
from crowd.winogavil import domain
from crowd.winogavil.annotation.domain import BASELINE, TYPES
from crowd.winogavil.models import Game
from crowd.winogavil.services.threshold_changes import note_threshold
from hits.families.paper_figures import Figure, FigureElsewhere, Paper, PaperGate, PaperRival, PaperTerms
from hits.identity.models.users import User
from hits.studies.models import Study
from scoring.models import RegisteredRival

QUALIFICATIONS = "appendix A.4"


class GameOfPaper(PaperProject):
    model = Game

    def open(self, *, study: Study) -> Game:
        game, _ = Game.objects.get_or_create(study=study)
        return game

    def change(self, *, project: Game, values: Mapping[str, Any], by: User, now: datetime) -> None:
        before = project.selection_threshold
        for name, value in values.items():
            setattr(project, name, value)
        project.save(update_fields=values.keys())
        if project.selection_threshold != before:
            note_threshold(game=project, by=by, now=now)


def _annotations(study: Study) -> str:
    return reverse("admin:winogavil_annotations", args=[study.pk])


PAPER = Paper(
    key="winogavil",
    name="WinoGAViL",
    title="WinoGAViL: Gamified Association Benchmark to Challenge Vision-and-Language Models",
    bonus_table=Figure(value=domain.WINOGAVIL_TIERS, origin="appendix A.4.1"),
    bonus_origins={"when": "section 2.2: a bonus where solvable-by-humans is at least 80 %"},
    rival=PaperRival(
        in_words="CLIP RN50 with OpenAI's weights",
        kind=RegisteredRival.Kind.CLIP,
        models=("RN50",),
        source="openai",
        name="clip-rn50",
        command="manage.py fetch_rival clip-rn50 --clip RN50 --weights openai",
        origin="section 2.1, “Rival AI model”",
    ),
    requirements=[Figure(value=row, origin=QUALIFICATIONS) for row in domain.PAPER_ASKS],
    required_of=(domain.CREATE, domain.SOLVE, domain.SOLVER_TEST, domain.CREATOR_TEST, BASELINE),
    terms=[
        PaperTerms(task=domain.CREATE, reward=Figure(value=Decimal("0.07"), origin="figure 7 (b)")),
        PaperTerms(
            task=domain.SOLVE,
            reward=Figure(value=Decimal("0.03"), origin="figure 7 (a)"),
            workers_per_hit=Figure(value=3, origin="section 2.2: three annotators solve each association"),
        ),
        PaperTerms(task=domain.SOLVER_TEST, items_each=Figure(value=10, origin=QUALIFICATIONS)),
        PaperTerms(
            task=BASELINE, workers_per_hit=Figure(value=3, origin="section 3.2: three new annotators")
        ),
        PaperTerms(
            task=TYPES, workers_per_hit=Figure(value=3, origin="appendix A.7: three different annotators")
        ),
    ],
    gates=[
        PaperGate(preset="winogavil.solver", origin=f"{QUALIFICATIONS}: ten examples, over 80 %"),
        PaperGate(
            preset="winogavil.creator",
            origin=f"{QUALIFICATIONS}: above 40 % and above 80 %; it counts ten examples in each test",
        ),
    ],
    settings={"selection_threshold": Figure(value=domain.SELECTION_THRESHOLD, origin="section 2.2")},
    built_in=[
        Figure(value="A set has 5, 6, 10 or 12 candidates, chosen at each draw", origin="section 2.1"),
        Figure(value="A spymaster chooses 2 to 5 pictures", origin="section 2.2"),
        Figure(value="Three spymasters, two different cues each, for a set", origin="section 2.2"),
        Figure(value="Three solvers for an association, never its author", origin="section 2.1"),
        Figure(value="The rival reads “A cue” or “An cue”", origin="section 2.1"),
        Figure(
            value="Age, gender, education and native English, if the study's consent text asks for them",
            origin=QUALIFICATIONS,
        ),
        Figure(value="The baseline is 10 % of a release", origin="section 3.2"),
    ],
    elsewhere=[
        FigureElsewhere(
            value="$14 an hour on average, bonuses included",
            origin="section 2.2",
            where="the study's wage floor",
            page=study_page,
        ),
        FigureElsewhere(
            value="$2,000 for all annotation",
            origin="section 2.2",
            where="the study's budget",
            page=study_page,
        ),
        FigureElsewhere(
            value="1,200 instances of SWOW with 5 or 6 candidates, of which about 1,000 are kept",
            origin="section 3.1",
            where="Make the SWOW baseline",
            page=lambda _: reverse("admin:winogavil_make_baseline"),
        ),
        FigureElsewhere(
            value="1,000 associations whose type is told",
            origin="appendix A.7",
            where="the annotations of the study",
            page=_annotations,
        ),
        FigureElsewhere(
            value="320 associations whose reasoning skills are told",
            origin="section 2.3",
            where="the annotations of the study",
            page=_annotations,
        ),
    ],
    silences=[
        "what a solver's Jaccard index earns: section 2.1 rewards solvers by it, and names no amount",
        "what the tests pay, and how many associations a solver's page has",
        "how long a HIT may take, who reviews, and when solvers learn what was right",
    ],
)

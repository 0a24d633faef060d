"""The association game, as a family."""

from functools import partial

from django.utils.translation import gettext_lazy as _

from crowd.family import Family
from crowd.winogavil import domain
from crowd.winogavil.annotation.baseline import BaselineTask
from crowd.winogavil.annotation.domain import NEWCOMERS
from crowd.winogavil.annotation.label_tasks import SkillsTask, TypesTask
from crowd.winogavil.creator_test import CreatorTestTask
from crowd.winogavil.models import Game
from crowd.winogavil.paper import PAPER, GameOfPaper
from crowd.winogavil.releases.classifier_recipe import TrainClassifier
from crowd.winogavil.releases.exporting import WinogavilExport
from crowd.winogavil.releases.game_benchmark import PickPictures
from crowd.winogavil.releases.game_contents import GameContents
from crowd.winogavil.releases.side_benchmark import CompareSides
from crowd.winogavil.replaying.replay import WinogavilReplay
from crowd.winogavil.roles import ROLES
from crowd.winogavil.services.withdrawal import follow_pictures, items_of_pictures
from crowd.winogavil.solver_task import SolveTask
from crowd.winogavil.solver_test import SolverTestTask
from crowd.winogavil.spymaster_task import CreateTask
from hits.batches.services.study_copies import copy_settings
from hits.families.bonus_presets import BonusPreset
from qualifications.models import Gate
from qualifications.presets import Preset

SOLVER_TEST = Preset(
    key="winogavil.solver",
    name="Solver test",
    description="Ten words, each with some pictures: pick the pictures that belong to the word.",
    test_task=SolverTestTask.key,
    opens=[SolveTask.key],
    grading=Gate.Grading.SCORES,
    rules=[{"measure": "jaccard", "above": 80}],
)
CREATOR_TEST = Preset(
    key="winogavil.creator",
    name="Creator test",
    description="Ten sets of pictures: find a word for each that people understand and a model does not. "
    "It is graded once other people have solved your words.",
    test_task=CreatorTestTask.key,
    opens=[CreateTask.key],
    grading=Gate.Grading.SCORES,
    rules=[{"measure": "fool", "above": 40}, {"measure": "solvable", "above": 80}],
)
SPYMASTER_BONUS = BonusPreset(
    key="winogavil.spymasters",
    name="Spymasters are rewarded for words that fool the model and that people solve",
    description="The bonuses of the association game's paper: $0.03 to $0.27 for each word, by its "
    "fool-the-AI score, where it is solvable by humans.",
    rules=domain.WINOGAVIL_TIERS,
)
SOLVER_BONUS = BonusPreset(
    key="winogavil.solvers",
    name="Solvers are rewarded according to their Jaccard index",
    description="A cent for each full third of the index, so $0.03 for a right answer. The association "
    "game's paper names no amounts: change these as you need.",
    rules=domain.SOLVER_TIERS,
)

FAMILY = Family(
    key="winogavil",
    name="Association game",
    tasks=[
        CreateTask(),
        SolveTask(),
        SolverTestTask(),
        CreatorTestTask(),
        TypesTask(),
        SkillsTask(),
        BaselineTask(),
    ],
    roles=ROLES,
    gates=[SOLVER_TEST, CREATOR_TEST],
    bonus_presets=[SOLVER_BONUS, SPYMASTER_BONUS],
    paper=PAPER,
    copy_study=partial(copy_settings, Game, without=("solve_batch", "grows", "problem")),
    project=GameOfPaper(),
    measures={
        domain.JACCARD: _("agreement with the expected answers"),
        domain.FOOL: _("how far your words misled the model"),
        domain.SOLVABLE: _("how well other people solved your words"),
        NEWCOMERS: _("agreement with the expected answers, as a newcomer"),
    },
    audit_subjects={
        "annotations.": "Annotation of associations",
        "association_game.": "Association games",
        "challenge_set.": "Challenge sets",
        "concreteness.": "Concreteness lists",
        "cue_report.": "Reports of words",
        "feedback.": "Daily feedback to workers",
        "prediction.": "Predictions of models",
        "selection.": "Selection of associations",
        "swow_baseline.": "SWOW baseline",
        "web_game.": "Web games",
    },
    tables="crowd.winogavil.releases.admin.statistics.tables_of_study",
    tables_permission="winogavil_releases.view_statistics",
    export=WinogavilExport(),
    release=GameContents(),
    benchmarks=[PickPictures(), CompareSides()],
    recipes=[TrainClassifier()],
    replay=WinogavilReplay(),
    urls={"api/": "crowd.winogavil.api.urls"},
    sites={"PLAY_URL": "crowd.winogavil.play.urls"},
    demo="crowd.winogavil.demo.game.WinogavilDemo",
    rehearsals={
        CreateTask.key: "crowd.winogavil.rehearsed_creation.RehearsedCreation",
        SolveTask.key: "crowd.winogavil.rehearsed_game.RehearsedGame",
    },
    follow_pictures=follow_pictures,
    items_of_pictures=items_of_pictures,
)

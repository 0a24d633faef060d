"""The association game, as a family."""

from django.utils.translation import gettext_lazy as _

from crowd.family import Family
from crowd.winogavil.annotation.baseline import BaselineFamily
from crowd.winogavil.annotation.label_tasks import SkillsFamily, TypesFamily
from crowd.winogavil.creator_test import CreatorTestFamily
from crowd.winogavil.releases.exporting import WinogavilExport
from crowd.winogavil.replaying.replay import WinogavilReplay
from crowd.winogavil.roles import ROLES
from crowd.winogavil.services.withdrawal import follow_pictures, items_of_pictures
from crowd.winogavil.solver_task import SolveFamily
from crowd.winogavil.solver_test import SolverTestFamily
from crowd.winogavil.spymaster_task import CreateFamily
from qualifications.models import Gate
from qualifications.presets import Preset

SOLVER_TEST = Preset(
    key="winogavil.solver",
    name="Solver test",
    description="Ten words, each with some pictures: pick the pictures that belong to the word.",
    test_task=SolverTestFamily.key,
    opens=[SolveFamily.key],
    grading=Gate.Grading.SCORES,
    rules=[{"measure": "jaccard", "above": 80}],
)
CREATOR_TEST = Preset(
    key="winogavil.creator",
    name="Creator test",
    description="Ten sets of pictures: find a word for each that people understand and a model does not. "
    "It is graded once other people have solved your words.",
    test_task=CreatorTestFamily.key,
    opens=[CreateFamily.key],
    grading=Gate.Grading.SCORES,
    rules=[{"measure": "fool", "above": 40}, {"measure": "solvable", "above": 80}],
)

FAMILY = Family(
    key="winogavil",
    name="Association game",
    tasks=[
        CreateFamily(),
        SolveFamily(),
        SolverTestFamily(),
        CreatorTestFamily(),
        TypesFamily(),
        SkillsFamily(),
        BaselineFamily(),
    ],
    roles=ROLES,
    gates=[SOLVER_TEST, CREATOR_TEST],
    measures={
        "jaccard": _("agreement with the expected answers"),
        "fool": _("how far your words misled the model"),
        "solvable": _("how well other people solved your words"),
    },
    audit_subjects={
        "annotations.": "Annotation of associations",
        "challenge_set.": "Challenge sets",
        "cue_report.": "Reports of words",
        "feedback.": "Daily feedback to workers",
        "prediction.": "Predictions of models",
        "release.": "Releases",
        "web_game.": "Web games",
    },
    tables="crowd.winogavil.releases.admin.statistics.tables_of_study",
    export=WinogavilExport(),
    replay=WinogavilReplay(),
    urls={"api/": "crowd.winogavil.releases.api.urls"},
    sites={"PLAY_URL": "crowd.winogavil.play.urls"},
    demo="crowd.winogavil.demo.game.WinogavilDemo",
    follow_pictures=follow_pictures,
    items_of_pictures=items_of_pictures,
)

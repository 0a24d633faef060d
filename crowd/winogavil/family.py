"""The association game, as a family."""

from crowd.family import Family
from crowd.winogavil.annotation.baseline import BaselineFamily
from crowd.winogavil.annotation.labelling import SkillsFamily, TypesFamily
from crowd.winogavil.creating import CreateFamily
from crowd.winogavil.creator_test import CreatorTestFamily
from crowd.winogavil.releases.exporting import WinogavilExport
from crowd.winogavil.replaying.replay import WinogavilReplay
from crowd.winogavil.services.pulling import follow_pictures
from crowd.winogavil.solver_test import SolverTestFamily
from crowd.winogavil.solving import SolveFamily

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
    audit_subjects={
        "annotations.": "Annotation of associations",
        "challenge_set.": "Challenge sets",
        "prediction.": "Predictions of models",
        "release.": "Releases",
    },
    export=WinogavilExport(),
    replay=WinogavilReplay(),
    urls={"api/": "crowd.winogavil.releases.api.urls"},
    sites={"PLAY_URL": "crowd.winogavil.play.urls"},
    follow_pictures=follow_pictures,
)

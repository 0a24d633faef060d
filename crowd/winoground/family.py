"""The registration of caption matching as a family of tasks."""

from functools import partial

from django.utils.translation import gettext_lazy as _

from crowd.family import Family
from crowd.winoground.asking.examples_policy import ExamplesPolicy
from crowd.winoground.asking.onboarding import OnboardingTask
from crowd.winoground.asking.validate import ValidateTask
from crowd.winoground.caption_benchmark import MatchCaptions
from crowd.winoground.domain import RIGHT
from crowd.winoground.exporting.export import WinogroundExport
from crowd.winoground.models import Project
from crowd.winoground.paper import PAPER, MatchingOfPaper
from crowd.winoground.queries.examples import sees_own_only
from crowd.winoground.release_contents import WinogroundContents
from crowd.winoground.roles import ROLES
from crowd.winoground.services.posted_examples import follow_pictures, items_of_pictures
from hits.batches.services.study_copies import copy_settings
from qualifications.models import Gate
from qualifications.presets import Preset

FIRST_QUESTIONS = Preset(
    key=OnboardingTask.key,
    name="Captions and images: first questions",
    description="Ten questions like those of the task. One mistake may be corrected, a second may not.",
    test_task=OnboardingTask.key,
    opens=[ValidateTask.key],
    grading=Gate.Grading.SCORES,
    # The page warns of the first mistake and lets it be changed; only the submitted answer counts.
    rules=[{"measure": RIGHT, "at_least": 100}],
)

FAMILY = Family(
    key="winoground",
    name="Caption matching",
    tasks=[ValidateTask(), OnboardingTask()],
    policies=[ExamplesPolicy()],
    roles=ROLES,
    gates=[FIRST_QUESTIONS],
    paper=PAPER,
    copy_study=partial(copy_settings, Project),
    project=MatchingOfPaper(),
    measures={RIGHT: _("questions answered right")},
    audit_subjects={"winoground.": "Caption matching"},
    tables="crowd.winoground.admin.results.tables_of_study",
    tables_permission="winoground.view_project",
    refuses_tables=sees_own_only,
    export=WinogroundExport(),
    release=WinogroundContents(),
    benchmarks=[MatchCaptions()],
    urls={"api/": "crowd.winoground.api"},
    rehearsals={ValidateTask.key: "crowd.winoground.rehearsed_matching.RehearsedMatching"},
    demo="crowd.winoground.demo.matching.WinogroundDemo",
    follow_pictures=follow_pictures,
    items_of_pictures=items_of_pictures,
)

"""Registration of the exception procedure as a family."""

from crowd.family import Family
from crowd.winoventi.apart_policy import ApartPolicy
from crowd.winoventi.challenge.exporting.winoventi_export import WinoventiExport
from crowd.winoventi.challenge.fine_tuning_recipes import TrainOnExceptions, TrainOnHalf
from crowd.winoventi.challenge.pages.choices import ChoicesTask
from crowd.winoventi.challenge.prompt_benchmark import CompletePrompts
from crowd.winoventi.exceptions.pages.exceptions import ExceptionsTask
from crowd.winoventi.limit_policy import LimitPolicy
from crowd.winoventi.paper import PAPER, ProcedureOfPaper
from crowd.winoventi.premises.pages.premises import PremisesTask
from crowd.winoventi.procedure.services.projects import copy_project
from crowd.winoventi.release_contents import WinoventiContents
from crowd.winoventi.replaying.replay import WinoventiReplay
from crowd.winoventi.roles import ROLES
from crowd.winoventi.training_test.pages.training_test import WalkTask
from crowd.winoventi.validation.pages.validations import ValidationsTask
from qualifications.models import Gate
from qualifications.presets import Preset

WALK = Preset(
    key=WalkTask.key,
    name="A walk through the steps",
    description="One noun through every step of the work. A researcher reads the answers.",
    test_task=WalkTask.key,
    opens=[ExceptionsTask.key, PremisesTask.key],
    grading=Gate.Grading.PERSON,
    items=1,
)

REHEARSED = "crowd.winoventi.procedure.rehearsed"
FAMILY = Family(
    key="winoventi",
    name="Exception procedure",
    tasks=[ExceptionsTask(), PremisesTask(), ValidationsTask(), ChoicesTask(), WalkTask()],
    policies=[LimitPolicy(), ApartPolicy()],
    roles=ROLES,
    gates=[WALK],
    paper=PAPER,
    copy_study=copy_project,
    project=ProcedureOfPaper(),
    audit_subjects={"winoventi.": "The exception procedure"},
    tables="crowd.winoventi.challenge.admin.statistics.tables_of_study",
    tables_permission="winoventi.view_project",
    export=WinoventiExport(),
    release=WinoventiContents(),
    benchmarks=[CompletePrompts()],
    recipes=[TrainOnHalf(), TrainOnExceptions()],
    replay=WinoventiReplay(),
    urls={"api/": "crowd.winoventi.api.urls"},
    rehearsals={
        ExceptionsTask.key: f"{REHEARSED}.rehearsed_exceptions.RehearsedExceptions",
        PremisesTask.key: f"{REHEARSED}.rehearsed_premises.RehearsedPremises",
        ValidationsTask.key: f"{REHEARSED}.rehearsed_validation.RehearsedValidation",
        ChoicesTask.key: f"{REHEARSED}.rehearsed_choosing.RehearsedChoosing",
    },
    demo="crowd.winoventi.demo.procedure.WinoventiDemo",
)

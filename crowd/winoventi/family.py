"""The exception procedure, as a family."""

from crowd.family import Family
from crowd.winoventi.challenge.exporting.winoventi_export import WinoventiExport
from crowd.winoventi.challenge.pages.choices import ChoicesFamily
from crowd.winoventi.exceptions.pages.exceptions import ExceptionsFamily
from crowd.winoventi.limit_policy import LimitPolicy
from crowd.winoventi.premises.pages.premises import PremisesFamily
from crowd.winoventi.replaying.replay import WinoventiReplay
from crowd.winoventi.roles import ROLES
from crowd.winoventi.training_test.pages.training_test import WalkFamily
from crowd.winoventi.validation.pages.validations import ValidationsFamily
from qualifications.models import Gate
from qualifications.presets import Preset

WALK = Preset(
    key=WalkFamily.key,
    name="A walk through the steps",
    description="One noun, through every step of the work. A person reads it.",
    test_task=WalkFamily.key,
    opens=[ExceptionsFamily.key, PremisesFamily.key],
    grading=Gate.Grading.PERSON,
    items=1,
)

FAMILY = Family(
    key="winoventi",
    name="Exception procedure",
    tasks=[ExceptionsFamily(), PremisesFamily(), ValidationsFamily(), ChoicesFamily(), WalkFamily()],
    policies=[LimitPolicy()],
    roles=ROLES,
    gates=[WALK],
    audit_subjects={"winoventi.": "The exception procedure"},
    tables="crowd.winoventi.challenge.admin.statistics.tables_of_study",
    export=WinoventiExport(),
    replay=WinoventiReplay(),
    demo="crowd.winoventi.demo.procedure.WinoventiDemo",
)

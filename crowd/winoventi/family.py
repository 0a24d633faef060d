"""The exception procedure, as a family."""

from crowd.family import Family
from crowd.winoventi.asking.choices import ChoicesFamily
from crowd.winoventi.asking.exceptions import ExceptionsFamily
from crowd.winoventi.asking.premises import PremisesFamily
from crowd.winoventi.asking.validations import ValidationsFamily
from crowd.winoventi.asking.walk import WalkFamily
from crowd.winoventi.challenge.exporting import WinoventiExport
from crowd.winoventi.limit_policy import LimitPolicy
from crowd.winoventi.replaying.replay import WinoventiReplay
from crowd.winoventi.roles import ROLES
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
    tables="crowd.winoventi.admin.statistics.tables_of_study",
    export=WinoventiExport(),
    replay=WinoventiReplay(),
    demo="crowd.winoventi.demo.procedure.WinoventiDemo",
)

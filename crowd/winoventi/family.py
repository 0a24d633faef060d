"""The exception procedure, as a family."""

from crowd.family import Family
from crowd.winoventi.asking.choices import ChoicesFamily
from crowd.winoventi.asking.exceptions import ExceptionsFamily
from crowd.winoventi.asking.premises import PremisesFamily
from crowd.winoventi.asking.validations import ValidationsFamily
from crowd.winoventi.asking.walk import WalkFamily
from crowd.winoventi.challenge.exporting import WinoventiExport
from crowd.winoventi.limits import LimitDoor
from crowd.winoventi.replaying.replay import WinoventiReplay

FAMILY = Family(
    key="winoventi",
    name="Exception procedure",
    tasks=[ExceptionsFamily(), PremisesFamily(), ValidationsFamily(), ChoicesFamily(), WalkFamily()],
    doors=[LimitDoor()],
    audit_subjects={"winoventi.": "The exception procedure"},
    export=WinoventiExport(),
    replay=WinoventiReplay(),
)

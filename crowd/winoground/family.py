"""Caption matching, as a family."""

from crowd.family import Family
from crowd.winoground.asking.door import MatchingDoor
from crowd.winoground.asking.onboarding import OnboardingFamily
from crowd.winoground.asking.validate import ValidateFamily
from crowd.winoground.exporting.export import WinogroundExport
from crowd.winoground.services.posting import follow_pictures

FAMILY = Family(
    key="winoground",
    name="Caption matching",
    tasks=[ValidateFamily(), OnboardingFamily()],
    doors=[MatchingDoor()],
    audit_subjects={"winoground.": "Caption matching"},
    export=WinogroundExport(),
    follow_pictures=follow_pictures,
)

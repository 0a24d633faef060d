from qualifications.models.consent import Consent, ConsentText
from qualifications.models.demographics import Demographics, SpokenEnglish, UnderAge
from qualifications.models.gates import Attempt, Gate, Holding, PlatformType, RefusalCount
from qualifications.models.people_counts import PeopleCount
from qualifications.models.swow import SwowEdge, SwowList, SwowWord

__all__ = [
    "Attempt",
    "Consent",
    "ConsentText",
    "Demographics",
    "Gate",
    "Holding",
    "PeopleCount",
    "PlatformType",
    "RefusalCount",
    "SpokenEnglish",
    "SwowEdge",
    "SwowList",
    "SwowWord",
    "UnderAge",
]

"""The system's qualifications: computed from the worker's own row, never from history; none are granted."""

from dataclasses import dataclass

from crowd.marketplace.models.parties import Worker

LOCALE = "00000000000000000071"
PERCENT_APPROVED = "000000000000000000L0"
NUMBER_APPROVED = "00000000000000000040"
ADULT = "00000000000000000060"
# Amazon's sandbox has an id of its own; programs send the one that they were written for.
MASTERS = frozenset({"2ARFPLSP75KLA8M8DH1HTEQVJT3SY6", "2F1QJWKUDD8XADTFD2Q0G6UTO95ALH"})
FULL_RECORD = 100  # submissions; a worker with fewer counts as wholly approved


@dataclass(frozen=True, kw_only=True)
class SystemType:
    external_id: str
    name: str
    description: str


SYSTEM_TYPES = (
    SystemType(
        external_id=LOCALE,
        name="Location",
        description="The country, and the subdivision if known, of the worker.",
    ),
    SystemType(
        external_id=PERCENT_APPROVED,
        name="Approval rate",
        description=f"Per cent of the reviewed work that was approved; 100 until {FULL_RECORD} submissions.",
    ),
    SystemType(
        external_id=NUMBER_APPROVED,
        name="Approved assignments",
        description="How many of the worker's assignments were approved.",
    ),
    SystemType(
        external_id=ADULT,
        name="Adult",
        description="1 for workers who have said that they are adults and may see adult content.",
    ),
    *(
        SystemType(
            external_id=external_id,
            name="Masters",
            description="Workers whom the marketplace has chosen for consistently good work.",
        )
        for external_id in sorted(MASTERS)
    ),
)
SYSTEM_IDS = frozenset(system.external_id for system in SYSTEM_TYPES)


def system_value(type_id: str, *, worker: Worker) -> int | None:
    """The worker's value; None if the worker lacks it. A location is no number, and is compared elsewhere."""
    if type_id == PERCENT_APPROVED:
        return percent_approved(worker)
    if type_id == NUMBER_APPROVED:
        return worker.approved
    if type_id == ADULT:
        return 1 if worker.is_adult else None
    return 1 if type_id in MASTERS and worker.is_master else None


def percent_approved(worker: Worker) -> int:
    """Approved per cent of the reviewed work; waiting work does not count. Rounded down: 94.9 is not 95."""
    reviewed = worker.approved + worker.rejected
    if worker.submitted < FULL_RECORD or not reviewed:
        return 100
    return 100 * worker.approved // reviewed

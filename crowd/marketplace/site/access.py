"""The actions that a worker may take on a group of HITs, and the reasons against others."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from crowd.marketplace.models import HITType
from crowd.marketplace.models.parties import Block, Worker
from crowd.marketplace.services.qualifying.requirements import (
    Standing,
    UnmetRequirement,
    find_unmet,
    names_of,
    standing_of,
)

GUARDS_PREVIEW = ("PreviewAndAccept", "DiscoverPreviewAndAccept")


@dataclass(frozen=True, kw_only=True)
class Access:
    group: HITType
    unmet: Sequence[UnmetRequirement]
    is_blocked: bool
    is_suspended: bool

    @property
    def can_discover(self) -> bool:
        return all(one.guarded != "DiscoverPreviewAndAccept" for one in self.unmet)

    @property
    def can_preview(self) -> bool:
        return not self.is_blocked and all(one.guarded not in GUARDS_PREVIEW for one in self.unmet)

    @property
    def can_accept(self) -> bool:
        return not (self.is_suspended or self.is_blocked or self.unmet)

    @property
    def reasons(self) -> list[str]:
        suspended = [_("Your account is suspended.")] if self.is_suspended else []
        blocked = [_("This requester has blocked you from their work.")] if self.is_blocked else []
        return [*suspended, *blocked, *(one.reason for one in self.unmet)]


class Doorkeeper:
    """Judges groups of HITs for one worker, whose standing and blocks are read once for a whole page."""

    def __init__(self, worker: Worker) -> None:
        self._is_suspended = worker.suspended_at is not None
        self._standing: Standing = standing_of(worker)
        self._blocked_by = set(Block.objects.filter(worker=worker).values_list("requester_id", flat=True))

    def judge(self, groups: Sequence[HITType]) -> list[Access]:
        names = names_of(requirement for group in groups for requirement in group.requirements)
        return [
            Access(
                group=group,
                unmet=find_unmet(group.requirements, standing=self._standing, names=names),
                is_blocked=group.requester_id in self._blocked_by,
                is_suspended=self._is_suspended,
            )
            for group in groups
        ]


def access_to(group: HITType, *, worker: Worker) -> Access:
    return Doorkeeper(worker).judge([group])[0]

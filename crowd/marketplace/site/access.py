"""The actions that a worker may take on a group of HITs, and the reasons against others."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from django.urls import reverse
from django.utils.translation import gettext as _

from crowd.marketplace import clock
from crowd.marketplace.models import HITType, QualificationRequest
from crowd.marketplace.models.parties import Block, Worker
from crowd.marketplace.queries import next_hit_id
from crowd.marketplace.services.qualifying.requirements import (
    NamedType,
    Standing,
    UnmetRequirement,
    find_unmet,
    is_met,
    names_of,
    standing_of,
)
from crowd.marketplace.services.qualifying.system_qualifications import LOCALE
from hits.common.currencies import in_dollars
from hits.common.kept_queries import KeptQuery, given_id

# Tests looked at for one qualification.
MOST_TESTS = 3
Request = QualificationRequest.Status
BLOCKED_BY = KeptQuery(
    lambda: Block.objects.filter(worker=given_id("worker")).values_list("requester_id", flat=True)
)
GUARDS_PREVIEW = ("PreviewAndAccept", "DiscoverPreviewAndAccept")


@dataclass(frozen=True, kw_only=True)
class WayIn:
    """The one step by which a worker comes nearer to work that is not open to them."""

    label: str
    address: str
    about: str


@dataclass(frozen=True, kw_only=True)
class Access:
    group: HITType
    unmet: Sequence[UnmetRequirement]
    is_blocked: bool
    is_suspended: bool
    way_in: WayIn | None = None

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
    """Judges groups of HITs for one worker, about whom everything is read once, and only where it matters."""

    def __init__(self, worker: Worker) -> None:
        self._worker = worker
        self._blocked_by = set(BLOCKED_BY.rows(worker=worker.pk))

    @cached_property
    def _standing(self) -> Standing:
        return standing_of(self._worker)

    @cached_property
    def _ended(self) -> set[str]:
        """Qualifications asked for before: the page of each says what came of it."""
        asked = QualificationRequest.objects.filter(worker=self._worker).exclude(status=Request.WITHDRAWN)
        return set(asked.values_list("type__external_id", flat=True))

    def judge(self, groups: Sequence[HITType]) -> list[Access]:
        wanted = (requirement for group in groups for requirement in group.requirements)
        names = names_of([one for one in wanted if not is_met(one, self._standing)])
        ways = {type_id: self._way_in(type_id, type_) for type_id, type_ in names.items()}
        return [self._judge(group, names=names, ways=ways) for group in groups]

    def _judge(
        self, group: HITType, *, names: Mapping[str, NamedType], ways: Mapping[str, WayIn | None]
    ) -> Access:
        wanted = group.requirements
        unmet = find_unmet(wanted, standing=self._standing, names=names) if wanted else []
        lacking = [one.requirement for one in unmet if one.requirement["Comparator"] != "DoesNotExist"]
        found = (self._way_to(requirement["QualificationTypeId"], ways) for requirement in lacking)
        is_blocked = group.requester_id in self._blocked_by
        is_suspended = self._worker.suspended_at is not None
        return Access(
            group=group,
            unmet=unmet,
            is_blocked=is_blocked,
            is_suspended=is_suspended,
            way_in=None if is_blocked or is_suspended else next(filter(None, found), None),
        )

    def _way_to(self, type_id: str, ways: Mapping[str, WayIn | None]) -> WayIn | None:
        if type_id != LOCALE or self._worker.country:
            return ways.get(type_id)
        return WayIn(
            label=_("Say where you live"), address=reverse("marketplace:settings"), about=_("Settings")
        )

    def _way_in(self, type_id: str, type_: NamedType) -> WayIn | None:
        """The step to a qualification that the worker lacks; None if it is held, or nothing can be done."""
        if type_id in self._standing.held or type_id in self._ended:
            return None
        if type_.way_in == "work":
            return next(filter(None, map(self._way_by, type_.work[:MOST_TESTS])), None)
        labels = {"test": _("Take the test"), "ask": _("Ask for it")}
        address = reverse("marketplace:qualification", args=[type_id])
        label = labels.get(type_.way_in)
        return WayIn(label=label, address=address, about=type_.name) if label else None

    def _way_by(self, group: HITType) -> WayIn | None:
        """The step to a test that is a HIT of its own, if this worker could accept it now."""
        is_open = group.is_listed and group.requester_id not in self._blocked_by
        if not is_open or find_unmet(group.requirements, standing=self._standing):
            return None
        if not next_hit_id(group=group, worker=self._worker, now=clock.now()):
            return None
        return WayIn(
            label=_("Take the test (%(reward)s)") % {"reward": in_dollars(group.reward)},
            address=reverse("marketplace:preview", args=[group.external_id]),
            about=group.title,
        )


def access_to(group: HITType, *, worker: Worker) -> Access:
    return Doorkeeper(worker).judge([group])[0]

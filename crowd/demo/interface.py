"""The interface of a family's demo: rows to begin with, a run over HTTP, and pages to see afterwards."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from django.urls import reverse

from crowd.demo import acts
from crowd.demo.acts import Say
from crowd.demo.demo_people import Cast, Staff
from crowd.demo.demo_providers import MARKETPLACE, DemoProvider

Report = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Try:
    """Something to try: as whom, what, and where in the admin."""

    who: Staff
    what: str
    path: str


class Demo(ABC):
    """A demo whose report depends on the seed alone: no worker's behavior depends on a clock."""

    # What a worker who comes after the demo may do.
    for_a_worker: ClassVar[str]
    # Where its work can be posted.
    providers: ClassVar[Sequence[str]] = (MARKETPLACE.key,)

    def __init__(self, *, seed: int, say: Say, provider: DemoProvider = MARKETPLACE) -> None:
        self.seed = seed
        self.say = say
        self.provider = provider

    @property
    @abstractmethod
    def cast(self) -> Cast:
        """The people of the demo, known once it is prepared."""

    @abstractmethod
    def prepare(self) -> None:
        """Make the study, its people, and drafts, before anything is served."""

    @abstractmethod
    def play(self) -> None:
        """Launch, work, review and pay while everything is served."""

    @abstractmethod
    def leave_work(self) -> None:
        """Leave work open for a worker who comes after the demo."""

    @abstractmethod
    def report(self) -> Report:
        """Figures of the run: ours from our rows, payments from the marketplace's own lists."""

    @abstractmethod
    def table(self) -> Iterator[str]:
        """Lines that describe the data."""

    def pages(self) -> Sequence[tuple[str, str]]:
        """Names and paths of pages worth a look afterwards, beside the admin's first page."""
        return ()

    def leave(self) -> Iterator[Try]:
        """Leave something to do for whoever looks at the demo, after its figures were taken."""
        self.leave_work()
        run = acts.leave_run(self.cast)
        if run:
            path = reverse("admin:hits_run_change", args=[run.pk])
            yield Try(who=self.cast.approver, what=f"approve the run “{run.title}”", path=path)
            what = "prepare a run of the bonus that is owed"
            yield Try(who=self.cast.preparer, what=what, path=reverse("admin:hits_run_prepare"))
        if acts.leave_appeal(self.cast):
            yield Try(
                who=self.cast.preparer,
                what="answer the appeal of a worker",
                path=reverse("admin:hits_appeal_changelist"),
            )

    def sites(self) -> Sequence[tuple[str, str]]:
        """Names and addresses of sites of the family's own, beside the admin and the workers' site."""
        return self.provider.sites()

    def lines(self, report: Mapping[str, Any]) -> Iterator[str]:
        yield from self.table()
        yield ""
        for name, value in report.items():
            yield f"{name.replace('_', ' '):<26}{value}"

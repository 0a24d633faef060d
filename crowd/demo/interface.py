"""The interface of a family's demo: rows to begin with, a run over HTTP, and pages to see afterwards."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from crowd.demo.acts import Say
from crowd.demo.demo_people import Cast

Report = dict[str, Any]


class Demo(ABC):
    """A demo whose report depends on the seed alone: no worker's behavior depends on a clock."""

    def __init__(self, *, seed: int, say: Say) -> None:
        self.seed = seed
        self.say = say

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
    def report(self) -> Report:
        """Figures of the run: ours from our rows, payments from the marketplace's own lists."""

    @abstractmethod
    def table(self) -> Iterator[str]:
        """Lines that describe the data."""

    def pages(self) -> Sequence[tuple[str, str]]:
        """Names and paths of pages worth a look afterwards, beside the admin's first page."""
        return ()

    def lines(self, report: Mapping[str, Any]) -> Iterator[str]:
        yield from self.table()
        yield ""
        for name, value in report.items():
            yield f"{name.replace('_', ' '):<26}{value}"

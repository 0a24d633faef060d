"""What a task family's demo is: rows to begin with, a run over HTTP, and what there is to see afterwards."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from crowd.demo.acts import Say
from crowd.demo.demo_people import Cast

Report = dict[str, Any]


class Demo(ABC):
    """Equal seeds give equal reports: what a worker does depends on the seed, and on no clock."""

    def __init__(self, *, seed: int, say: Say) -> None:
        self.seed = seed
        self.say = say

    @property
    @abstractmethod
    def cast(self) -> Cast:
        """Known once it is prepared."""

    @abstractmethod
    def prepare(self) -> None:
        """Before anything is served: a study, its people, and drafts."""

    @abstractmethod
    def play(self) -> None:
        """While everything is served: launches, work, review, and pay."""

    @abstractmethod
    def report(self) -> Report:
        """Our figures from our rows; what was paid from the marketplace's own lists."""

    @abstractmethod
    def table(self) -> Iterator[str]:
        """What the data are about, a line at a time."""

    def pages(self) -> Sequence[tuple[str, str]]:
        """What is worth a look afterwards, beside the admin's first page: a name and a path."""
        return ()

    def lines(self, report: Mapping[str, Any]) -> Iterator[str]:
        yield from self.table()
        yield ""
        for name, value in report.items():
            yield f"{name.replace('_', ' '):<26}{value}"

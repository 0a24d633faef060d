"""The product's own side: its server, workers at the marketplace, and solvers of its question pages."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.bench.marketplace_load import (
    DATABASES,
    Client,
    analyze,
    scratch_databases,
    seed,
    serving,
    set_environment,
    sign_in,
)
from tests.bench.race.clients import Worker
from tests.bench.servers import Server, free_port

# The inside of a form; Turkle shows the same.
TASK = """<h1>A picture</h1>
<p>Here stands picture ${number}. Say in a few words what it shows.</p>
<p><label>It shows <input name="answer" required></label></p>
"""


@dataclass(frozen=True, kw_only=True)
class Ours:
    """The product with empty databases of its own."""

    port: int
    environ: Mapping[str, str]

    def serving(self, *, processes: int) -> AbstractContextManager[Server]:
        return serving(self.environ, self.port, processes=processes)

    def seed(self, open_hits: int) -> str:
        """Create so many open HITs whose pages the marketplace itself shows. Returns their type's id."""
        from crowd.marketplace.questions.html import render_layout  # noqa: PLC0415  settings are made first

        return seed(open_hits, {"kind": "html", "question": render_layout(TASK, {"number": "1"})})

    def analyze(self) -> None:
        for variable in DATABASES:
            analyze(self.environ[variable])

    def workers(self, group: str, count: int) -> Sequence[Worker]:
        return [FrameOpener(self.port, group=group, session=sign_in(group)) for _ in range(count)]


class FrameOpener(Client):
    """A worker whose browser also loads the page in the frame, which the marketplace itself shows."""

    def open(self, address: str) -> str:
        frame = super().open(address)
        page = self.visitor.get("frame", frame)
        assert "Say in a few words" in page, page[:2000]
        return frame


@contextmanager
def set_up(folder: Path) -> Iterator[Ours]:
    port = free_port()
    with scratch_databases() as databases:
        yield Ours(port=port, environ=set_environment(folder, port, databases))

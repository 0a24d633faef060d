"""The product's own side: its server, workers at the marketplace, and solvers of its question pages."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from tests.bench.deployed import DATABASES, environment_of, scratch_databases, serving
from tests.bench.marketplace_load import UNLIMITED, Client, analyze, seed, set_environment, sign_in
from tests.bench.race.clients import Visitor, Worker
from tests.bench.servers import Server, free_port
from tests.bench.solving import MAKE, fill_in
from tests.config.processes import manage

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

    def solvers(self, count: int, *, hits: int, loops: int) -> Sequence[Worker]:
        """Create workers who do so many HITs in each loop; they are accepted, and each asks one question."""
        script = MAKE.format(count=count * hits * loops, items=1)
        said = manage("shell", "--no-imports", "--command", script, environ=dict(self.environ))
        made = json.loads(said.splitlines()[-1])
        return [Solver(self.port, made[number::count], hits=hits) for number in range(count)]

    def workers(self, group: str, count: int) -> Sequence[Worker]:
        return [FrameOpener(self.port, group=group, session=sign_in(group)) for _ in range(count)]


class FrameOpener(Client):
    """A worker whose browser also loads the page in the frame, which the marketplace itself shows."""

    def open(self, address: str) -> str:
        frame = super().open(address)
        page = self.visitor.get("frame", frame)
        assert "Say in a few words" in page, page[:2000]
        return frame


class Solver:
    """A worker whose browser opens the question pages of some HITs and answers each."""

    def __init__(self, port: int, works: Sequence[Mapping[str, Any]], *, hits: int) -> None:
        self.visitor = Visitor(port)
        self._works = iter(works)
        self._hits = hits

    def work_once(self) -> None:
        for work in islice(self._works, self._hits):
            page = self.visitor.get("page", f"{work['path']}?{urlencode(work['query'])}")
            self.visitor.post("submit", f"{work['path']}answer/", **fill_in(page, items=1))


@contextmanager
def set_up(folder: Path) -> Iterator[Ours]:
    port = free_port()
    with scratch_databases() as databases:
        environ = environment_of(folder, port, databases) | UNLIMITED
        set_environment(environ)
        yield Ours(port=port, environ=environ)

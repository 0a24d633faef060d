"""psiTurk: participants see the ad, consent, open the experiment, save their data and complete."""

import json
import os
import re
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from urllib.parse import urlencode
from uuid import uuid4

from tests.bench.deployed import PROCESSES, scratch_databases
from tests.bench.race.clients import Visitor, Worker
from tests.bench.race.contest import Heat, Side
from tests.bench.race.ours import Ours
from tests.bench.servers import Server, free_port, running
from tests.foreign.installing import install_psiturk

NAME = "psiturk"
LOOPS = 3
NOTES = (
    "A loop of psiTurk is its ad, consent, experiment, saving and completion; ours opens and answers a HIT.",
    "The step `page` is psiTurk's /exp, which writes the participant down; ours leases a question.",
    "The step `submit` is psiTurk's /sync, which keeps what it is given; ours checks the answer.",
    "psiTurk checks no ticket: whoever knows an id of a participant can write that participant's data.",
    "psiTurk reads all its participants again for each new one, so its page slows down with their number.",
)
UNIQUE_ID = re.compile(r'uniqueId = "([^"]+)"')


@dataclass(frozen=True, kw_only=True)
class Experiment:
    """The example experiment of psiTurk in an environment of its own, with a database on PostgreSQL."""

    python: Path
    folder: Path
    database: str
    port: int

    @property
    def environ(self) -> dict[str, str]:
        return {"PATH": os.environ["PATH"], "HOME": str(self.folder), "PYTHONWARNINGS": "ignore"}

    @property
    def project(self) -> Path:
        return self.folder / "psiturk-example"

    def call(self, program: str, *arguments: str, folder: Path) -> None:
        command = [str(self.python.with_name(program)), *arguments]
        subprocess.run(command, cwd=folder, env=self.environ, check=True, stdout=subprocess.DEVNULL)

    def lay(self) -> None:
        """Start the example, and lay its tables before several processes would all do so."""
        self.call("psiturk-setup-example", folder=self.folder)
        values = {"host": "127.0.0.1", "port": self.port, "threads": PROCESSES, "logfile": "server.log"}
        lines = [f"{name} = {value}" for name, value in values.items()]
        database = f"[Database Parameters]\ndatabase_url = {self.database}\n"
        config = "\n".join([database, "[Server Parameters]", *lines, ""])
        (self.project / "config.txt").write_text(config)
        self.call("python", "-c", "import psiturk.experiment", folder=self.project)

    def workers(self, count: int) -> Sequence[Worker]:
        return [Participant(self.port) for _ in range(count)]

    def serving(self) -> AbstractContextManager[Server]:
        command = [str(self.python.with_name("psiturk-server"))]
        return running(
            command, port=self.port, page="/", folder=self.folder, cwd=self.project, environ=self.environ
        )


class Participant:
    """A browser in which someone new takes part each time, in the mode of a laboratory."""

    def __init__(self, port: int) -> None:
        self.visitor = Visitor(port)

    def work_once(self) -> None:
        ids = {"hitId": "H1", "assignmentId": f"A{uuid4().hex}", "workerId": f"W{uuid4().hex}"}
        query = urlencode({**ids, "mode": "lab"})
        self.visitor.get("ad", f"/pub?{query}")
        self.visitor.get("consent", f"/consent?{query}")
        unique = UNIQUE_ID.search(self.visitor.get("page", f"/exp?{query}"))
        assert unique, "The experiment shows no id."
        trial = {"uniqueid": unique[1], "current_trial": 1, "dateTime": 0, "trialdata": {"answer": "A cat."}}
        data = {**ids, "currenttrial": 1, "bonus": 0, "data": [trial], "questiondata": {}, "eventdata": []}
        said = self.visitor.put("submit", f"/sync/{unique[1]}", json.dumps(data))
        assert "user data saved" in said, said
        self.visitor.get("complete", f"/complete?{urlencode({'uniqueId': unique[1], 'mode': 'lab'})}")


@contextmanager
def entered(ours: Ours, *, sizes: Sequence[int], folder: Path) -> Iterator[list[Heat]]:
    """Yield the one heat of an experiment, while both servers run with as many web processes."""
    python = install_psiturk(folder / "environment", "psycopg2-binary")
    with scratch_databases("PSITURK_DATABASE_URL") as databases:
        (database,) = databases.values()
        experiment = Experiment(python=python, folder=folder, database=database, port=free_port())
        experiment.lay()
        with experiment.serving() as theirs, ours.serving(processes=PROCESSES) as own:
            workers = partial(ours.solvers, hits=1, loops=LOOPS)
            yield [
                Heat(
                    name="experiment",
                    ours=Side(server=own, workers=workers, loops=LOOPS),
                    theirs=Side(server=theirs, workers=experiment.workers, loops=LOOPS),
                )
            ]

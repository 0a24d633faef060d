"""Turkle: workers list, accept, open and submit tasks, at several numbers of open tasks."""

import json
import os
import re
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from pathlib import Path

from tests.bench.deployed import PROCESSES, gunicorn, scratch_databases
from tests.bench.marketplace_load import EACH, TOKEN, analyze
from tests.bench.race.clients import Visitor, Worker
from tests.bench.race.contest import Heat, Side
from tests.bench.race.ours import TASK, Ours
from tests.bench.servers import Server, free_port, running
from tests.foreign.installing import install_python

NAME = "turkle"
NOTES = (
    "Turkle checks no qualifications and no review policy, and holds no money for a task.",
    "Turkle signs no address of a frame, and knows no notification of a submission.",
    "Turkle's list shows the exact number of tasks that a worker can still do; ours counts to a hundred.",
    "On PostgreSQL an accept of Turkle locks every unfinished task of the batch, so accepts wait in line.",
    "Turkle's submit redirects to the list, which is the next step; ours shows a page of thanks.",
)
GUNICORN = f"gunicorn=={version('gunicorn')}"  # both sides have the same
PROGRAMS = Path(__file__).parent / "programs"
FORM = re.compile(r'action="(/task/[^"]+)"')
FRAME = re.compile(r'<iframe src="([^"]+)"')


@dataclass(frozen=True, kw_only=True)
class Site:
    """A site of Turkle in an environment of its own."""

    python: Path
    environ: dict[str, str]
    port: int

    def call(self, *arguments: object) -> str:
        command = [str(self.python), *map(str, arguments)]
        done = subprocess.run(command, cwd=PROGRAMS, env=self.environ, check=True, stdout=subprocess.PIPE)
        return done.stdout.decode()

    def workers(self, batch_id: int, count: int) -> Sequence[Worker]:
        """Sign in workers who see this batch alone."""
        sessions = json.loads(self.call("turkle_rows.py", "open", batch_id, count))
        return [Annotator(self.port, batch_id=batch_id, session=session) for session in sessions]

    def serving(self, folder: Path) -> AbstractContextManager[Server]:
        command = [str(self.python), "-m", *gunicorn("turkle_site.wsgi", self.port, processes=PROCESSES)]
        return running(command, port=self.port, page="/", folder=folder, cwd=PROGRAMS, environ=self.environ)


class Annotator:
    """A worker's browser: it lists, accepts, opens the task and the frame in it, and submits."""

    def __init__(self, port: int, *, batch_id: int, session: str) -> None:
        self.visitor = Visitor(port, sessionid=session)
        self._accept = f"/batch/{batch_id}/accept_next_task/"

    def work_once(self) -> None:
        page = self.visitor.get("list", "/")
        assert self._accept in page, page[:2000]
        task = self.visitor.post("accept", self._accept, csrfmiddlewaretoken=_token_of(page))
        frame = FRAME.search(self.visitor.get("work", task))
        assert frame, "The task shows no frame."
        form = self.visitor.get("frame", frame[1].replace("&amp;", "&"))
        assert "Say in a few words" in form, form[:2000]
        answered = {"csrfmiddlewaretoken": _token_of(form), "answer": "A cat."}
        assert self.visitor.post("submit", FORM.findall(form)[0], **answered) == "/"


@contextmanager
def entered(ours: Ours, *, sizes: Sequence[int], folder: Path) -> Iterator[list[Heat]]:
    """Yield a heat for each number of open tasks, while both servers run."""
    python = install_python(folder / "environment", "turkle", "whitenoise", "psycopg2-binary", GUNICORN)
    with scratch_databases("TURKLE_DATABASE_URL") as databases:
        (database,) = databases.values()
        site = Site(python=python, environ=environ_of(database, folder), port=free_port())
        batches = fill(site, sizes, folder=folder)
        groups = {size: ours.seed(size) for size in sizes}
        ours.analyze()
        analyze(database)
        with site.serving(folder) as theirs, ours.serving(processes=PROCESSES) as own:
            yield [
                Heat(
                    name=str(size),
                    ours=Side(server=own, workers=partial(ours.workers, groups[size]), loops=EACH),
                    theirs=Side(server=theirs, workers=partial(site.workers, batches[size]), loops=EACH),
                )
                for size in sizes
            ]


def fill(site: Site, sizes: Sequence[int], *, folder: Path) -> dict[int, int]:
    """Lay the tables and create a batch for each size. Returns the batches' ids by size."""
    site.call("-m", "django", "migrate", "--verbosity=0")
    site.call("-m", "django", "collectstatic", "--no-input", "--verbosity=0")
    template = folder / "task.html"
    template.write_text(TASK)
    made = json.loads(site.call("turkle_rows.py", "seed", template, *sizes))
    return {int(size): batch_id for size, batch_id in made.items()}


def environ_of(database: str, folder: Path) -> dict[str, str]:
    return {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(PROGRAMS),
        "DJANGO_SETTINGS_MODULE": "turkle_site.settings",
        "DATABASE_URL": database,
        "STATIC_ROOT": str(folder / "static"),
    }


def _token_of(page: str) -> str:
    token = TOKEN.search(page)
    assert token, page[:2000]
    return token[1]

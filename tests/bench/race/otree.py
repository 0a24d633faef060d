"""oTree: participants follow their start link and answer three pages of one question each."""

import os
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import psycopg

from tests.bench.deployed import scratch_databases
from tests.bench.race.clients import Visitor, Worker
from tests.bench.race.contest import Heat, Side
from tests.bench.race.ours import Ours
from tests.bench.servers import Server, free_port, running
from tests.foreign.installing import install_python

NAME = "otree"
PAGES = ("First", "Second", "Third")
NOTES = (
    "A loop of oTree is a start link and three pages of one number; ours is three HITs of one question.",
    "Each has one web process: oTree's answers one request at a time, ours has four threads.",
    "oTree's page asks for a number; ours for three of ten pictures, and it verifies a signed ticket.",
    "oTree knows its participants before they come; ours leases the question to whoever opens the page.",
    "After an answer oTree redirects to the next page; ours checks the answer, keeps it and shows a page.",
)
SESSION = """
SESSION_CONFIGS = [dict(name='counting', app_sequence=['counting'], num_demo_participants=1)]
"""
APP = """from otree.api import *


class C(BaseConstants):
    NAME_IN_URL = 'counting'
    PLAYERS_PER_GROUP = None
    NUM_ROUNDS = 1


class Subsession(BaseSubsession):
    pass


class Group(BaseGroup):
    pass


class Player(BasePlayer):
    first = models.IntegerField(label='How many birds do you see?')
    second = models.IntegerField(label='How many trees do you see?')
    third = models.IntegerField(label='How many people do you see?')


class First(Page):
    form_model = 'player'
    form_fields = ['first']


class Second(Page):
    form_model = 'player'
    form_fields = ['second']


class Third(Page):
    form_model = 'player'
    form_fields = ['third']


page_sequence = [First, Second, Third]
"""
TEMPLATE = """{{ block title }}A picture{{ endblock }}
{{ block content }}{{ formfields }}{{ next_button }}{{ endblock }}
"""


@dataclass(frozen=True, kw_only=True)
class Lab:
    """A project of oTree in an environment of its own, with a database on PostgreSQL."""

    python: Path
    folder: Path
    database: str
    port: int

    @property
    def environ(self) -> dict[str, str]:
        return {
            "PATH": f"{self.python.parent}{os.pathsep}{os.environ['PATH']}",
            "DATABASE_URL": self.database,
            "OTREE_PRODUCTION": "1",
            "OTREE_AUTH_LEVEL": "STUDY",
            "OTREE_ADMIN_PASSWORD": "sky-and-sea",
        }

    @property
    def project(self) -> Path:
        return self.folder / "lab"

    def call(self, *arguments: str, folder: Path) -> None:
        command = [str(self.python.with_name("otree")), *arguments]
        subprocess.run(command, cwd=folder, env=self.environ, check=True, stdout=subprocess.DEVNULL)

    def lay(self) -> None:
        """Start a project with one app, and lay its tables."""
        self.call("startproject", "lab", "--noinput", folder=self.folder)
        with (self.project / "settings.py").open("a") as settings:
            settings.write(SESSION)
        app = self.project / "counting"
        app.mkdir()
        (app / "__init__.py").write_text(APP)
        for page in PAGES:
            (app / f"{page}.html").write_text(TEMPLATE)
        self.call("resetdb", "--noinput", folder=self.project)

    def workers(self, count: int) -> Sequence[Worker]:
        """Create a session of so many participants."""
        self.call("create_session", "counting", str(count), folder=self.project)
        with psycopg.connect(self.database) as connection:
            newest = "SELECT code FROM otree_participant ORDER BY id DESC LIMIT %s"
            codes = connection.execute(newest, [count]).fetchall()
        return [Participant(self.port, code=code) for (code,) in codes]

    def serving(self) -> AbstractContextManager[Server]:
        command = [str(self.python.with_name("otree")), "prodserver", f"127.0.0.1:{self.port}"]
        return running(
            command,
            port=self.port,
            page="/login",
            folder=self.folder,
            cwd=self.project,
            environ=self.environ,
        )


class Participant:
    """A participant's browser, which follows the redirects from page to page."""

    def __init__(self, port: int, *, code: str) -> None:
        self.visitor = Visitor(port)
        self._start = f"/InitializeParticipant/{code}"

    def work_once(self) -> None:
        address = self.visitor.get("start", self._start)
        for page in PAGES:
            shown = self.visitor.get("page", address)
            assert "do you see?" in shown, shown[:2000]
            address = self.visitor.post("submit", address, **{page.lower(): "3"})
        assert "OutOfRange" in address, address


@contextmanager
def entered(ours: Ours, *, sizes: Sequence[int], folder: Path) -> Iterator[list[Heat]]:
    """Yield the one heat of three pages, while both servers run with one web process each."""
    python = install_python(folder / "environment", "otree", "psycopg2-binary")
    with scratch_databases("OTREE_DATABASE_URL") as databases:
        (database,) = databases.values()
        lab = Lab(python=python, folder=folder, database=database, port=free_port())
        lab.lay()
        with lab.serving() as theirs, ours.serving(processes=1) as own:
            workers = partial(ours.solvers, hits=len(PAGES), loops=1)
            yield [
                Heat(
                    name="pages",
                    ours=Side(server=own, workers=workers),
                    theirs=Side(server=theirs, workers=lab.workers),
                )
            ]

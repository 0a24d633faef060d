"""oTree's own server and admin, through the proxy: a session is published, done in the browser and paid."""

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import FrameLocator, Page, expect

from crowd.marketplace.services.requesters import Credentials
from crowd.marketplace.tools.tls_proxy.server import Proxy
from tests.browser.conftest import OpenPage
from tests.config.processes import free_port, is_answering, wait_until
from tests.conftest import Sites
from tests.crowd.marketplace.api import client_of
from tests.foreign import working
from tests.foreign.driving import environ_of
from tests.foreign.installing import install_python

pytestmark = [pytest.mark.needs_chromium, pytest.mark.needs_uv, pytest.mark.django_db(transaction=True)]

PATIENCE_S = 60
PASSWORD = "sky-and-sea"
APP = """
from otree.api import *


class C(BaseConstants):
    NAME_IN_URL = 'colors'
    PLAYERS_PER_GROUP = None
    NUM_ROUNDS = 1


class Subsession(BaseSubsession):
    pass


class Group(BaseGroup):
    pass


class Player(BasePlayer):
    color = models.StringField(label='What color is the sky?')


class MyPage(Page):
    form_model = 'player'
    form_fields = ['color']

    @staticmethod
    def before_next_page(player, timeout_happened):
        player.payoff = 3


class Results(Page):
    pass


page_sequence = [MyPage, Results]
"""
LAST_PAGE = """{{ block title }}Thank you{{ endblock }}
{{ block content }}<p>Your completion code is SKY{{ participant.code }}.</p>{{ endblock }}
"""
SETTINGS = """
SESSION_CONFIGS = [
    dict(
        name='colors',
        app_sequence=['colors'],
        num_demo_participants=1,
        real_world_currency_per_point=0.25,
        participation_fee=0.50,
        mturk_hit_settings=dict(
            keywords=['color', 'sky'],
            title='Colors',
            description='One question about a color.',
            frame_height=500,
            template='global/mturk_template.html',
            minutes_allotted_per_assignment=60,
            expiration_hours=24,
            qualification_requirements=[
                {
                    'QualificationTypeId': "QUALIFICATION",
                    'Comparator': "DoesNotExist",
                    'ActionsGuarded': "DiscoverPreviewAndAccept",
                },
            ],
            grant_qualification_id="QUALIFICATION",
        ),
    ),
]
"""
# The form that oTree's documentation has, with other words.
TEMPLATE = """<script src="https://assets.crowd.aws/crowd-html-elements.js"></script>
<crowd-form>
  <p>After you have accepted, the study is here: <b><a class="otree-link">link</a></b>.</p>
  <crowd-input name="completion_code" label="Enter your completion code here" required></crowd-input>
</crowd-form>
"""


@dataclass(frozen=True, kw_only=True)
class OTree:
    """oTree's command, which runs in a shell with the keys and the way to the proxy."""

    command: Path
    environ: dict[str, str]

    def run(self, *arguments: str, folder: Path, said: str = "") -> None:
        subprocess.run(
            [self.command, *arguments],
            cwd=folder,
            env=self.environ,
            input=said,
            text=True,
            check=True,
            capture_output=True,
        )

    @contextmanager
    def serving(self, project: Path) -> Iterator[int]:
        """Serve the project in production, with the process that this starts beside it. Yields the port."""
        port = free_port()
        command = [str(self.command), "prodserver", f"127.0.0.1:{port}"]
        with (
            (project / "server.log").open("w") as log,
            subprocess.Popen(
                command, cwd=project, env=self.environ, stdout=log, stderr=log, start_new_session=True
            ) as process,
        ):
            try:
                url = f"http://127.0.0.1:{port}/login"
                wait_until(lambda: is_answering(url), seconds=PATIENCE_S, what="oTree answers")
                yield port
            finally:
                os.killpg(process.pid, signal.SIGTERM)
                process.wait(timeout=PATIENCE_S)


@pytest.fixture(scope="session")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return install_python(tmp_path_factory.mktemp("otree"), "otree")


@pytest.fixture
def otree(python: Path, proxy: Proxy, credentials: Credentials, tmp_path: Path) -> OTree:
    return OTree(
        command=python.with_name("otree"),
        environ=environ_of(
            credentials,
            home=tmp_path,
            PATH=f"{python.parent}:/usr/bin:/bin",
            HTTPS_PROXY=proxy.url,
            SSL_CERT_FILE=str(proxy.authority.bundle),
            OTREE_PRODUCTION="1",
            OTREE_AUTH_LEVEL="STUDY",
            OTREE_ADMIN_PASSWORD=PASSWORD,
        ),
    )


@pytest.fixture
def requester(sites: Sites, credentials: Credentials) -> Any:
    return client_of(sites, credentials)


@pytest.fixture
def qualification_id(requester: Any) -> str:
    made = requester.create_qualification_type(
        Name="Took part", Description="Was here before.", QualificationTypeStatus="Active"
    )
    qualification_id: str = made["QualificationType"]["QualificationTypeId"]
    return qualification_id


@pytest.fixture
def port(otree: OTree, qualification_id: str, tmp_path: Path) -> Iterator[int]:
    """The port at which oTree serves a project of one app, whose one page asks one question."""
    otree.run("startproject", "lab", folder=tmp_path, said="n\n")  # without the sample games
    project = tmp_path / "lab"
    otree.run("startapp", "colors", folder=project)
    (project / "colors" / "__init__.py").write_text(APP)
    (project / "colors" / "Results.html").write_text(LAST_PAGE)
    templates = project / "_templates" / "global"
    templates.mkdir(parents=True)
    (templates / "mturk_template.html").write_text(TEMPLATE)
    with (project / "settings.py").open("a") as settings:
        settings.write(SETTINGS.replace("QUALIFICATION", qualification_id))
    with otree.serving(project) as port:
        yield port


@dataclass(frozen=True, kw_only=True)
class Admin:
    """A researcher in oTree's admin."""

    page: Page

    def publish(self, url: str, *, workers: int, sandbox: bool) -> None:
        """Log in, create a session for so many workers, and publish its HIT."""
        self.page.goto(f"{url}/login")
        self.page.get_by_label("Username").fill("admin")
        self.page.get_by_label("Password").fill(PASSWORD)
        self.page.get_by_role("button", name="Log in").click()
        self.page.goto(f"{url}/sessions")
        self.page.locator("button.dropdown-toggle").click()
        self.page.get_by_role("link", name="For MTurk").click()
        self.page.get_by_label("Session config").select_option("colors")
        self.page.get_by_label("Number of MTurk workers").fill(str(workers))
        self.page.get_by_role("button", name="Create").click()
        self.page.get_by_role("link", name="MTurk", exact=True).click()
        self.page.get_by_label("Use MTurk Sandbox").set_checked(sandbox)
        self.page.get_by_role("button", name="Publish HIT").click()
        expect(self.page.get_by_text("You have published HIT")).to_be_visible()

    def open_payments(self) -> None:
        self.page.get_by_role("link", name="Payments").click()

    def review(self, worker_id: str, *, button: str, confirm: str) -> None:
        self.open_payments()
        self.page.get_by_role("row", name=worker_id).get_by_role("checkbox").check()
        self.page.get_by_role("button", name=button).click()
        self.page.get_by_role("dialog").get_by_role("button", name=confirm).click()


def open_study(page: Page, frame: FrameLocator) -> Page:
    """Open the study in the window of its link."""
    with page.expect_popup() as opened:
        frame.get_by_role("link", name="link").click()
    return opened.value


def answer(study: Page) -> None:
    study.get_by_label("What color is the sky?").fill("blue & grey")
    study.get_by_role("button", name="Next").click()
    expect(study.get_by_text("Your completion code is")).to_be_visible()


def code_on(study: Page) -> str:
    """The completion code of the study's last page."""
    said = study.get_by_text("Your completion code is").inner_text()
    return said.rpartition(" ")[2].rstrip(".")


def hand_in(page: Page, frame: FrameLocator, code: str) -> None:
    frame.get_by_label("Enter your completion code here").fill(code)
    frame.get_by_role("button", name="Submit").click()
    working.expect_submitted(page)


def test_otree_publishes_to_the_live_site_grants_pays_rejects_and_expires(
    port: int, open_page: OpenPage, sites: Sites, requester: Any, qualification_id: str
) -> None:
    admin, page, idle_page = Admin(page=open_page()), open_page(), open_page()
    # At localhost and 127.0.0.1 it publishes to the sandbox alone, and leaves the qualifications out.
    admin.publish(f"http://otree.localhost:{port}", workers=3, sandbox=False)
    worker, preview = working.preview(page, sites=sites)
    expect(preview.get_by_text("After you have accepted")).to_be_visible()
    expect(preview.get_by_role("link")).to_have_count(0)
    frame = working.accept(page)
    study = open_study(page, frame)
    answer(study)
    code = code_on(study)
    hand_in(page, frame, code)
    idle, _ = working.preview(idle_page, sites=sites)
    hand_in(idle_page, working.accept(idle_page), "SKY")

    admin.open_payments()
    expect(admin.page.get_by_text("automatically rejected")).to_be_visible()
    expect(admin.page.get_by_role("row", name=worker.external_id)).to_contain_text(code)
    admin.review(worker.external_id, button="Pay via MTurk ($1.25)", confirm="Pay")
    expect(admin.page.get_by_text("Successfully made 1 payments.")).to_be_visible()
    admin.page.get_by_role("link", name="MTurk", exact=True).click()
    admin.page.get_by_role("button", name="Expire HIT").click()
    expect(admin.page.get_by_text("This HIT has expired")).to_be_visible()

    (hit,) = requester.list_hits()["HITs"]
    done = requester.list_assignments_for_hit(HITId=hit["HITId"])["Assignments"]
    bonuses = requester.list_bonus_payments(HITId=hit["HITId"])["BonusPayments"]
    granted = requester.list_workers_with_qualification_type(QualificationTypeId=qualification_id)
    assert {one["WorkerId"]: one["AssignmentStatus"] for one in done} == {
        worker.external_id: "Approved",
        idle.external_id: "Rejected",
    }
    assert [(one["WorkerId"], one["BonusAmount"]) for one in bonuses] == [(worker.external_id, "0.75")]
    assert [one["WorkerId"] for one in granted["Qualifications"]] == [worker.external_id]
    assert requester.get_account_balance()["AvailableBalance"] == "98.75"


def test_otree_publishes_to_the_sandbox_from_loopback_knows_a_worker_again_and_rejects(
    port: int, open_page: OpenPage, sites: Sites, requester: Any
) -> None:
    admin, page = Admin(page=open_page()), open_page()
    admin.publish(f"http://127.0.0.1:{port}", workers=1, sandbox=True)
    worker, _ = working.preview(page, sites=sites)
    answer(open_study(page, working.accept(page)))
    page.once("dialog", lambda asked: asked.accept())
    page.get_by_role("button", name="Return this HIT").click()
    expect(page.get_by_role("button", name="Return this HIT")).to_have_count(0)
    page.get_by_role("link", name="Find work").click()
    page.get_by_role("link", name="Preview").click()
    frame = working.accept(page)
    hand_in(page, frame, code_on(open_study(page, frame)))

    admin.review(worker.external_id, button="Reject", confirm="Reject")
    expect(admin.page.get_by_text("Rejected the selected assignments")).to_be_visible()

    (hit,) = requester.list_hits()["HITs"]
    (rejected,) = requester.list_assignments_for_hit(HITId=hit["HITId"])["Assignments"]
    assert (rejected["WorkerId"], rejected["AssignmentStatus"]) == (worker.external_id, "Rejected")

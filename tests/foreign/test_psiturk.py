"""psiTurk: its MTurkServices, which knows Amazon's addresses alone, through the proxy, and its pages."""

import re
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from crowd.marketplace.services.requesters import Credentials
from crowd.marketplace.tools.tls_proxy.server import Proxy
from tests.conftest import Sites
from tests.foreign import working
from tests.foreign.driving import PROGRAMS, Client, environ_of
from tests.foreign.installing import install_psiturk

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.needs_uv]


@pytest.fixture(scope="session")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return install_psiturk(tmp_path_factory.mktemp("psiturk"), unused=("gunicorn",))


@pytest.fixture
def program(python: Path, proxy: Proxy, credentials: Credentials, tmp_path: Path) -> Client:
    return program_in(tmp_path, python, proxy=proxy, credentials=credentials)


def program_in(folder: Path, python: Path, *, proxy: Proxy, credentials: Credentials) -> Client:
    return Client(
        command=[str(python), str(PROGRAMS / "psiturk_program.py")],
        folder=folder,
        environ=environ_of(
            credentials, home=folder, HTTPS_PROXY=proxy.url, AWS_CA_BUNDLE=str(proxy.authority.bundle)
        ),
    )


@pytest.fixture
def example(python: Path, proxy: Proxy, credentials: Credentials, tmp_path: Path, sites: Sites) -> Client:
    """The example experiment of psiTurk, whose last page was changed as the documentation says."""
    command = str(python.with_name("psiturk-setup-example"))
    subprocess.run([command], cwd=tmp_path, env={"HOME": str(tmp_path)}, check=True, capture_output=True)
    folder = tmp_path / "psiturk-example"
    last_page = folder / "templates" / "thanks-mturksubmit.html"
    html, count = re.subn(
        r"https://(www|workersandbox)\.mturk\.com", sites.marketplace, last_page.read_text()
    )
    assert count == 2
    last_page.write_text(html)
    return program_in(folder, python, proxy=proxy, credentials=credentials)


def test_psiturk_makes_extends_lists_expires_and_deletes_hits(program: Client) -> None:
    assert program.run("hits") == {
        "balances": ["85.00", "85.00"],
        "max_assignments": 5,
        "is_expired": [False, True],
        "status": ["Assignable", "Reviewable"],
        "left": 10,
        "missing": "error",
    }


def test_psiturk_reviews_and_pays(program: Client) -> None:
    assert program.run("review") == {
        "waiting": True,
        "rejected": [True],
        "unrejected": "Approved",
        "completed": 2,
        "needing_action": 0,
        "balance": "98.25",
    }


def test_psiturk_asks_for_qualifications(program: Client) -> None:
    assert program.run("qualifications") == {"found": [True], "guarded": "Assignable"}


@pytest.mark.needs_chromium
def test_psiturk_example_is_done_in_its_window_and_approved(
    example: Client, page: Page, sites: Sites
) -> None:
    """The keys of a trial say the color of its word; the last page is shown where the first one was."""

    def take_part(_: Mapping[str, str]) -> Mapping[str, str]:
        preview = working.preview(page, sites=sites)[1]
        expect(preview.get_by_text("Call for participants")).to_be_visible()
        frame = working.accept(page)
        with page.expect_popup() as opened:
            frame.get_by_role("button", name="Begin Experiment").click()
        do_example(opened.value)
        frame.get_by_role("button", name="Complete HIT").click()
        working.expect_submitted(page)
        return {}

    assert example.run("experiment", take_part=take_part) == {
        "worker": True,
        "submitted": True,
        "trials": 9,
        "status": "Approved",
        "balance": "98.32",
    }


def do_example(window: Page) -> None:
    """Consent, read four pages of instructions, do nine trials, answer the questionnaire."""
    window.get_by_role("button", name="I agree").click()
    for _ in range(4):
        window.locator("#next").click()
    for _ in range(9):
        word = window.locator("#word")
        color = word.evaluate("word => word.style.color")
        window.keyboard.press(color[0].upper())
    window.locator("#next").click()

"""Larry, a library that names Amazon's addresses, through the proxy, with a page of its Jinja template."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from playwright.sync_api import Page

from crowd.marketplace.services.requesters import Credentials
from crowd.marketplace.tools.tls_proxy.server import Proxy
from tests.conftest import Sites
from tests.foreign import working
from tests.foreign.driving import PROGRAMS, Client, environ_of
from tests.foreign.installing import install_python

pytestmark = [pytest.mark.needs_chromium, pytest.mark.needs_uv, pytest.mark.django_db(transaction=True)]


@pytest.fixture(scope="session")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Install it with the two packages that it uses without asking for them."""
    return install_python(tmp_path_factory.mktemp("larry"), "larry", "boto3", "jinja2")


@pytest.fixture
def program(python: Path, proxy: Proxy, credentials: Credentials, tmp_path: Path) -> Client:
    return Client(
        command=[str(python), str(PROGRAMS / "larry_program.py")],
        folder=tmp_path,
        environ=environ_of(
            credentials, home=tmp_path, HTTPS_PROXY=proxy.url, AWS_CA_BUNDLE=str(proxy.authority.bundle)
        ),
    )


def test_larry_posts_a_template_and_reads_and_approves_its_answers(
    program: Client, page: Page, sites: Sites
) -> None:
    def label(_: Mapping[str, str]) -> Mapping[str, str]:
        working.preview(page, sites=sites)
        frame = working.accept(page)
        for word in ("sky & sea", "<grass>"):
            frame.get_by_label(word, exact=True).check()
        frame.get_by_label("Anything else?").fill("é “quoted”")
        frame.get_by_role("button", name="Send").click()
        working.expect_submitted(page)
        return {}

    assert program.run("label", label=label) == {
        "answer": {
            "word": "sky & sea|<grass>",
            "else": "é “quoted”",
            "context": {"first": "sky & sea"},
        },
        "status": ["Submitted", "Approved"],
        "annotation": {"picture": 17},
        "balance": 99.75,
    }

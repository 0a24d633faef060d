"""The desk says what everybody reads, and where an operator's own texts are put."""

from pathlib import Path

import pytest
from django.conf import LazySettings

from tests.crowd.marketplace.desk import Desk
from tests.crowd.marketplace.site import text_of

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _folder(settings: LazySettings, tmp_path: Path) -> None:
    settings.DATA_DIR = tmp_path
    (tmp_path / "pages").mkdir()


def test_a_marketplace_of_nobody_is_told_so(desk: Desk) -> None:
    overview, page = text_of(desk.get("")), text_of(desk.get("public-pages/"))

    assert "They do not say yet who runs it." in overview
    assert "Set CROWD_MARKETPLACE_OPERATOR and CROWD_MARKETPLACE_CONTACT and start the server again" in page
    assert "these are environment variables of the command that starts it" in page
    assert "Run by not said Contact not said" in page


@pytest.mark.parametrize(("alone", "command"), [(False, "serve"), (True, "marketplace")])
def test_example_names_what_is_missing_before_the_command(
    desk: Desk, settings: LazySettings, *, alone: bool, command: str
) -> None:
    settings.MARKETPLACE_ALONE = alone
    neither = text_of(desk.get("public-pages/"))
    settings.MARKETPLACE_OPERATOR = "The lab"
    named = text_of(desk.get("public-pages/"))

    assert (
        "CROWD_MARKETPLACE_OPERATOR='Our lab' CROWD_MARKETPLACE_CONTACT=people@example.org "
        f"uv run manage.py {command}" in neither
    )
    assert f"it: CROWD_MARKETPLACE_CONTACT=people@example.org uv run manage.py {command}" in named


def test_public_pages_are_in_the_menu(desk: Desk) -> None:
    menu = desk.get("workers/").content.decode().partition("<nav")[2].partition("</nav>")[0]

    assert 'href="/desk/public-pages/"' in menu


def test_one_that_is_named_is_not(desk: Desk, settings: LazySettings) -> None:
    settings.MARKETPLACE_OPERATOR, settings.MARKETPLACE_CONTACT = "The lab", "people@lab.example"

    overview, page = text_of(desk.get("")), text_of(desk.get("public-pages/"))

    assert "They do not say yet" not in overview
    assert "CROWD_MARKETPLACE" not in page
    assert "Run by The lab Contact people@lab.example" in page


def test_own_text_is_told_from_ours_with_its_file(desk: Desk, tmp_path: Path) -> None:
    (tmp_path / "pages" / "terms.txt").write_text("Ours.")

    page = text_of(desk.get("public-pages/"))

    assert "Terms your own" in page
    assert "Privacy as delivered" in page
    assert str(tmp_path / "pages" / "privacy.txt") in page


def test_a_text_in_another_encoding_is_told(desk: Desk, tmp_path: Path) -> None:
    (tmp_path / "pages" / "terms.txt").write_bytes("Größe".encode("utf-8-sig"))
    before = text_of(desk.get("public-pages/"))

    (tmp_path / "pages" / "terms.txt").write_bytes("Größe".encode("latin-1"))

    assert "not in UTF-8" not in before
    assert text_of(desk.get("public-pages/")).count("This file is not in UTF-8") == 1

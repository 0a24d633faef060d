"""Terms and privacy, which everybody can read: the operator's own text, or ours."""

from pathlib import Path
from typing import Any

import pytest
from django.conf import LazySettings
from django.utils import timezone

from crowd.marketplace.queries.public_texts import TextBlock, path_of, read_own_text
from tests.crowd.marketplace.desk import open_desk
from tests.crowd.marketplace.mailing import with_address
from tests.crowd.marketplace.site import Browser, stranger, text_of
from tests.factories import invite

NAMES = ["terms", "privacy"]


@pytest.fixture
def folder(settings: LazySettings, tmp_path: Path) -> Path:
    settings.DATA_DIR = tmp_path
    (tmp_path / "pages").mkdir()
    return tmp_path / "pages"


def links_of(page: Any) -> str:
    return str(page.content.decode().partition("<footer>")[2].partition("</footer>")[0])


@pytest.mark.django_db
@pytest.mark.parametrize("name", NAMES)
def test_texts_are_read_signed_in_or_not(browser: Browser, name: str) -> None:
    pages = [stranger().get(f"/{name}/"), browser.get(f"/{name}/")]

    assert [page.status_code for page in pages] == [200, 200]
    assert ["My queue" in text_of(page) for page in pages] == [False, True]
    assert [page["Cache-Control"] for page in pages] == ["no-store", "no-store"]


@pytest.mark.django_db
def test_every_page_links_both_texts_at_its_end(browser: Browser) -> None:
    _, token = invite(now=timezone.now())
    strangers = ["/", "/sign-in/", f"/invitation/{token}/", "/invitation/over/", "/nowhere/", "/terms/"]
    workers = ["/", "/work/", "/history/", "/earnings/", "/messages/", "/settings/", "/qualifications/"]

    feet = [links_of(stranger().get(path)) for path in strangers]
    feet += [links_of(browser.get(path)) for path in workers]

    assert [('href="/terms/"' in foot, 'href="/privacy/"' in foot) for foot in feet] == [(True, True)] * len(
        feet
    )


@pytest.mark.django_db
def test_operators_own_text_replaces_ours(folder: Path) -> None:
    ours = text_of(stranger().get("/terms/"))
    (folder / "terms.txt").write_text("# Who\n\nThe <lab>, https://lab.example\n\n- one\n- two\n")

    page = stranger().get("/terms/")

    html = page.content.decode()
    assert "Fees of this marketplace are paid by the requester" in ours
    assert "Fees of this marketplace" not in html
    assert '<h2 class="after" dir="auto">Who</h2>' in html
    assert 'The &lt;lab&gt;, <a href="https://lab.example"' in html
    assert "<li>one</li><li>two</li>" in html
    assert "What this site stores about workers" in text_of(stranger().get("/privacy/"))


def test_headings_and_lists_need_no_empty_line_around_them(folder: Path) -> None:
    (folder / "terms.txt").write_text(
        "Hello.\n# Paying\nBy bank transfer:\n- weekly\n- to you\n# Asking\n## No\n"
    )

    assert read_own_text("terms") == [
        TextBlock(kind="paragraph", lines=("Hello.",)),
        TextBlock(kind="heading", lines=("Paying",)),
        TextBlock(kind="paragraph", lines=("By bank transfer:",)),
        TextBlock(kind="list", lines=("weekly", "to you")),
        TextBlock(kind="heading", lines=("Asking",)),
        TextBlock(kind="paragraph", lines=("## No",)),
    ]


def test_own_text_is_read_block_by_block(folder: Path) -> None:
    (folder / "terms.txt").write_bytes(
        "\ufeff# Größe\r\n\r\n\r\nTwo lines  \r\nof one\r\n \r\n- a\r\n- b".encode()
    )

    assert read_own_text("terms") == [
        TextBlock(kind="heading", lines=("Größe",)),
        TextBlock(kind="paragraph", lines=("Two lines", "of one")),
        TextBlock(kind="list", lines=("a", "b")),
    ]


@pytest.mark.parametrize("content", [None, "", " \n\n "])
def test_no_text_or_an_empty_one_is_none(folder: Path, content: str | None) -> None:
    if content is not None:
        path_of("terms").write_text(content)

    assert read_own_text("terms") == []


def test_a_text_in_another_encoding_is_still_shown(folder: Path) -> None:
    path_of("terms").write_bytes("Größe".encode("latin-1"))

    [block] = read_own_text("terms")
    assert block.text == "Gr\ufffd\ufffde"


@pytest.mark.django_db
def test_workers_are_told_truly_what_the_desk_sees(browser: Browser, settings: LazySettings) -> None:
    settings.EMAIL_HOST = "mail.example.org"
    worker = browser.worker
    worker.sign_in_name = "jo.doe"
    worker.save()
    with_address(worker, "jo@example.org")

    at_the_desk = text_of(open_desk().get(f"workers/{worker.external_id}/"))
    settings_page, privacy = text_of(browser.get("/settings/")), text_of(browser.get("/privacy/"))

    for seen in (worker.external_id, worker.name, "jo.doe", "jo@example.org"):
        assert seen in at_the_desk
    assert "see your worker id, your name, your sign-in name and e-mail address if you gave them" in privacy
    assert "Requesters see your worker id, and for their own tasks and tests your answers, files" in privacy
    for told in (
        "Requesters never see it; those who run this marketplace do.",
        "Those who run it see it; requesters see your worker id instead.",
    ):
        assert told in settings_page
    assert "Only you see it" not in settings_page

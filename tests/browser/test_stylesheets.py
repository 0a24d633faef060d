"""Every declaration is one that the browser knows, and what it draws by itself follows the dark mode."""

from io import BytesIO
from pathlib import Path

import pytest
from django.contrib.staticfiles import finders
from PIL import Image
from playwright.sync_api import Browser

from tests.stylesheets import ROOT, read_sheet, stylesheets

pytestmark = pytest.mark.needs_chromium
SHEETS = {
    "admin": ("admin/css/base.css", "admin/css/dark_mode.css", "admin.css", "tables.css", "cards.css"),
    "site": ("base.css", "site.css", "tables.css"),
    "frame": ("base.css", "work.css"),
}
BAR = "<main><div class='page card'><p><progress max='100' value='20'></progress></p></div></main>"
# Of 255: the empty part of a bar is white where the sheets name no dark color scheme.
DARK = 100
KNOWS = "(pairs) => pairs.filter(([name, value]) => !name.startsWith('--') && !CSS.supports(name, value))"


def test_browser_knows_every_declaration(browser: Browser) -> None:
    page = browser.new_page()
    said = [
        (sheet.path, one)
        for sheet in map(read_sheet, stylesheets())
        for rule in sheet.rules
        for one in rule.declared
    ]

    unknown = {tuple(pair) for pair in page.evaluate(KNOWS, [[one.name, one.value] for _, one in said])}
    page.close()

    assert len(said) > 1000
    assert [
        f"{path.relative_to(ROOT)}:{one.line}: {one.name}: {one.value}"
        for path, one in said
        if (one.name, one.value) in unknown
    ] == []


@pytest.mark.parametrize("sheets", SHEETS.values(), ids=SHEETS)
def test_empty_part_of_a_progress_bar_is_dark_in_dark_mode(browser: Browser, sheets: tuple[str, ...]) -> None:
    styles = "".join(Path(str(finders.find(name))).read_text() for name in sheets)
    page = browser.new_page(color_scheme="dark")
    page.set_content(f"<style>{styles}</style>{BAR}")

    bar = Image.open(BytesIO(page.locator("progress").screenshot())).convert("L")
    page.close()

    assert bar.tobytes()[bar.width * (bar.height // 2) + bar.width * 3 // 4] < DARK

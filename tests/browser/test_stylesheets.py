"""Every declaration is one that the browser knows: a misspelt one would be dropped in silence."""

import pytest
from playwright.sync_api import Browser

from tests.stylesheets import ROOT, read_sheet, stylesheets

pytestmark = pytest.mark.needs_chromium
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

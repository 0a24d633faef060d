"""Every file for a spreadsheet, made of texts that begin like formulas: nothing in it runs."""

import re
from pathlib import Path

import pytest

from hits.data import exports
from tests.attacks.conftest import Seen
from tests.attacks.crawling import routes
from tests.attacks.downloads import FILE, would_run
from tests.attacks.poison import MARK
from tests.attacks.sites import ADMIN, MARKETPLACE, PLAY

ROOT = Path(__file__).parents[2]
WRITER = re.compile(r"csv\.(writer|DictWriter)\(|xlsxwriter\.Workbook\(")
WRITERS = {
    "hits/common/spreadsheets.py": "quotes",
    "hits/common/uploads/columns.py": "an example of our own words",
    "hits/payments/services/workbooks.py": "writes texts as texts",
    "crowd/winoventi/demo/world.py": "rows of the demo",
}
# Routes named like files that are no spreadsheet, or that need rows which only their form makes: where a test
# of their own reads them, its name.
ELSEWHERE = {
    "admin/pictures/picture/<int:pk>/file/": "a picture",
    "admin/benchmarks/benchmark/results/<int:pk>/answers.csv": "tests/crowd/benchmarks/test_hostile_names.py",
    "data/": "a page",
    "admin/hits/study/<int:pk>/data/": "a page",
    "admin/hits/assignment/by-rule.csv": "tests/hits/review/test_rule_pages.py",
    "admin/benchmarks/benchmark/<int:pk>/trained/<slug:name>.csv": (
        "tests/crowd/benchmarks/test_hostile_names.py"
    ),
    "desk/workers/links.csv": "of a page that only an invitation shows",
}
# Files whose rows only the world of these tests has.
HOSTILE = {
    "admin/pictures/picture/wanted/list/",
    "admin/qualifications/consenttext/study/<int:pk>/people/<slug:name>.<slug:form>",
    "admin/whoops/project/<int:pk>/statistics/by-category/<slug:name>.csv",
    "admin/winoventi/project/<int:pk>/errors/<slug:name>.csv",
}
pytestmark = [pytest.mark.django_db, pytest.mark.pure]


def test_no_cell_of_any_file_is_a_formula(seen: Seen) -> None:
    assert {(one.route, one.kind): one.harmful[:3] for one in seen.downloads if one.harmful} == {}


def test_files_were_found_and_hold_hostile_texts(seen: Seen) -> None:
    marked = [one for one in seen.downloads if any(MARK in cell for cell in one.cells)]

    assert {one.kind for one in marked} == {"csv", "xlsx"}
    assert {one.route for one in marked} >= HOSTILE
    assert len(seen.downloads) > 20


def test_files_beside_the_sites_hold_hostile_texts_too(seen: Seen) -> None:
    marked = {one.route for one in seen.downloads if any(MARK in cell for cell in one.cells)}

    assert {"release: associations.csv", "release: full.csv", "release: pictures.csv"} <= marked
    families = {
        name for name in exports.registered() if any(one.startswith(f"export {name}:") for one in marked)
    }
    assert families == set(exports.registered())


def test_no_address_of_a_file_is_left_out(seen: Seen) -> None:
    """Each route named like a file is downloaded by the tests, or is listed above with a reason."""
    taken = {one.route for one in seen.downloads}
    named = {
        route for urlconf in (ADMIN, MARKETPLACE, PLAY) for route in routes(urlconf) if FILE.search(route)
    }

    assert named - taken == set(ELSEWHERE)


def test_only_these_modules_write_csv_themselves() -> None:
    """All other modules pass their rows to one of these, which quotes them."""
    found = {
        str(module.relative_to(ROOT))
        for room in ("config", "crowd", "hits", "qualifications", "scoring")
        for module in (ROOT / room).rglob("*.py")
        if WRITER.search(module.read_text())
    }

    assert found == set(WRITERS)


@pytest.mark.parametrize(
    ("cell", "runs"),
    [
        ("=1", True),
        ("\t=1", True),
        (" ＝1", True),
        ("\u200b@a", True),
        ("'=1", False),
        ("-1.5", False),
        ("a=1", False),
    ],
)
def test_formulas_are_known(cell: str, *, runs: bool) -> None:
    assert would_run(cell) is runs

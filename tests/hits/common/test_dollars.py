"""All pages show money in one form, and none writes it by itself."""

import re
import subprocess
from decimal import Decimal
from pathlib import Path

import pytest
from django.template import Context, Template

from hits.common.currencies import in_dollars, in_each, in_money, sum_each

ROOT = Path(__file__).parents[3]
# A sign of a dollar before something that a template or a format fills in, and two decimals without one.
BY_HAND_IN_PAGES = re.compile(r"\$\s*(<\w+>)?\{\{|floatformat:\"?2g?\b")
BY_HAND_IN_CODE = re.compile(r"""f(?=["']).*[^\\]\$\{|\$%\(\w+\)s|\$\{\}|f"\$\{""")
# What is written with a dollar and is no money.
NO_MONEY = (
    "crowd/marketplace/desk/forms.py",
    "crowd/marketplace/questions/",
    "crowd/marketplace/models/work.py",
)
# Modules that are not read: the one that defines the form, and the study's page, which has its turn next.
NO_PAGES = ("tests/", "hits/common/currencies.py")


def _tracked(pattern: str) -> list[str]:
    listed = subprocess.run(
        ["git", "ls-files", pattern],  # noqa: S607
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return [one for one in listed.stdout.split() if (ROOT / one).exists() and not one.startswith(NO_PAGES)]


@pytest.mark.parametrize(
    ("amount", "shown"),
    [
        (Decimal("1234.5"), "$1,234.50"),
        (Decimal("-3.2"), "-$3.20"),
        (Decimal("0.30000000000000004"), "$0.30"),
        (Decimal("0.005"), "$0.01"),
        (Decimal("-0.001"), "$0.00"),
        ("0.27", "$0.27"),
        (0, "$0.00"),
        (1_000_000, "$1,000,000.00"),
    ],
)
def test_money_has_a_comma_between_thousands_and_two_decimals(
    amount: Decimal | int | str, shown: str
) -> None:
    assert in_dollars(amount) == shown


@pytest.mark.parametrize(
    ("amount", "currency", "shown"),
    [
        (Decimal("1234.5"), "GBP", "£1,234.50"),
        (Decimal("-3.2"), "GBP", "-£3.20"),
        (Decimal(7), "USD", "$7.00"),
        (Decimal("-3.2"), "EUR", "-3.20 EUR"),  # of a version before; no account can have it now
    ],
)
def test_money_has_the_sign_of_its_currency(amount: Decimal, currency: str, shown: str) -> None:
    assert in_money(amount, currency) == shown


def test_sums_of_several_currencies_stand_beside_each_other() -> None:
    sums = sum_each([("GBP", Decimal("3.50")), ("USD", Decimal(5)), ("USD", Decimal(7))])

    assert (sums, in_each(sums), in_each({})) == (
        {"GBP": Decimal("3.50"), "USD": Decimal(12)},
        "$12.00 and £3.50",
        "$0.00",
    )


def test_filter_of_money_shows_nothing_for_no_amount() -> None:
    page = Template("{{ some|money:now }}, {{ none|money:now|default:'none' }}, {{ sums|each_currency }}")
    values = {"some": Decimal("1.5"), "none": None, "now": "GBP", "sums": {"GBP": Decimal(2)}}

    assert page.render(Context(values)) == "£1.50, none, £2.00"


def test_every_template_has_the_filter_and_shows_nothing_for_no_amount() -> None:
    page = Template("{{ some|dollars }}, {{ none|dollars|default:'not known yet' }}")

    assert page.render(Context({"some": Decimal(-1000), "none": None})) == "-$1,000.00, not known yet"


def test_no_template_writes_money_by_hand() -> None:
    found = [
        f"{path}: {line.strip()}"
        for path in _tracked("*.html")
        for line in (ROOT / path).read_text().splitlines()
        if BY_HAND_IN_PAGES.search(line)
    ]

    assert found == []


def test_no_module_writes_money_by_hand() -> None:
    found = [
        f"{path}: {line.strip()}"
        for path in _tracked("*.py")
        if not path.startswith(NO_MONEY) and "/migrations/" not in path
        for line in (ROOT / path).read_text().splitlines()
        if BY_HAND_IN_CODE.search(line)
    ]

    assert found == []

"""Charts of the payments page: what was spent on each day, and how the accounts' balances went."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from hits.common.currencies import Currency, in_money, in_order, name_of, sign_of
from hits.core.domain.days import day_in_words, moment_in_words
from hits.datasets.columns import TEXT
from hits.datasets.stat_table import MONEY, StatTable, head
from hits.datasets.vega_charts import BELOW, LOOK, Chart
from hits.identity.models.users import User
from hits.payments.queries.money_by_day import (
    DAYS,
    PARTS,
    DayBalance,
    DaySpending,
    balances_by_day,
    spending_by_day,
)

HEIGHT = 200
# How full each part's color is, on light and dark: a legend shows it, as does the order from below.
FULLNESS = {"rewards": 1, "bonuses": 0.55, "fees": 0.25}
DASHES: Sequence[Sequence[int]] = ([], [6, 4], [2, 3], [10, 3, 2, 3])
SHAPES = ("circle", "square", "triangle-up", "diamond")
MOST_ACCOUNTS = len(DASHES)
FORMAT = "%-d %b"


def money_tables(user: User, *, now: datetime) -> list[StatTable]:
    """Return the tables of the payments page that this user may see."""
    found = []
    if user.has_perm("hits.view_ledgerentry"):
        spent = spending_by_day(user, now=now)
        found += [spending_table(days, currency=one, is_alone=len(spent) == 1) for one, days in spent.items()]
    if user.has_perm("hits.view_match"):
        balances = balances_by_day(user, now=now)
        currencies = in_order(one.currency for one in balances) or [Currency.USD]
        for currency in currencies:
            of_it = [one for one in balances if one.currency == currency]
            found.append(balance_table(of_it, currency=currency, is_alone=len(currencies) == 1))
    return found


def _name(name: str, *, currency: str, is_alone: bool) -> str:
    return name if is_alone else f"{name}-{currency.lower()}"


def _title(title: str, *, currency: str, is_alone: bool) -> str:
    """Name a table. Each currency has one of its own, for nothing adds two."""
    return title if is_alone else f"{title}, in {name_of(currency)}"


def _axis(currency: str, **more: Any) -> Mapping[str, Any]:
    """Return an axis of money. The charts' own sign is the dollar's; another stands as its title."""
    if currency == Currency.USD:
        return {"title": None, "format": "$,.2~f", **more}
    return {"title": sign_of(currency), "format": ",.2~f", **more}


def spending_table(
    days: Sequence[DaySpending], *, currency: str = Currency.USD, is_alone: bool = True
) -> StatTable:
    spent = [one for one in days if one.total]
    return StatTable(
        name=(name := _name("spending", currency=currency, is_alone=is_alone)),
        title=_title(f"Spent in the last {DAYS} days", currency=currency, is_alone=is_alone),
        currency=currency,
        columns=[
            head("Day", TEXT, of=lambda one: day_in_words(one.day)),
            *(head(part.capitalize(), MONEY, name=part, of=_part(part)) for part in PARTS),
            head("Together", MONEY, name="total", of=lambda one: one.total),
        ],
        rows=days,
        page_rows=spent,
        empty=f"Nothing was spent in the last {DAYS} days.",
        note="Days are those of each study's own time zone. Days without spending are in the files alone.",
        charts=_spending_charts(days, name=name, currency=currency) if spent else (),
        is_folded=True,
    )


def _part(name: str) -> Any:
    return lambda one: getattr(one, name)


def _spending_charts(days: Sequence[DaySpending], *, name: str, currency: str) -> Sequence[Chart]:
    total = sum(one.total for one in days)
    caption = f"{name_of(currency).capitalize()} a day. Each column from below: rewards, bonuses, fees"
    return [
        Chart(
            name=name,
            caption=caption,
            words=f"Spending on each of the last {DAYS} days, {in_money(total, currency)} in all. {BELOW}",
            spec={
                "config": LOOK,
                "height": HEIGHT,
                "data": {"values": [bar for one in days for bar in _stack(one, currency=currency)]},
                "mark": {"type": "bar", "style": "main"},
                "encoding": {
                    "x": {
                        "field": "day",
                        "type": "ordinal",
                        "axis": {"title": None, "labelOverlap": True, "labelAngle": 0, "ticks": False},
                        "sort": None,
                    },
                    "y": {
                        "field": "low",
                        "type": "quantitative",
                        "axis": _axis(currency),
                    },
                    "y2": {"field": "high"},
                    "opacity": {
                        "field": "part",
                        "type": "nominal",
                        "sort": list(FULLNESS),
                        "scale": {"domain": list(FULLNESS), "range": list(FULLNESS.values())},
                        "legend": {"direction": "horizontal"},
                    },
                    "tooltip": [{"field": "day"}, {"field": "part"}, {"field": "words", "title": "spent"}],
                },
            },
        )
    ]


def _stack(one: DaySpending, *, currency: str) -> list[Mapping[str, Any]]:
    """Return the parts of one day, each from where the one below it ends."""
    bars: list[Mapping[str, Any]] = []
    low = 0.0
    for part in PARTS:
        amount = getattr(one, part)
        high = low + float(amount)
        words = in_money(amount, currency)
        bars.append({"day": f"{one.day:{FORMAT}}", "part": part, "low": low, "high": high, "words": words})
        low = high
    return bars


def balance_table(
    balances: Sequence[DayBalance], *, currency: str = Currency.USD, is_alone: bool = True
) -> StatTable:
    return StatTable(
        name=(name := _name("balances", currency=currency, is_alone=is_alone)),
        title=_title(f"Balances in the last {DAYS} days", currency=currency, is_alone=is_alone),
        currency=currency,
        columns=[
            head("Account", TEXT, of=lambda one: one.account),
            head("Read on", TEXT, of=lambda one: f"{moment_in_words(one.at)} UTC"),
            head("Balance", MONEY, of=lambda one: one.balance),
        ],
        rows=balances,
        empty="No balance was read yet. It is known once the books have been compared with the provider’s.",
        note="The last one that was read on each day (UTC). How long it lasts stands with the account.",
        charts=(charts := _balance_charts(balances, name=name, currency=currency)),
        is_folded=bool(charts),
    )


def _balance_charts(balances: Sequence[DayBalance], *, name: str, currency: str) -> Sequence[Chart]:
    """Draw lines, told apart by dashes and shapes; a single moment makes no line."""
    accounts = list(dict.fromkeys(one.account for one in balances))[:MOST_ACCOUNTS]
    shown = [one for one in balances if one.account in accounts]
    if len({one.at.date() for one in shown}) < 2:
        return ()
    last = {one.account: one.balance for one in shown}
    said = ", ".join(f"{account} {in_money(last[account], currency)}" for account in accounts)
    values = [
        {
            "account": one.account,
            "at": one.at.isoformat(),
            "balance": float(one.balance),
            "words": in_money(one.balance, currency),
        }
        for one in shown
    ]
    return [
        Chart(
            name=name,
            caption=f"{name_of(currency).capitalize()} at the provider",
            words=f"Balances of the last {DAYS} days; at last {said}. {BELOW}",
            spec={
                "config": LOOK,
                "height": HEIGHT,
                "data": {"values": values},
                "encoding": {
                    "x": {
                        "field": "at",
                        "type": "temporal",
                        "scale": {"type": "utc"},
                        "axis": {"title": None, "format": FORMAT, "tickCount": 6},
                    },
                    "y": {"field": "balance", "type": "quantitative", "axis": _axis(currency, tickCount=5)},
                },
                "layer": [
                    {
                        "mark": {"type": "line", "style": "main", "strokeWidth": 2},
                        "encoding": {"strokeDash": _told_by(DASHES, accounts)},
                    },
                    {
                        "mark": {"type": "point", "style": "main", "filled": True, "size": 50, "opacity": 1},
                        "encoding": {
                            "shape": _told_by(SHAPES, accounts),
                            "tooltip": [{"field": "account"}, {"field": "words", "title": "balance"}],
                        },
                    },
                ],
            },
        )
    ]


def _told_by(marks: Sequence[Any], accounts: Sequence[str]) -> Mapping[str, Any]:
    scale = {"domain": list(accounts), "range": list(marks[: len(accounts)])}
    legend = {"direction": "vertical"} if len(accounts) > 1 else None
    return {"field": "account", "type": "nominal", "scale": scale, "legend": legend}

import json
import sys
import time
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from hits.common.currencies import in_money
from hits.payments.domain.difference_causes import CAUSES
from hits.payments.models.matches import Difference, Match
from hits.payments.services import three_way_match
from hits.providers.models.accounts import Account
from hits.sync.services import reconciling

PAUSE_S = 1


class Command(BaseCommand):
    help = (
        "Compares our ledger with the provider's payments and balance, and says what disagrees. "
        "Ends with 1 if a difference is open or a comparison failed."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("account", nargs="?", help="Name of one account. Without it: all of them.")
        parser.add_argument("--full", action="store_true", help="Every HIT, not only what may have changed.")
        parser.add_argument("--json", action="store_true", help="For programs.")

    def handle(self, *_: Any, account: str | None, full: bool, json: bool, **__: Any) -> None:
        accounts = connected = Account.objects.connected().order_by("name")
        if account is not None:
            accounts = connected.filter(name=account)
            if not accounts:
                names = ", ".join(connected.values_list("name", flat=True))
                raise CommandError(f"There is no account {account!r}. There are: {names or 'none'}.")
        found = [_report(_match(one, full=full)) for one in accounts]
        self.stdout.write(_as_json(found) if json else "\n".join(_in_words(row) for row in found))
        if any(row["differences"] or row["status"] != Match.Status.DONE for row in found):
            sys.exit(1)


def _match(account: Account, *, full: bool) -> Match:
    """Compare one account. If sums do not fit, everything is looked at and the comparison is made again."""
    match = three_way_match.start_match(account=account, full=full, by=None, now=timezone.now())
    while match.status == Match.Status.RUNNING:
        if three_way_match.step(match=match, now=timezone.now()):
            match.refresh_from_db()
            if match.tries and match.status == Match.Status.RUNNING:
                reconciling.reconcile_everything(now=timezone.now())
                three_way_match.hurry(match=match, now=timezone.now())
        elif match.status == Match.Status.RUNNING:
            time.sleep(PAUSE_S)
        match = Match.objects.select_related("account").get(pk=match.pk)
        if match.look_at and match.look_at > timezone.now():
            time.sleep(PAUSE_S)
    return match


def _report(match: Match) -> dict[str, Any]:
    rows = Difference.objects.filter(account=match.account, resolved_at=None).order_by("pk")
    return {
        "account": match.account.name,
        "currency": match.account.currency,
        "status": match.status,
        "problem": match.problem,
        "hits": match.hits_looked_at,
        "payments": {"ours": _money(match.ours), "theirs": _money(match.theirs)},
        "balance": {"expected": _money(match.expected_balance), "provider": _money(match.balance)},
        "differences": [
            {"cause": row.cause, "words": row.words, "action": CAUSES[row.cause].action} for row in rows
        ],
    }


def _in_words(row: dict[str, Any]) -> str:
    balance = row["balance"]
    summary = (
        f"{row['account']}: {row['status']}, {row['hits']} HITs compared; "
        f"balance {_shown(balance['provider'], row['currency'])}, "
        f"by the books {_shown(balance['expected'], row['currency'])}."
    )
    lines = [summary]
    lines += [row["problem"]] if row["problem"] else []
    lines += [f"  {one['words']}\n    {one['action']}" for one in row["differences"]]
    if not row["differences"] and row["status"] == Match.Status.DONE:
        lines.append("  The books agree.")
    return "\n".join(lines)


def _shown(amount: str | None, currency: str) -> str:
    return "unknown" if amount is None else in_money(amount, currency)


def _as_json(found: list[dict[str, Any]]) -> str:
    return json.dumps(found, indent=2)


def _money(amount: Any) -> str | None:
    return None if amount is None else f"{amount:.2f}"

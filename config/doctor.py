"""What can be wrong with an installation, and one line of advice for each."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from http.client import HTTPException
from urllib.error import HTTPError, URLError
from urllib.request import ProxyHandler, build_opener

from django.conf import settings
from django.db import DatabaseError, connections
from django.db.migrations.executor import MigrationExecutor
from kombu.exceptions import OperationalError

from config.celery import app
from hits.errors import CrowdError, ProviderRefused, ProviderUnavailable
from hits.gateway import provider_for
from hits.models import Account
from scoring import rivals

SKEW = timedelta(minutes=2)
MANY_MESSAGES = 200


@dataclass(frozen=True, kw_only=True)
class Finding:
    name: str
    ok: bool
    saw: str
    advice: str = ""


def examine() -> list[Finding]:
    """Every check runs, whatever the others found; only without a database do the accounts stay unread."""
    findings = [check_database(alias) for alias in settings.DATABASES]
    findings += [check_keys(), check_queue(), check_model()]
    if findings[0].ok:
        findings += check_accounts()
    return findings


def check_database(alias: str) -> Finding:
    name = f"database {alias}"
    try:
        executor = MigrationExecutor(connections[alias])
        unapplied = executor.migration_plan(executor.loader.graph.leaf_nodes())
    except DatabaseError as error:
        return Finding(
            name=name,
            ok=False,
            saw=str(error).strip(),
            advice="Check DATABASE_URL and MARKETPLACE_DATABASE_URL, and that the server runs.",
        )
    if unapplied:
        advice = f"Run manage.py migrate --database {alias}."
        return Finding(name=name, ok=False, saw=f"{len(unapplied)} migrations missing", advice=advice)
    return Finding(name=name, ok=True, saw=connections[alias].vendor)


def check_keys() -> Finding:
    kept = settings.DATA_DIR / "keys.json"
    if settings.EMBEDDED and kept.exists() and kept.stat().st_mode & 0o077:
        return Finding(
            name="keys", ok=False, saw=f"{kept} can be read by others", advice=f"Run chmod 600 {kept}."
        )
    return Finding(name="keys", ok=True, saw="five sets, none derived from another")


def check_queue() -> Finding:
    try:
        with app.connection_for_write() as connection:
            connection.ensure_connection(max_retries=1, timeout=3)
    except (OperationalError, OSError) as error:
        advice = "Check REDIS_URL, and that Redis runs; without it leave REDIS_URL unset."
        return Finding(name="queue", ok=False, saw=str(error), advice=advice)
    waiting = len(list((settings.BROKER_DIR / "messages").glob("*"))) if not settings.REDIS_URL else 0
    if waiting > MANY_MESSAGES:
        advice = "Nobody takes them: start manage.py serve, or manage.py background."
        return Finding(name="queue", ok=False, saw=f"{waiting} messages wait", advice=advice)
    return Finding(name="queue", ok=True, saw="Redis" if settings.REDIS_URL else "folder of files")


def check_model() -> Finding:
    try:
        rival = rivals.get(settings.RIVAL)
    except (CrowdError, ImportError, OSError) as error:
        advice = "Set CROWD_RIVAL to one that is installed, or run uv sync."
        return Finding(name="model", ok=False, saw=str(error), advice=advice)
    digest = rival.provenance.get("weights_sha256", "")[:12]
    return Finding(name="model", ok=True, saw=f"{rival.name}, weights {digest}")


def check_accounts() -> Iterator[Finding]:
    accounts = Account.objects.order_by("pk")
    if not accounts:
        advice = "Add one in the admin, or set CROWD_ACCOUNT_NAME and its companions and start again."
        yield Finding(name="accounts", ok=False, saw="there is none", advice=advice)
    for account in accounts:
        yield check_endpoint(account)
        yield check_clock(account)
        yield _ask(account, "identity and balance", _see_balance)
        yield _ask(account, "permissions", _see_hits)


def check_endpoint(account: Account) -> Finding:
    name = f"{account.name}: endpoint"
    if _read_clock(account.endpoint) is None:
        advice = "Check the address in the account, and that the marketplace is being served."
        return Finding(name=name, ok=False, saw=f"{account.endpoint} does not answer", advice=advice)
    return Finding(name=name, ok=True, saw=account.endpoint)


def check_clock(account: Account) -> Finding:
    name = f"{account.name}: clock"
    theirs = _read_clock(account.endpoint)
    if theirs is None:
        advice = "Mend the endpoint first."
        return Finding(name=name, ok=False, saw="the endpoint tells no time", advice=advice)
    skew = abs(datetime.now(tz=UTC) - theirs)
    if skew > SKEW:
        advice = "Set this machine's clock (NTP): signatures are refused beyond five minutes."
        return Finding(name=name, ok=False, saw=f"{skew.total_seconds():.0f} s apart", advice=advice)
    return Finding(name=name, ok=True, saw=f"{skew.total_seconds():.0f} s apart")


def _ask(account: Account, what: str, see: Callable[[Account], str]) -> Finding:
    name = f"{account.name}: {what}"
    try:
        return Finding(name=name, ok=True, saw=see(account))
    except ProviderUnavailable as error:
        advice = "The provider does not answer: check the endpoint, and try again."
        return Finding(name=name, ok=False, saw=str(error), advice=advice)
    except ProviderRefused as error:
        advice = "Check the access key, its secret and what it may do, in the account's page of the admin."
        return Finding(name=name, ok=False, saw=str(error), advice=advice)
    except CrowdError as error:
        advice = "Change the account's endpoint or the setting."
        return Finding(name=name, ok=False, saw=str(error), advice=advice)


def _see_balance(account: Account) -> str:
    return f"${provider_for(account).get_balance()}"


def _see_hits(account: Account) -> str:
    """One page is enough to know that reading is allowed."""
    first = next(provider_for(account).list_hits(), None)
    return "can read HITs" if first else "can read HITs (there are none)"


def _read_clock(endpoint: str) -> datetime | None:
    """The Date header of whatever answers there, even of an error."""
    try:
        with build_opener(ProxyHandler({})).open(endpoint, timeout=5) as response:
            date = response.headers["Date"]
    except HTTPError as error:
        date = error.headers["Date"]
        error.close()
    except (URLError, OSError, HTTPException):
        return None
    return parsedate_to_datetime(date) if date else None

"""Checks of an account, with one line of advice for each problem.

They change nothing. The balance that they read is kept, for pages that do not ask for it.
"""

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from email.utils import parsedate_to_datetime
from functools import partial
from http.client import HTTPException
from urllib.error import HTTPError, URLError
from urllib.request import ProxyHandler, build_opener

from django.conf import settings

from hits.common.currencies import in_money
from hits.common.health.findings import Finding
from hits.core.domain.days import moment_in_words
from hits.core.domain.sameness import is_amazon
from hits.core.errors import CrowdError, ProviderRefused, ProviderUnavailable
from hits.providers.gateway.registry import provider_for
from hits.providers.models.accounts import Account, Pace
from hits.providers.models.epochs import Epoch
from hits.providers.services.balances import read_balance
from hits.studies.models import Batch
from hits.sync.models import Notice

SKEW = timedelta(minutes=2)
PATIENCE_S = 4
LONG_QUEUE = timedelta(minutes=1)
UNREAD = timedelta(minutes=10)
RUNNING = (Batch.Status.LAUNCHING, Batch.Status.OPEN, Batch.Status.DRAINING)


def check_account(*, account: Account, now: datetime) -> Iterator[Finding]:
    """Yield a finding for every check, whatever the others found; but never ask a forbidden endpoint."""
    if is_amazon(account.endpoint) and not settings.ALLOW_AMAZON:
        yield _refuse_amazon(account)
        return
    theirs = _read_clock(account.endpoint)
    yield _check_endpoint(account, theirs)
    yield _check_clock(theirs, now=now)
    yield _ask(account, "identity and balance", partial(_see_balance, now=now))
    yield _ask(account, "reading HITs", _see_hits)
    yield _check_events(account, now=now)
    yield _check_pace(account, now=now)
    yield _check_standstill(account)


def _refuse_amazon(account: Account) -> Finding:
    return Finding(
        name="endpoint",
        ok=False,
        saw=f"{account.endpoint} is Amazon's own service and was not asked",
        advice="Change the endpoint, or set CROWD_ALLOW_AMAZON=true if real money is what you want.",
    )


def _check_endpoint(account: Account, theirs: datetime | None) -> Finding:
    if theirs is None:
        advice = "Check the address in the account, and that the marketplace is being served."
        return Finding(name="endpoint", ok=False, saw=f"{account.endpoint} does not answer", advice=advice)
    return Finding(name="endpoint", ok=True, saw=account.endpoint)


def _check_clock(theirs: datetime | None, *, now: datetime) -> Finding:
    if theirs is None:
        advice = "Fix the endpoint first."
        return Finding(name="clock", ok=False, saw="the endpoint sends no date", advice=advice)
    apart = f"{abs(now - theirs).total_seconds():.0f} s apart"
    if abs(now - theirs) > SKEW:
        advice = "Set this machine's clock (NTP): signatures are refused beyond five minutes."
        return Finding(name="clock", ok=False, saw=apart, advice=advice)
    return Finding(name="clock", ok=True, saw=apart)


def _ask(account: Account, name: str, see: Callable[[Account], str]) -> Finding:
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


def _see_balance(account: Account, *, now: datetime) -> str:
    balance = read_balance(account=account, provider=provider_for(account, quick=True), now=now)
    return in_money(balance, account.currency)


def _see_hits(account: Account) -> str:
    """Read one page of HITs, which is enough to know that reading is allowed."""
    first = next(provider_for(account, quick=True).list_hits(), None)
    return "can read HITs" if first else "can read HITs (there are none)"


def _check_events(account: Account, *, now: datetime) -> Finding:
    """Check the events. Silence alone is no failure, since polling finds everything without them."""
    if account.notify_by == Account.Notify.NONE:
        return Finding(name="events", ok=True, saw="none are asked for: polling alone")
    last = Notice.objects.filter(account=account).order_by("-pk").first()
    if last is None:
        if not account.batches.filter(status__in=RUNNING).exists():
            return Finding(name="events", ok=True, saw="none yet, and no batch runs")
        advice = "Check the notification address, and that the provider can reach this site."
        return Finding(name="events", ok=False, saw="none has come, and batches run", advice=advice)
    if last.handled_at is None and now - last.received_at > UNREAD:
        advice = "Nobody reads them: start manage.py serve, or the Celery worker and beat."
        return Finding(
            name="events", ok=False, saw=f"unread since {moment_in_words(last.received_at)}", advice=advice
        )
    return Finding(name="events", ok=True, saw=f"the last came on {moment_in_words(last.received_at)} UTC")


def _check_pace(account: Account, *, now: datetime) -> Finding:
    rate = f"at most {account.send_rate} calls a second"
    pace = Pace.objects.filter(account=account).first()
    if pace and pace.silent_since:
        advice = "Look at the endpoint. Nothing is lost: what is to be sent to it waits here."
        saw = f"no answer since {moment_in_words(pace.silent_since)} UTC: {pace.problem}"
        return Finding(name="pace", ok=False, saw=saw, advice=advice)
    wait = pace.free_at - now if pace else timedelta(0)
    if wait > LONG_QUEUE:
        advice = "Wait, or allow more calls a second in the account."
        saw = f"{rate}; the next may leave in {wait.total_seconds():.0f} s"
        return Finding(name="pace", ok=False, saw=saw, advice=advice)
    return Finding(name="pace", ok=True, saw=f"{rate}; nothing waits" if wait <= timedelta(0) else rate)


def _check_standstill(account: Account) -> Finding:
    epoch = Epoch.objects.still_open().filter(account=account).first()
    if epoch is None:
        return Finding(name="standstill", ok=True, saw="not halted")
    saw = f"nothing is sent since {moment_in_words(epoch.began_at)} UTC: rows were put back from a copy"
    advice = "Look at what was found and let it go on: Payments, What was put back from a copy."
    return Finding(name="standstill", ok=False, saw=saw, advice=advice)


def _read_clock(endpoint: str) -> datetime | None:
    """Return the Date header of any response from the endpoint, even of an error, or None."""
    try:
        with build_opener(ProxyHandler({})).open(endpoint, timeout=PATIENCE_S) as response:
            date = response.headers["Date"]
    except HTTPError as error:
        date = error.headers["Date"]
        error.close()
    except (URLError, OSError, HTTPException, ValueError):
        return None
    try:
        return parsedate_to_datetime(date) if date else None
    except ValueError:
        return None

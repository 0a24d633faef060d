"""Checks of an installation, and one line of advice for each problem."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from cryptography.fernet import InvalidToken
from django.conf import settings
from django.db import DatabaseError, connections
from django.utils import timezone
from kombu.exceptions import OperationalError

from config import key_rotation
from config.celery import app
from config.copies.checking_copies import check_copies
from config.fresh_database import OTHER_VERSION, OwnLoader, foreign_migrations, is_empty, unapplied
from config.table_sizes import check_disk, check_size
from config.wake_channel import make_channel
from config.watching.late import find_late
from crowd.pictures.letter_reading import installed_reader
from crowd.pictures.models import Picture
from crowd.releases.files.stores import StoreAway, current_store
from hits.alerts.services.queueing_alerts import given_up, is_mail_set
from hits.common import clock
from hits.common.health.background_checks import check_background
from hits.common.health.findings import Finding
from hits.common.watching.row_gauges import read_gauges
from hits.core.errors import CrowdError
from hits.data.services.purging import past_their_date
from hits.providers.models.accounts import Account
from hits.sync.services.account_checks import check_account
from scoring import rivals
from scoring.services.model_loading import spec_of
from scoring.services.rival_selection import default_rival

MANY_MESSAGES = 200
MOST_TRIED = 5000  # sealed values of one column


def examine() -> list[Finding]:
    """Run every check, whatever the others found; only without a database are accounts left unchecked."""
    if is_new():
        return [never_started()]
    findings = [check_database(alias) for alias in settings.DATABASES]
    findings += [check_files(), check_queue(), check_model(), check_releases()]
    if all(finding.ok for finding in findings[: len(settings.DATABASES)]):
        findings += [*map(check_size, settings.DATABASES), check_disk()]
    if findings[0].ok:
        findings += [check_keys(), check_copies(), check_clock(), check_letters(), check_alerts()]
        findings += [check_purges()]
        findings += check_background(make_channel())
        findings += find_late(read_gauges(now=timezone.now()))
        findings += check_accounts()
    return findings


def never_started() -> Finding:
    """Say which folder was looked at: what runs may have another one."""
    place = f"the folder {settings.DATA_DIR}" if settings.EMBEDDED else "the databases of the environment"
    advice = (
        "Run manage.py serve: it lays the databases and makes a first account. If it runs with another "
        "folder, name that here by CROWD_DATA_DIR=FOLDER; serve and the demo print the whole command."
    )
    return Finding(name="installation", ok=False, saw=f"{place}: never started", advice=advice)


def is_new() -> bool:
    """Whether no database has a table yet, so that one step is all there is to say."""
    try:
        return all(is_empty(connections[alias]) for alias in settings.DATABASES)
    except DatabaseError:
        return False


def examine_account(name: str) -> list[Finding]:
    """Check the database and one account."""
    database = check_database("default")
    return [database, *(check_accounts(name) if database.ok else ())]


def check_database(alias: str) -> Finding:
    name = f"database {alias}"
    connection = connections[alias]
    try:
        empty, loader = is_empty(connection), OwnLoader(connection)
        missing, foreign = unapplied(loader), foreign_migrations(loader)
    except DatabaseError as error:
        return Finding(
            name=name,
            ok=False,
            saw=str(error).strip(),
            advice="Check DATABASE_URL and MARKETPLACE_DATABASE_URL, and that the server runs.",
        )
    advice = f"manage.py migrate --database {alias}."
    if empty:
        advice = f"Run manage.py serve once, or {advice}"
        return Finding(name=name, ok=False, saw="it has no tables yet", advice=advice)
    if foreign:
        saw = f"{len(foreign)} migrations of another version, such as {'.'.join(foreign[0])}"
        return Finding(name=name, ok=False, saw=saw, advice=OTHER_VERSION)
    if missing:
        return Finding(name=name, ok=False, saw=f"{len(missing)} migrations missing", advice=f"Run {advice}")
    return Finding(name=name, ok=True, saw=connection.vendor)


def check_clock() -> Finding:
    """Compare this machine's clock with the database's; each account's check compares the provider's."""
    apart = abs(clock.database_ahead())
    saw = f"{apart.total_seconds():.1f} s apart from the database's"
    if apart > clock.ALIKE:
        advice = "Set this machine's clock (NTP): sweeps go by the database's, but pages by this one."
        return Finding(name="clock", ok=False, saw=saw, advice=advice)
    return Finding(name="clock", ok=True, saw=saw)


def check_files() -> Finding:
    """Check that others cannot read the data. Files in a closed folder are safe, whatever their own mode."""
    folder = Path(settings.DATA_DIR)
    kept = folder.rglob("*") if settings.EMBEDDED and _is_open(folder) else ()
    collected = Path(settings.STATIC_ROOT)
    files = (path for path in kept if path.is_file() and not path.is_relative_to(collected))
    if is_open := list(filter(_is_open, files)):
        saw = f"{len(is_open)} files in {folder} can be read by others, such as {is_open[0].name}"
        return Finding(name="files", ok=False, saw=saw, advice=f"Run chmod -R go= {folder}.")
    return Finding(name="files", ok=True, saw="nobody else can read them" if settings.EMBEDDED else "none")


def _is_open(path: Path) -> bool:
    return path.exists() and bool(path.stat().st_mode & 0o077)


def check_keys() -> Finding:
    """Check that sealed columns can be read: after a restore, today's keys may be other ones."""
    sealed = [account.name for account in Account.objects.connected() if not _is_readable(account)]
    if sealed:
        saw = f"the secrets of {', '.join(sealed)} were sealed with other keys than today's"
        advice = "Put the old keys behind today's, or enter the secrets again on the accounts' pages."
        return Finding(name="keys", ok=False, saw=saw, advice=advice)
    if key_rotation.has_old_keys():
        return _rotation()
    return Finding(name="keys", ok=True, saw="what is sealed can be read")


def _rotation() -> Finding:
    """Say whether rows are still under an older key; only the newest of large tables are tried."""
    columns = key_rotation.sealed_columns()
    old = [str(one) for one in columns if key_rotation.count_old(one, most=MOST_TRIED)]
    if old:
        saw = f"under an older key: {', '.join(old)}"
        return Finding(name="keys", ok=False, saw=saw, advice="Run manage.py rotate_keys --rows.")
    saw = f"the newest {MOST_TRIED} of each column are under the first key; older keys are still set"
    return Finding(name="keys", ok=True, saw=f"{saw} (rotate_keys --forget)")


def _is_readable(account: Account) -> bool:
    try:
        return bool(account.secret_access_key)
    except InvalidToken:
        return False


def check_alerts() -> Finding:
    """Check that staff are told: a server refuses, or there is none for those who asked for e-mails."""
    failed = given_up(now=timezone.now())
    if failed:
        advice = "Look at what the server said on the page What I am told, and at CROWD_EMAIL_URL."
        return Finding(name="e-mails to staff", ok=False, saw=f"{failed} given up this week", advice=advice)
    if is_mail_set():
        return Finding(name="e-mails to staff", ok=True, saw=f"by {settings.EMAIL_HOST}")
    saw = "no server (CROWD_EMAIL_URL): staff are told on the home page alone"
    return Finding(name="e-mails to staff", ok=True, saw=saw, is_off=True)


def check_purges() -> Finding:
    """Check that no study keeps personal data longer than it has said."""
    late = list(past_their_date(now=timezone.now()).values_list("name", flat=True)[:5])
    if late:
        saw = f"past their last day: {', '.join(late)}"
        advice = "Purge each on its page Personal data, or set a later day if workers were told so."
        return Finding(name="personal data", ok=False, saw=saw, advice=advice)
    return Finding(name="personal data", ok=True, saw="no study is past its last day")


def check_queue() -> Finding:
    try:
        with app.connection_for_write() as connection:
            connection.ensure_connection(max_retries=1, timeout=3)
    except (OperationalError, OSError) as error:
        advice = "Check REDIS_URL, and that Redis runs; without it leave REDIS_URL unset."
        return Finding(name="queue", ok=False, saw=str(error), advice=advice)
    waiting = len(list((settings.BROKER_DIR / "messages").glob("*"))) if not settings.REDIS_URL else 0
    if waiting > MANY_MESSAGES:
        advice = "No process takes them: start manage.py serve, or manage.py background."
        return Finding(name="queue", ok=False, saw=f"{waiting} messages wait", advice=advice)
    return Finding(name="queue", ok=True, saw="Redis" if settings.REDIS_URL else "folder of files")


def check_model() -> Finding:
    try:
        model = rivals.load_scorer(spec_of(default_rival()))
    except DatabaseError as error:
        # A registered model is a row: the database comes first.
        advice = check_database("default").advice or "Look at the database."
        return Finding(name="model", ok=False, saw=str(error).strip(), advice=advice)
    except rivals.NotInstalled as missing:
        # In the embedded form no other machine could answer.
        elsewhere = not settings.EMBEDDED
        return Finding(name="model", ok=elsewhere, saw=str(missing), is_off=elsewhere)
    except (CrowdError, ImportError, OSError) as error:
        advice = "Set CROWD_RIVAL to one that is registered, fetch it again, or run uv sync."
        return Finding(name="model", ok=False, saw=str(error), advice=advice)
    saw = f"{model.spec.name}, weights {model.weights_sha256[:12]}, on {model.device}"
    return Finding(name="model", ok=True, saw=saw)


def check_releases() -> Finding:
    """Check that the bucket of releases can be reached, where there is one."""
    try:
        return Finding(name="releases", ok=True, saw=current_store().check())
    except StoreAway as away:
        advice = "Check CROWD_RELEASES_BUCKET, CROWD_RELEASES_ENDPOINT_URL, and boto3's credentials."
        return Finding(name="releases", ok=False, saw=str(away), advice=advice)


def check_letters() -> Finding:
    """Check that somebody reads the letters on photographs, which make pictures unfit."""
    if reader := installed_reader():
        return Finding(name="letters", ok=True, saw=reader.name)
    unread = Picture.objects.unread().filter(in_pool=True).count()
    saw = f"no Tesseract here; photographs of the pool that are not read: {unread}"
    # In the embedded form no other machine could read them.
    ok = not (settings.EMBEDDED and unread)
    advice = "Install tesseract with its English data (Debian: tesseract-ocr). They are read then."
    return Finding(name="letters", ok=ok, saw=saw, advice="" if ok else advice, is_off=ok)


def check_accounts(name: str = "") -> Iterator[Finding]:
    connected = Account.objects.connected()
    accounts = connected.filter(name=name) if name else connected.order_by("pk")
    if name and not accounts:
        known = ", ".join(connected.order_by("name").values_list("name", flat=True)[:20])
        advice = f"Known: {known}." if known else "There is no account at all."
        yield Finding(name="accounts", ok=False, saw=f"there is none called {name}", advice=advice)
    elif not accounts:
        advice = (
            "Add one in the admin, or start manage.py serve: it makes one, "
            "of CROWD_ACCOUNT_NAME and its companions if they are set."
        )
        yield Finding(name="accounts", ok=False, saw="there is none", advice=advice)
    for account in accounts:
        for finding in check_account(account=account, now=timezone.now()):
            yield replace(finding, name=f"{account.name}: {finding.name}")

import json
import time
from collections.abc import Iterator
from datetime import timedelta
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from cryptography.fernet import Fernet
from django.conf import LazySettings, settings
from django.core.management import CommandError, call_command
from django.db.utils import ConnectionHandler
from django.utils import timezone

from config import doctor
from config.copies import checking_copies
from config.copies.copy_records import note_copy, note_drill
from config.fresh_database import OTHER_VERSION
from config.management.commands.doctor import _line
from crowd.pictures.letter_reading import Tesseract
from hits.alerts.models import Alert, Kind, Occurrence
from hits.common import clock
from hits.common.channels import Pipes
from hits.common.health.background_checks import check_background
from hits.common.health.findings import Finding
from hits.common.pulses import Pulse, write_pulse
from hits.core.models.audit_events import AuditEvent
from tests.crowd.pictures.images import make_raster
from tests.factories import make_account, make_picture, make_user

pytestmark = pytest.mark.django_db
NOT_READ = "no Tesseract here; photographs of the pool that are not read"


@pytest.fixture(autouse=True)
def _accounts_are_well(monkeypatch: pytest.MonkeyPatch) -> None:
    def check(**_: Any) -> list[Finding]:
        return [Finding(name="endpoint", ok=True, saw="here")]

    monkeypatch.setattr(doctor, "check_account", check)


def names(*arguments: str) -> list[str]:
    printed = StringIO()
    call_command("doctor", "--json", *arguments, stdout=printed)
    return [finding["name"] for finding in json.loads(printed.getvalue())]


def test_doctor_of_one_account_looks_at_no_other() -> None:
    make_account(name="first")
    make_account(name="second")

    assert names("--account", "second") == ["database default", "second: endpoint"]


def test_doctor_of_an_account_that_does_not_exist_names_those_that_do() -> None:
    make_account(name="first")

    (finding,) = [found for found in doctor.examine_account("other") if not found.ok]

    assert (finding.saw, finding.advice) == ("there is none called other", "Known: first.")


@pytest.mark.parametrize(
    ("has_reader", "embedded", "ok"), [(True, True, True), (False, True, False), (False, False, True)]
)
def test_doctor_says_how_many_photographs_nobody_reads(
    settings: LazySettings, monkeypatch: pytest.MonkeyPatch, has_reader: bool, embedded: bool, ok: bool
) -> None:
    settings.EMBEDDED = embedded
    reader = Tesseract("tesseract", version="5.3.0") if has_reader else None
    monkeypatch.setattr(doctor, "installed_reader", lambda: reader)
    without = doctor.check_letters()
    make_picture()
    make_raster()

    finding = doctor.check_letters()

    assert (without.ok, finding.ok) == (True, ok)
    assert finding.saw == ("tesseract 5.3.0" if has_reader else f"{NOT_READ}: 1")
    assert ("tesseract-ocr" in finding.advice) is not ok


def test_doctor_says_whether_staff_get_e_mails(settings: LazySettings) -> None:
    settings.EMAIL_HOST = ""
    without = doctor.check_alerts()
    settings.EMAIL_HOST = "mail.example.org"
    well = doctor.check_alerts()
    occurrence = Occurrence.objects.create(kind=Kind.TEST, key="a", words="A test.", at=timezone.now())
    Alert.objects.create(
        occurrence=occurrence,
        user=make_user(),
        status=Alert.Status.FAILED,
        due_at=timezone.now(),
        sending_at=timezone.now(),
    )

    failed = doctor.check_alerts()

    assert (without.ok, well.ok, failed.ok) == (True, True, False)
    assert "CROWD_EMAIL_URL" in without.saw
    assert [_line(found)[:5] for found in (without, well, failed)] == ["off  ", "ok   ", "FAIL "]
    assert failed.saw == "1 given up this week"


@pytest.mark.parametrize("embedded", [True, False])
def test_doctor_says_which_group_is_missing_for_the_rival(
    settings: LazySettings, monkeypatch: pytest.MonkeyPatch, embedded: bool
) -> None:
    """The deployed form leaves the rival to another machine; the embedded form has no other."""
    settings.EMBEDDED = embedded
    monkeypatch.setattr("scoring.rivals.registry.find_spec", lambda _name: None)
    # A model that another test of this process has loaded needs nothing more.
    monkeypatch.setattr("scoring.rivals.registry._loaded", {})

    finding = doctor.check_model()

    assert finding.ok is not embedded
    assert "torch is not installed here" in finding.saw
    assert "the group `rival` is missing. Run `uv sync --only-group rival`" in finding.saw


def test_doctor_without_any_account_says_how_to_get_one() -> None:
    printed = StringIO()

    with pytest.raises(CommandError, match="checks failed"):
        call_command("doctor", stdout=printed)

    assert "FAIL accounts" in printed.getvalue()
    assert "Add one in the admin" in printed.getvalue()


@pytest.fixture
def without_tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Databases as before the first start, and the error that a look at a registered model meets there."""
    empty = {
        alias: {"ENGINE": "django.db.backends.sqlite3", "NAME": tmp_path / f"{alias}.sqlite3"}
        for alias in settings.DATABASES
    }
    handler = ConnectionHandler(empty)
    monkeypatch.setattr(doctor, "connections", handler)

    def look() -> None:
        with handler["default"].cursor() as cursor:
            cursor.execute("SELECT name FROM scoring_registeredrival")

    monkeypatch.setattr(doctor, "default_rival", look)


@pytest.mark.usefixtures("without_tables")
def test_doctor_before_the_first_start_says_the_one_step_in_one_line() -> None:
    printed = StringIO()

    with pytest.raises(CommandError, match="1 of 1 checks failed"):
        call_command("doctor", stdout=printed)

    (line,) = printed.getvalue().splitlines()
    assert line.startswith("FAIL installation")
    assert f"the folder {settings.DATA_DIR}: never started" in line
    assert "-> Run manage.py serve: it lays the databases and makes a first account." in line
    assert "name that here by CROWD_DATA_DIR=FOLDER" in line


@pytest.mark.usefixtures("without_tables")
def test_doctor_where_one_database_is_laid_gives_the_next_step_for_each_check(
    settings: LazySettings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.DATA_DIR = tmp_path
    monkeypatch.setattr(doctor, "is_new", lambda: False)
    wrong = {found.name: found.advice for found in doctor.examine() if not found.ok}

    lay = "Run manage.py serve once, or manage.py migrate --database"
    assert wrong == {
        "database default": f"{lay} default.",
        "database marketplace": f"{lay} marketplace.",
        "model": f"{lay} default.",
    }


@pytest.mark.usefixtures("without_tables")
def test_doctor_of_an_account_before_the_first_start_names_the_database_alone() -> None:
    (finding,) = doctor.examine_account("first")

    assert (finding.name, finding.saw) == ("database default", "it has no tables yet")


def test_doctor_of_a_database_that_lacks_migrations_says_how_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "unapplied", lambda _: [("hits", "0099_new"), ("hits", "0100_newer")])

    finding = doctor.check_database("default")

    assert (finding.ok, finding.saw) == (False, "2 migrations missing")
    assert finding.advice == "Run manage.py migrate --database default."


def test_doctor_of_a_database_of_another_version_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "foreign_migrations", lambda _: [("hits", "0014_answers_needed")])

    finding = doctor.check_database("default")

    saw = "1 migrations of another version, such as hits.0014_answers_needed"
    assert (finding.ok, finding.saw, finding.advice) == (False, saw, OTHER_VERSION)


@pytest.mark.parametrize(("ahead", "is_well"), [(timedelta(0), True), (timedelta(hours=-1), False)])
def test_doctor_compares_this_machine_with_the_database(
    monkeypatch: pytest.MonkeyPatch, ahead: timedelta, is_well: bool
) -> None:
    monkeypatch.setattr(clock, "database_ahead", lambda: ahead)

    finding = doctor.check_clock()

    assert (finding.ok, finding.saw) == (
        is_well,
        f"{abs(ahead).total_seconds():.1f} s apart from the database's",
    )


@pytest.mark.parametrize(("folder_mode", "is_well"), [(0o755, False), (0o700, True)])
def test_doctor_finds_files_that_others_can_read(
    settings: LazySettings, tmp_path: Path, folder_mode: int, is_well: bool
) -> None:
    settings.EMBEDDED, settings.DATA_DIR, settings.STATIC_ROOT = True, tmp_path, tmp_path / "static"
    (tmp_path / "static").mkdir()
    for name in ("static/crowd.css", "crowd.sqlite3"):
        (tmp_path / name).touch(mode=0o644)
        (tmp_path / name).chmod(0o644)
    tmp_path.chmod(folder_mode)

    finding = doctor.check_files()

    assert finding.ok is is_well
    assert is_well or finding.saw.startswith("1 files")
    assert is_well or finding.advice == f"Run chmod -R go= {tmp_path}."


def test_doctor_finds_what_was_sealed_with_other_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    make_account(name="first")
    before = doctor.check_keys().ok
    monkeypatch.setattr("django.conf.settings.FIELD_KEYS", [Fernet.generate_key().decode()])

    finding = doctor.check_keys()

    assert (before, finding.ok) == (True, False)
    assert finding.saw == "the secrets of first were sealed with other keys than today's"


@pytest.fixture
def background(tmp_path: Path) -> Iterator[Pipes]:
    """A folder in which a dispatcher of this machine listens."""
    pipes = Pipes(tmp_path)
    listener = pipes.listen()
    yield pipes
    del listener


def background_now(pipes: Pipes, **ages: Any) -> dict[str, tuple[bool, str]]:
    """What doctor finds where these things happened so many seconds ago."""
    now = time.time()
    pulse: dict[str, Any] = {
        name: {sweep: now - ago for sweep, ago in age.items()} if isinstance(age, dict) else now - age
        for name, age in ages.items()
    }
    pipes.keep(write_pulse(Pulse(**pulse)))
    return {found.name: (found.ok, found.saw) for found in check_background(pipes)}


def test_doctor_says_that_background_work_is_done_and_on_time(background: Pipes) -> None:
    found = background_now(background, at=1, done_at=3, unanswered={"hits.survey": 20})

    assert found == {"background work": (True, "last done 3 s ago"), "sweeps": (True, "on time")}


def test_doctor_names_sweeps_that_are_late_or_fail_and_since_when(background: Pipes) -> None:
    late, failing = {"hits.survey": 600, "hits.reconcile": 5}, {"hits.send_blocks": 240}

    found = background_now(background, at=1, done_at=3, unanswered=late, failing=failing)

    said = "hits.survey late for 10 minutes; hits.send_blocks failing for 4 minutes"
    assert found["sweeps"] == (False, said)


def test_doctor_says_that_work_is_started_and_nobody_does_it(background: Pipes) -> None:
    found = background_now(background, at=1, done_at=1800)

    assert found["background work"] == (False, "last done 30 minutes ago")


def test_doctor_says_that_no_background_process_runs(background: Pipes, tmp_path: Path) -> None:
    before = list(check_background(background))
    for pipe in tmp_path.glob("*.pipe"):
        pipe.unlink()

    after = background_now(background, at=30, done_at=31)

    assert [(found.ok, found.saw) for found in before] == [(False, "never started here")]
    assert after == {"background work": (False, "none is started; last seen 30 s ago")}


def test_doctor_says_when_the_last_copy_is_old(settings: LazySettings) -> None:
    settings.BACKUP_RECIPIENTS = []
    none = checking_copies.check_copies()
    note_copy("/safe")
    fresh = checking_copies.check_copies()
    note_drill("/safe")
    drilled = checking_copies.check_copies()
    AuditEvent.objects.create(kind="copy.made", words="Old.", at=timezone.now() - timedelta(days=4))

    old = checking_copies.check_copies()
    settings.BACKUP_RECIPIENTS = ["age1nonsense"]
    bad = checking_copies.check_copies()

    assert [found.ok for found in (none, fresh, drilled, old, bad)] == [True, True, True, False, False]
    assert none.is_off
    assert "never drilled" in fresh.saw
    assert f"last drilled {timezone.now():%Y-%m-%d}" in drilled.saw
    assert old.saw.startswith("no copy for 4 days: the last of")
    assert bad.advice == "Correct CROWD_BACKUP_RECIPIENTS."

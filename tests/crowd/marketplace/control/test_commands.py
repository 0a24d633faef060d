"""Management commands that set the marketplace up."""

import json
import subprocess
import sys
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from crowd.marketplace.models import Layout
from crowd.marketplace.models.parties import Operator, OperatorSession, Requester, Worker
from crowd.marketplace.services import operators, worker_sign_in
from tests.config.processes import ROOT, scratch_environ
from tests.crowd.marketplace.desk import PASSWORD, make_operator, open_desk
from tests.factories import make_requester

pytestmark = pytest.mark.django_db
OTHER_PASSWORD = "battery staple horse"


def run(command: str, *arguments: str) -> str:
    printed = StringIO()
    call_command(command, *arguments, stdout=printed)
    return printed.getvalue()


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Put a line on standard input, which is no terminal."""
    return lambda line: monkeypatch.setattr("sys.stdin", StringIO(f"{line}\n"))


def may_sign_in(name: str, password: str) -> bool:
    token = operators.sign_in(sign_in_name=name, password=password, address="192.0.2.1", now=timezone.now())
    return token is not None


def test_operator_is_made_with_a_password_from_standard_input(typed: Any) -> None:
    typed(PASSWORD)

    printed = run("marketplace_operator", "desk-1")

    assert (may_sign_in("desk-1", PASSWORD), PASSWORD in printed) == (True, False)
    assert "desk-1 may sign in at http://localhost:8000/desk/" in printed
    assert Operator.objects.get().password.startswith("argon2")


def test_operator_who_exists_gets_a_new_password_and_is_signed_out(typed: Any) -> None:
    desk = open_desk()
    typed(OTHER_PASSWORD)

    run("marketplace_operator", desk.operator.sign_in_name)

    assert (may_sign_in(desk.operator.sign_in_name, OTHER_PASSWORD), OperatorSession.objects.count()) == (
        True,
        1,
    )
    assert desk.get("").status_code == 302


def test_operator_is_disabled_until_a_new_password_is_set(typed: Any) -> None:
    name = make_operator().sign_in_name
    run("marketplace_operator", name, "--disable")
    while_disabled = may_sign_in(name, PASSWORD)

    typed(OTHER_PASSWORD)
    run("marketplace_operator", name)

    assert (while_disabled, may_sign_in(name, OTHER_PASSWORD)) == (False, True)


@pytest.mark.parametrize(("name", "password"), [("desk", "short"), ("desk", ""), ("De sk", PASSWORD)])
def test_operator_that_cannot_be_is_refused(typed: Any, name: str, password: str) -> None:
    typed(password)

    with pytest.raises(CommandError):
        run("marketplace_operator", name)

    assert Operator.objects.count() == 0


def test_unknown_operator_cannot_be_disabled() -> None:
    with pytest.raises(CommandError):
        run("marketplace_operator", "nobody", "--disable")


def test_provision_prints_what_the_other_side_reads() -> None:
    made = json.loads(
        run("marketplace_provision", "--requester", "lab", "--deposit", "5", "--fees", "5%", "--workers", "2")
    )

    requester = Requester.objects.get()
    token = made["workers"][0]["invitation"].rstrip("/").rpartition("/")[2]
    invitation = worker_sign_in.find_invitation(token=token, now=timezone.now())
    assert list(made) == ["endpoint", "access_key_id", "secret_access_key", "ticket_key", "workers"]
    assert (requester.fee_schedule, str(requester.available), Worker.objects.count()) == ("5%", "5.00", 2)
    assert invitation is not None
    assert invitation.worker.external_id == made["workers"][0]["external_id"]


def test_provision_invites_alone_too() -> None:
    made = json.loads(run("marketplace_provision", "--workers-only", "--workers", "1"))

    assert (list(made), len(made["workers"])) == (["endpoint", "workers"], 1)
    assert (Requester.objects.count(), Worker.objects.count()) == (0, 1)


@pytest.mark.parametrize(
    "arguments",
    [
        ["--requester", "lab", "--fees", "much", "--workers", "1"],
        ["--requester", "lab", "--deposit", "0.001", "--workers", "1"],
        ["--requester", "lab", "--deposit", "-1", "--workers", "1"],
        ["--requester", "lab", "--deposit", "NaN", "--workers", "1"],
        ["--requester", "x" * 129, "--workers", "1"],
        ["--requester", "lab", "--workers", "-1"],
        ["--workers-only"],
        ["--workers", "1"],
    ],
)
def test_provision_that_makes_no_sense_makes_nothing(arguments: list[str]) -> None:
    with pytest.raises(CommandError):
        run("marketplace_provision", *arguments)

    assert (Requester.objects.count(), Worker.objects.count()) == (0, 0)


def test_provision_of_a_name_that_is_taken_makes_nothing() -> None:
    taken = make_requester().requester

    with pytest.raises(CommandError, match="already"):
        run("marketplace_provision", "--requester", taken.name, "--workers", "1")

    assert (Requester.objects.count(), Worker.objects.count()) == (1, 0)


def test_provision_numbers_workers_on_so_that_no_two_have_one_name() -> None:
    for _ in range(2):
        run("marketplace_provision", "--workers-only", "--workers", "2")
    Worker.objects.create(name="Worker bee", external_id="B", created_at=timezone.now())
    run("marketplace_provision", "--workers-only", "--workers", "1")

    names = Worker.objects.filter(name__regex="[0-9]$").order_by("pk").values_list("name", flat=True)
    assert list(names) == [f"Worker {number}" for number in range(1, 6)]


def test_provision_writes_a_new_file_for_its_owner_alone_and_over_none(tmp_path: Path) -> None:
    file = tmp_path / "made.json"
    arguments = ("marketplace_provision", "--requester", "lab", "--out", str(file))

    printed = run(*arguments)

    made = json.loads(file.read_text())
    assert made["secret_access_key"] not in printed
    assert file.stat().st_mode & 0o777 == 0o600
    with pytest.raises(CommandError, match="exists"):
        run("marketplace_provision", "--requester", "other", "--out", str(file))
    assert (json.loads(file.read_text()), Requester.objects.count()) == (made, 1)


def test_provision_that_is_refused_leaves_no_file(tmp_path: Path) -> None:
    taken = make_requester().requester
    file = tmp_path / "made.json"

    with pytest.raises(CommandError, match="already"):
        run("marketplace_provision", "--requester", taken.name, "--out", str(file))
    with pytest.raises(CommandError, match="cannot be written"):
        run("marketplace_provision", "--requester", "lab", "--out", str(tmp_path / "none" / "made.json"))

    assert (list(tmp_path.iterdir()), Requester.objects.count()) == ([], 1)


@pytest.mark.parametrize(
    "command",
    [("marketplace_provision", "--requester", "lab"), ("marketplace_operator", "desk-1")],
    ids=lambda command: command[0],
)
def test_command_where_no_marketplace_is_says_so_and_leaves_no_database(
    command: tuple[str, ...], tmp_path: Path
) -> None:
    done = subprocess.run(
        [sys.executable, "manage.py", *command],
        cwd=ROOT,
        env=scratch_environ(tmp_path),
        input=f"{PASSWORD}\n",
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.returncode, done.stderr.partition(". ")[0]) == (
        1,
        f"CommandError: No marketplace is in {tmp_path}",
    )
    assert not list(tmp_path.rglob("*.sqlite3*"))


def test_layout_is_made_from_a_file_and_replaced_under_its_id(tmp_path: Path) -> None:
    requester = make_requester().requester
    file = tmp_path / "pairs.html"
    file.write_text("<p>${a}</p>", encoding="utf-8")
    first = run("marketplace_layout", str(file), "--requester", requester.name)
    file.write_text("<p>${ä}</p>", encoding="utf-8")

    second = run("marketplace_layout", str(file), "--requester", requester.name, "--frame-height", "300")

    layout = Layout.objects.get()
    assert [first.strip(), second.strip()] == [layout.external_id] * 2
    assert (layout.name, layout.html, layout.frame_height) == ("pairs", "<p>${ä}</p>", 300)


@pytest.mark.parametrize("content", [b"", b"\xff\xfe", b"nul\0", b"x" * 65_536])
def test_layout_of_what_is_no_page_is_refused(tmp_path: Path, content: bytes) -> None:
    requester = make_requester().requester
    file = tmp_path / "pairs.html"
    file.write_bytes(content)

    with pytest.raises(CommandError):
        run("marketplace_layout", str(file), "--requester", requester.name)

    assert Layout.objects.count() == 0


def test_layout_of_nobody_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CommandError):
        run("marketplace_layout", str(tmp_path / "none.html"), "--requester", "nobody")

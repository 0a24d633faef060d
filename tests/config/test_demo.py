"""The demo as a newcomer runs it: fresh processes, real HTTP, a scratch database."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from config.environment import make_keys
from crowd.demo.browser import Browser
from tests.config.processes import ROOT, manage, report_of, scratch_environ, tree, wait_until
from tests.config.servers import VARIABLES, made_on_server

OF_SEED_7 = {
    "hits": 22,
    "assignments_submitted": 36,
    "assignments_approved": 36,
    "associations_created": 18,
    "associations_final": 18,
    "associations_selected": 13,
    "mean_fool_score": 46.9,
    "mean_solvable": 88.9,
    "bonuses_owed": 9,
    "bonuses_sent": 9,
    "bonus_total": "1.50",
    "marketplace_bonus_total": "1.50",
    "rival": "minilm",
    "seconds": 0,
}


def assert_whole(report: dict[str, Any]) -> None:
    """Check three picture sets with three spymasters each and two words each: all solved, some selected."""
    assert report["associations_created"] == report["associations_final"] == 18
    assert 0 < report["associations_selected"] <= 18
    assert report["assignments_approved"] == report["assignments_submitted"] >= 36
    assert 0 < report["mean_fool_score"] <= 100
    assert 0 < report["mean_solvable"] <= 100
    assert report["bonuses_sent"] > 0


PROCEDURE_FIGURES = {
    "hits",
    "assignments_submitted",
    "assignments_approved",
    "walks_passed",
    "walks_failed",
    "nouns",
    "generics_found",
    "generics_stopped",
    "generics_cut",
    "pairs_posted",
    "nonsense",
    "exceptions",
    "passed_filter",
    "premises",
    "well_formed_premises",
    "validated",
    "failed_validation",
    "valid_pairs",
    "entities",
    "generics",
    "human_generic",
    "human_exception",
    "judgements",
    "judgements_of_own",
    "model_generic",
    "model_exception",
    "reward_total",
    "bonuses_owed",
    "bonuses_sent",
    "bonus_total",
    "marketplace_bonus_total",
    "seconds",
}


def assert_all_steps(report: dict[str, Any]) -> None:
    """Check that each step lets something through and leaves something behind, and that all are paid."""
    assert set(report) == PROCEDURE_FIGURES
    assert (report["walks_passed"], report["walks_failed"], report["nouns"]) == (3, 1, 4)
    posted = report["generics_found"] - report["generics_stopped"] - report["generics_cut"]
    assert report["pairs_posted"] == posted < report["generics_found"]
    assert 0 < report["nonsense"] < report["pairs_posted"]
    assert 0 < report["passed_filter"] == report["premises"] < report["exceptions"]
    assert report["validated"] == report["well_formed_premises"] == report["judgements"] // 3
    assert report["valid_pairs"] == report["validated"] - report["failed_validation"] > 0
    assert report["judgements_of_own"] == 0
    for kind in ("generic", "exception"):
        assert report[f"human_{kind}"][1] == report[f"model_{kind}"][1] == report["valid_pairs"]
    assert report["assignments_approved"] == report["assignments_submitted"]
    assert report["bonuses_owed"] == report["bonuses_sent"] == report["assignments_approved"] - 4
    assert report["bonus_total"] == report["marketplace_bonus_total"]


@pytest.mark.pure  # the demo has databases of its own
def test_demo_with_a_seed_gives_the_figures_of_that_seed(tmp_path: Path) -> None:
    environ = scratch_environ(tmp_path)

    report = report_of(manage("demo", "--no-serve", "--json", "--seed", "7", environ=environ))

    assert_whole(report)
    assert report["seconds"] > 0
    assert {**report, "seconds": 0} == OF_SEED_7


@pytest.mark.long
@pytest.mark.pure
def test_demo_of_the_exception_procedure_goes_through_all_steps(tmp_path: Path) -> None:
    environ = scratch_environ(tmp_path)

    report = report_of(manage("demo", "--family", "winoventi", "--no-serve", "--json", environ=environ))

    assert_all_steps(report)


@pytest.mark.long
def test_demo_of_the_exception_procedure_with_one_seed_gives_the_same_figures(tmp_path: Path) -> None:
    command = ("demo", "--family", "winoventi", "--no-serve", "--json", "--seed", "3")

    first, second = (report_of(manage(*command, environ=scratch_environ(tmp_path))) for _ in range(2))

    assert_all_steps(first)
    assert {**first, "seconds": 0} == {**second, "seconds": 0}


@pytest.mark.long
def test_demo_with_another_seed_gives_other_figures(tmp_path: Path) -> None:
    reports = [
        report_of(
            manage("demo", "--no-serve", "--json", "--seed", str(seed), environ=scratch_environ(tmp_path))
        )
        for seed in range(4)
    ]

    assert len({report["bonus_total"] for report in reports}) > 1


@pytest.fixture
def servers() -> Iterator[dict[str, str]]:
    """Environment of the deployed form: two fresh databases and the configured broker."""
    with made_on_server(*VARIABLES) as urls:
        yield {
            **{VARIABLES[database]: url for database, url in urls.items()},
            "REDIS_URL": os.environ["REDIS_URL"],
            **{name: keys[0] for name, keys in make_keys().items()},
        }


@pytest.mark.long
@pytest.mark.needs_postgres
@pytest.mark.needs_redis
def test_demo_on_postgres_and_redis_pays_what_it_owes(tmp_path: Path, servers: dict[str, str]) -> None:
    environ = scratch_environ(tmp_path, **servers)

    report = report_of(manage("demo", "--no-serve", "--json", "--use-environment", environ=environ))

    assert report["bonus_total"] == report["marketplace_bonus_total"]
    assert_whole(report)


@pytest.mark.needs_postgres
@pytest.mark.needs_redis
def test_demo_of_the_exception_procedure_runs_on_postgres_and_redis(
    tmp_path: Path, servers: dict[str, str]
) -> None:
    environ = scratch_environ(tmp_path, **servers)
    command = ("demo", "--family", "winoventi", "--no-serve", "--json", "--use-environment")

    report = report_of(manage(*command, environ=environ))

    assert_all_steps(report)


def answer_of(url: str) -> tuple[int, str]:
    """Status and text of a page of the demo, whatever its host's name resolves to here."""
    parts = urlsplit(url)
    with closing(HTTPConnection("127.0.0.1", parts.port, timeout=30)) as connection:
        connection.request("GET", parts.path, headers={"Host": parts.netloc})
        with connection.getresponse() as answer:
            return answer.status, answer.read().decode()


@contextmanager
def played(family: str, folder: Path) -> Iterator[tuple[str, set[str]]]:
    """Yield what a demo that goes on serving says at its end, and titles of work that its guest may do."""
    said, command = folder / "said", [sys.executable, "manage.py", "demo", "--family", family]
    environ = {**scratch_environ(folder), "TMPDIR": str(folder)}
    with said.open("w") as out:
        demo = subprocess.Popen(command, cwd=ROOT, env=environ, stdout=out)
    try:
        wait_until(lambda: "/desk/" in said.read_text(), seconds=1200, what="the block")
        block = said.read_text().partition("Be somebody, and try something:")[2]
        invitation, *_ = re.findall(r"http://localhost\S+/invitation/\S+", block)
        guest = Browser()
        page = guest.post(guest.get(invitation).forms[0])
        forms = [form for form in page.forms if form.action.endswith("/accept/")]
        yield block, {dict(form.said)["hidden"].removeprefix(": ") for form in forms}
    finally:
        demo.terminate()
        demo.wait(timeout=40)


@pytest.mark.long
@pytest.mark.pure
def test_demo_leaves_something_to_do_for_everybody(tmp_path: Path) -> None:
    with played("winogavil", tmp_path) as (block, offers):
        game, *_ = re.findall(r"http://play\S+", block)

        assert {"Find a word that fools the model", "Which pictures belong to the word?"} <= offers
        assert "review 12 pieces of work" in block
        assert "approve the run “A thank-you”" in block
        assert "prepare a run of the bonus that is owed; answer the appeal of a worker" in block
        assert re.search(r"operator-\w+  password \S+", block)
        status, text = answer_of(game)
        assert (status, "Guess the pictures" in text) == (200, True)


@pytest.mark.long
@pytest.mark.pure
@pytest.mark.parametrize("family", ["winoventi", "winoground", "whoops", "plain"])
def test_demo_of_each_family_leaves_work_for_a_worker_who_comes_late(family: str, tmp_path: Path) -> None:
    with played(family, tmp_path) as (_, offers):
        assert offers


@pytest.mark.pure
def test_demo_stopped_leaves_nothing_behind(tmp_path: Path) -> None:
    environ = {**scratch_environ(tmp_path), "TMPDIR": str(tmp_path)}
    demo = subprocess.Popen([sys.executable, "manage.py", "demo"], cwd=ROOT, env=environ)
    wait_until(lambda: list(tmp_path.glob("crowd-demo-*/demo.log")) != [], seconds=150, what="it serves")
    started = tree(demo.pid)

    demo.terminate()
    demo.wait(timeout=40)

    assert [pid for pid in started if Path(f"/proc/{pid}").exists()] == []
    assert list(tmp_path.glob("crowd-demo-*")) == []


def test_demo_replaces_no_address_of_the_environment_unasked(tmp_path: Path) -> None:
    environ = scratch_environ(tmp_path, CROWD_PUBLIC_URL="https://crowd.example.org")

    done = subprocess.run(
        [sys.executable, "manage.py", "demo", "--use-environment", "--no-serve"],
        cwd=ROOT,
        env=environ,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 1
    assert "the environment says CROWD_PUBLIC_URL=https://crowd.example.org. Give --port" in done.stderr


@pytest.mark.long
@pytest.mark.pure
def test_demo_at_the_stand_in_for_prolific_pays_on_both_sides_alike(tmp_path: Path) -> None:
    command = ("demo", "--provider", "prolific", "--no-serve", "--json")

    report = report_of(manage(*command, environ=scratch_environ(tmp_path)))

    assert_whole(report)
    assert report["bonus_total"] == report["marketplace_bonus_total"]

"""The compose file: nothing secret in an environment, nothing open but the proxy, nothing without bounds."""

import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from config.environment import IN_FILE, KNOWN, SERVERS
from tests.config.deploying.clean_machine import ROOT

FOLDER = ROOT / "config" / "deploy"
COMPOSE: dict[str, Any] = yaml.safe_load((FOLDER / "compose.yaml").read_text())
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
OURS = sorted(name for name, service in SERVICES.items() if service["image"].startswith("crowd-"))
NAMES = {"PUBLIC_HOST": "a.example.org", "PLAY_HOST": "b.example.org", "MARKETPLACE_HOST": "c.example.org"}


@pytest.mark.parametrize("name", OURS)
def test_process_of_ours_can_do_no_more_than_it_must(name: str) -> None:
    service = SERVICES[name]

    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert service["deploy"]["resources"]["limits"]["memory"]
    assert "user" not in service  # the image says it
    assert "privileged" not in service


def test_only_the_proxy_can_be_reached_from_outside() -> None:
    assert [name for name, service in SERVICES.items() if "ports" in service] == ["proxy"]
    assert COMPOSE["networks"]["inside"] == {"internal": True}
    for name in ("postgres", "redis", "rival", "beat"):
        assert SERVICES[name]["networks"] == ["inside"], name


def test_each_secret_is_a_file_that_its_service_is_given() -> None:
    for name, service in SERVICES.items():
        given = set(service.get("secrets", ()))
        assert given <= set(COMPOSE["secrets"]), name
        for variable, value in service.get("environment", {}).items():
            if variable.endswith(IN_FILE):
                assert str(value).removeprefix("/run/secrets/") in given, (name, variable)
    assert {secret["file"] for secret in COMPOSE["secrets"].values()} == {
        f"secrets/{name}" for name in COMPOSE["secrets"]
    }


@pytest.mark.parametrize("name", OURS)
def test_settings_are_known_and_no_key_or_password_stands_in_the_environment(name: str) -> None:
    if name == "proxy":
        assert set(SERVICES[name]["environment"]) == set(NAMES)
        return
    for variable, value in SERVICES[name]["environment"].items():
        assert variable.removesuffix(IN_FILE) in (*KNOWN, *SERVERS), variable
        is_secret = variable.endswith((IN_FILE, "_KEY", "_KEYS")) or variable in SERVERS
        assert is_secret == str(value).startswith("/run/secrets/"), variable


def test_images_that_are_built_are_targets_of_the_file_that_builds_them() -> None:
    lines = (FOLDER / "Dockerfile").read_text().splitlines()
    targets = {line.split(" AS ")[1] for line in lines if line.startswith("FROM ")}
    built = {
        service["image"].removeprefix("crowd-"): service["build"]["target"]
        for service in SERVICES.values()
        if "build" in service
    }

    assert set(built.values()) <= targets
    assert all(image == target for image, target in built.items())
    assert {service["image"] for service in SERVICES.values() if service["image"].startswith("crowd-")} == {
        f"crowd-{image}" for image in built
    }


def test_processes_wait_for_the_tables_and_the_proxy_for_those_that_serve() -> None:
    for name in set(OURS) - {"migrate", "proxy"}:
        assert SERVICES[name]["depends_on"] == {"migrate": {"condition": "service_completed_successfully"}}
    waits_for = SERVICES["proxy"]["depends_on"]
    assert {name: how["condition"] for name, how in waits_for.items()} == {
        "web": "service_healthy",
        "marketplace": "service_healthy",
    }


@pytest.mark.skipif(not shutil.which("docker-compose"), reason="no docker-compose (a package of Debian's)")
def test_compose_itself_reads_the_file(tmp_path: Path) -> None:
    shutil.copytree(FOLDER, tmp_path / "deploy")
    (tmp_path / "deploy" / ".env").write_text("".join(f"{name}={value}\n" for name, value in NAMES.items()))

    read = subprocess.run(
        ["docker-compose", "config", "--quiet"],  # noqa: S607
        cwd=tmp_path / "deploy",
        capture_output=True,
        text=True,
        check=False,
    )

    assert (read.returncode, read.stderr) == (0, "")

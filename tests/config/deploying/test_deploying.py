"""docs/deploying.md, step by step on a clean machine, and the images, built and started."""

import re
import sys
import time
from pathlib import Path

import pytest

from tests.config.deploying.clean_machine import ROOT, Machines, execute, network

pytestmark = [pytest.mark.long, pytest.mark.needs_machines]
DOCUMENT = ROOT / "docs" / "deploying.md"
STEP = re.compile(r"<!-- test(?P<installs>: install)? -->\n```sh\n(?P<script>.*?)```", re.DOTALL)
PASSWORDS = {"ADMIN_PASSWORD": "a long word of the test", "OPERATOR_PASSWORD": "another long word of it"}
SYSTEMCTL = Path(__file__).with_name("systemctl.py")
# What is asked once all steps are done: every site through the proxy, and a host that is none.
# What a name server does elsewhere.
NAMES = "echo 127.0.0.1 crowd.example.org play.example.org market.example.org >> /etc/hosts"
QUESTIONS = """
echo
ask() { curl --silent --insecure --output /dev/null --write-out "$1$2 %{http_code}\\n" \
    --resolve "$1:443:127.0.0.1" "https://$1$2"; }
ask crowd.example.org /admin/login/
ask crowd.example.org /health/
ask play.example.org /
ask market.example.org /
ask market.example.org /desk/
ask elsewhere.example.org /
curl --silent --output /dev/null --write-out "plain %{http_code}\\n" --header 'Host: crowd.example.org' http://127.0.0.1/
"""
ANSWERS = {
    "crowd.example.org/admin/login/": "200",
    "crowd.example.org/health/": "200",
    "play.example.org/": "200",
    "market.example.org/": "200",
    "market.example.org/desk/": "302",
    "elsewhere.example.org/": "421",
    "plain": "308",
}


@pytest.fixture(scope="module")
def machines(tmp_path_factory: pytest.TempPathFactory) -> Machines:
    return Machines(tmp_path_factory.mktemp("machines"))


def steps(*, installs: bool) -> str:
    found = [match for match in STEP.finditer(DOCUMENT.read_text()) if bool(match["installs"]) == installs]
    return "set -ex\n" + "".join(match["script"] for match in found)


def test_each_step_works_on_a_clean_machine(machines: Machines, tmp_path: Path) -> None:
    source = tmp_path / "source"
    execute("git", "clone", "--quiet", "--bare", str(ROOT), str(source))
    volumes = {source: "/source:ro", SYSTEMCTL: "/usr/local/bin/systemctl:ro"}
    with machines.container() as machine, network(f"clean-{time.time_ns() % 10**6}") as own:
        installed = machines.run(
            machine, "sh", "-c", steps(installs=True), environ={"SOURCE": "/source"}, volumes=volumes
        )
        assert installed.returncode == 0, installed.stdout + installed.stderr
        script = f"{NAMES}\n{steps(installs=False)}\nset +x\n{QUESTIONS}"
        try:
            used = machines.run(machine, "sh", "-c", script, environ=PASSWORDS, volumes=volumes, network=own)
        finally:
            machines.run(machine, "systemctl", "poweroff", volumes=volumes, network=own)

    told = used.stdout + used.stderr
    assert used.returncode == 0, told
    answers = dict(line.split() for line in used.stdout.splitlines() if len(line.split()) == 2)
    assert {asked: answers.get(asked) for asked in ANSWERS} == ANSWERS, told


@pytest.mark.parametrize("target", ["marketplace", "web", "background", "proxy"])
def test_image_is_built_and_its_process_is_nobody(machines: Machines, target: str) -> None:
    image = machines.build(target)

    assert machines.inspect(image, "{{.OCIv1.Config.User}}") == "10001"
    with machines.container(image) as name:
        written = machines.run(name, "sh", "-c", "id -u; touch /srv/crowd/here /usr/here 2>&1")
        sys.stdout.write(f"{target}: {machines.size_mb(image):.0f} MB beyond Debian's base\n")
    assert written.stdout.splitlines()[0] == "10001"
    assert written.returncode != 0

#!/usr/bin/python3
"""Stands for systemd on the clean machine, where none runs: it starts what a unit file says, as whom it says.

PostgreSQL, Redis and nginx come with Debian's own units, and are started as those do.
"""

import os
import shlex
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

UNITS = Path("/etc/systemd/system")
LOGS = Path("/var/log")
STARTED = Path("/run/started-units")  # the process ids, each of a session of its own


def main() -> None:
    verb, *names = [word for word in sys.argv[1:] if not word.startswith("--")]
    for name in names if verb in ("enable", "start") else ():
        start(name.removesuffix(".service"))
    if verb == "poweroff":
        power_off()


def start(name: str) -> None:
    if name == "postgresql":
        # Its port was chosen beside another server of this network.
        run("sed -i 's/^port = .*/port = 5432/' /etc/postgresql/15/main/postgresql.conf")
        run("pg_ctlcluster 15 main start")
    elif name == "redis-server":
        run("runuser --user redis -- redis-server /etc/redis/redis.conf --daemonize yes")
    elif not name.endswith(".target"):
        start_unit(read(UNITS / f"{name}.service"), log=LOGS / f"{name}.log")


def run(line: str) -> None:
    subprocess.run(["/bin/sh", "-c", line], check=True)


def read(file: Path) -> dict[str, list[str]]:
    unit: dict[str, list[str]] = {}
    for line in file.read_text().splitlines():
        if "=" in line:
            name, _, value = line.partition("=")
            unit.setdefault(name, []).append(value)
    return unit


def start_unit(unit: dict[str, list[str]], *, log: Path) -> None:
    lines = [*unit.get("Environment", [])]
    for file in unit.get("EnvironmentFile", []):
        lines += Path(file).read_text().split()
    environ = {name: value for name, _, value in (line.partition("=") for line in lines)}
    [user], [command] = unit["User"], unit["ExecStart"]
    raised = [
        f"--{kind}-caps=+net_bind_service" for kind in ("inh", "ambient") if "AmbientCapabilities" in unit
    ]
    become = ["setpriv", "--reuid", user, "--regid", user, "--init-groups", *raised, "--"]
    with log.open("w") as output:
        process = subprocess.Popen(
            [*become, *shlex.split(command)],
            cwd=unit.get("WorkingDirectory", ["/"])[0],
            env={"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", **environ},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
    with STARTED.open("a") as started:
        started.write(f"{process.pid}\n")


def power_off() -> None:
    for line in STARTED.read_text().splitlines() if STARTED.exists() else ():
        with suppress(ProcessLookupError):
            os.killpg(int(line), signal.SIGKILL)
    run("redis-cli shutdown nosave; pg_ctlcluster 15 main stop --mode immediate; true")


if __name__ == "__main__":
    main()

"""Runs a small program against a foreign client, and does the worker's part whenever it asks for that."""

import json
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Timer
from typing import Any

from crowd.marketplace import clock
from crowd.marketplace.models import HIT
from crowd.marketplace.models.parties import Requester
from crowd.marketplace.services.requesters import Credentials
from tests.crowd.marketplace.rows import accept, hand_in, post_hit
from tests.factories import invite

PROGRAMS = Path(__file__).parent / "programs"
PATIENCE_S = 90.0
Part = Callable[[Mapping[str, str]], Mapping[str, str]]


@dataclass(frozen=True, kw_only=True)
class Client:
    """A foreign program: its command, its folder and its environment."""

    command: Sequence[str]
    folder: Path
    environ: Mapping[str, str]

    def run(self, *arguments: str, **parts: Part) -> Any:
        """Run the program, and do work when it asks for that. Returns what the program reports at its end.

        `parts` are answers to what this program alone asks for.
        """
        log = self.folder / "said.txt"
        with (
            log.open("w+") as said,
            subprocess.Popen(
                [*self.command, *arguments],
                cwd=self.folder,
                env=dict(self.environ),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=said,
                text=True,
            ) as process,
        ):
            limit = Timer(PATIENCE_S, process.kill)
            limit.start()
            report = _converse(process, {**WORKERS_PART, **parts})
            limit.cancel()
        assert process.returncode == 0, log.read_text()[-4000:]
        return report


def _converse(process: subprocess.Popen[str], parts: Mapping[str, Part]) -> Any:
    report = None
    assert process.stdin
    assert process.stdout
    for line in process.stdout:
        message = json.loads(line)
        if "report" in message:
            report = message["report"]
            continue
        answer = parts[message["ask"]](message)
        process.stdin.write(json.dumps(answer) + "\n")
        process.stdin.flush()
    return report


def environ_of(credentials: Credentials, *, home: Path, **changes: str) -> dict[str, str]:
    """A researcher's shell with the keys and nothing else: no settings of this machine, no proxies."""
    return {
        "PATH": "/usr/bin:/bin",
        "HOME": str(home),
        "LANG": "C.UTF-8",
        "AWS_ACCESS_KEY_ID": credentials.access_key_id,
        "AWS_SECRET_ACCESS_KEY": credentials.secret_access_key,
        "AWS_REGION": "us-east-1",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_EC2_METADATA_DISABLED": "true",
        **changes,
    }


def _invite(message: Mapping[str, str]) -> Mapping[str, str]:
    worker, _ = invite(now=clock.now())
    return {"WorkerId": worker.external_id}


def _hand_in(message: Mapping[str, str]) -> Mapping[str, str]:
    assignment = hand_in(HIT.objects.get(external_id=message["HITId"]), now=clock.now())
    return {"AssignmentId": assignment.external_id, "WorkerId": assignment.worker.external_id}


def _accept(message: Mapping[str, str]) -> Mapping[str, str]:
    assignment = accept(HIT.objects.get(external_id=message["HITId"]), now=clock.now())
    return {"AssignmentId": assignment.external_id, "WorkerId": assignment.worker.external_id}


def _post(message: Mapping[str, str]) -> Mapping[str, str]:
    """Post a HIT of the same requester without the client; its submissions wait for review."""
    hit = post_hit(requester=Requester.objects.get(), now=clock.now())
    return {"HITId": hit.external_id}


WORKERS_PART: Mapping[str, Part] = {
    "accept": _accept,
    "hand_in": _hand_in,
    "invite": _invite,
    "post": _post,
}

"""Calls of psiTurk's shell to its MTurkServices. Started as: python psiturk_program.py TOPIC."""

import json
import os
from configparser import ConfigParser
from datetime import timedelta
from importlib import import_module
from threading import Thread
from typing import Any

from asking import ask, report  # type: ignore[import-not-found] # beside this file

# Installed in an environment of its own, which this project's type checks do not see.
services: Any = import_module("psiturk.amt_services")


def connect(mode: str) -> Any:
    config = ConfigParser()
    config["AWS Access"] = {
        "aws_access_key_id": os.environ["AWS_ACCESS_KEY_ID"],
        "aws_secret_access_key": os.environ["AWS_SECRET_ACCESS_KEY"],
    }
    return services.MTurkServices(config=config, mode=mode)


psiturk = connect("sandbox")


def data(response: Any) -> Any:
    """The data that the shell would show; a refusal ends this program with its reason."""
    if not response.success:
        raise response.exception
    return response.data


def create_hit(**changes: Any) -> str:
    values = {
        "title": "Stroop task",
        "description": "Judge the color of a series of words.",
        "keywords": "Perception, Psychology",
        "reward": 0.5,
        "duration": timedelta(minutes=20),
        "lifetime": timedelta(hours=24),
        "max_assignments": 3,
        "ad_location": "https://example.org/pub?mode=sandbox",
        "approve_requirement": 95,
        "number_hits_approved": 0,
        "require_master_workers": False,
        "us_only": True,
        "require_qualification_ids": [],
        "block_qualification_ids": [],
        "advanced_qualifications": [],
        **changes,
    }
    hit_id: str = data(psiturk.create_hit(values))["HITId"]
    return hit_id


def hits() -> Any:
    made = [create_hit() for _ in range(11)]  # more than one page, as the service cuts them
    first = made[0]
    data(psiturk.extend_hit(first, assignments_increment=2, expiration_increment=90))
    extended = data(psiturk.get_hit(first)).options
    data(psiturk.expire_hit(first))
    expired = data(psiturk.get_hit(first)).options
    data(psiturk.delete_hit(first))
    return {
        "balances": [data(psiturk.check_balance()), data(connect("live").check_balance())],
        "max_assignments": extended["max_assignments"],
        "is_expired": [extended["is_expired"], expired["is_expired"]],
        "status": [extended["status"], expired["status"]],
        "left": len(data(psiturk.get_all_hits())),
        "missing": psiturk.get_hit("3NOSUCHHIT0000000000000000000").status,
    }


def review() -> Any:
    hit_id = create_hit(us_only=False, approve_requirement=0)
    done = [ask("hand_in", HITId=hit_id) for _ in range(2)]
    first, second = (one["AssignmentId"] for one in done)
    waiting = data(psiturk.get_assignments("Submitted", [hit_id]))
    data(psiturk.approve_assignment(first))
    data(psiturk.reject_assignment(second))
    rejected = data(psiturk.get_assignments("Rejected"))
    data(psiturk.unreject_assignment(second))
    data(psiturk.bonus_assignment(first, None, 0.25, reason="Thanks for participating!"))
    options = data(psiturk.get_hit(hit_id)).options
    return {
        "waiting": {one["assignmentId"] for one in waiting} == {first, second},
        "rejected": [one["assignmentId"] == second for one in rejected],
        "unrejected": data(psiturk.get_assignment(second))["status"],
        "completed": options["number_assignments_completed"],
        "needing_action": options["number_submissions_needing_action"],
        "balance": data(psiturk.check_balance()),
    }


def serve() -> str:
    """Serve the experiment in this folder by psiTurk's own application, and return its address."""
    application = import_module("psiturk.experiment").app
    server = import_module("werkzeug.serving").make_server("127.0.0.1", 0, application, threaded=True)
    Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}"


def experiment() -> Any:
    """Post the experiment of this folder, let a worker take part, and approve and pay as the shell would."""
    hit_id = create_hit(ad_location=f"{serve()}/pub?mode=sandbox", us_only=False, approve_requirement=0)
    ask("take_part")
    (waiting,) = data(psiturk.get_assignments("Submitted", [hit_id]))
    data(psiturk.approve_assignment(waiting["assignmentId"]))
    participant = import_module("psiturk.models").Participant.query.one()
    data(psiturk.bonus_assignment(waiting["assignmentId"], None, participant.bonus, reason="All right!"))
    statuses = import_module("psiturk.psiturk_statuses")
    return {
        "worker": participant.workerid == waiting["workerId"],
        "submitted": participant.status == statuses.SUBMITTED,
        "trials": sum("word" in record["trialdata"] for record in json.loads(participant.datastring)["data"]),
        "status": data(psiturk.get_assignment(waiting["assignmentId"]))["status"],
        "balance": data(psiturk.check_balance()),
    }


def qualifications() -> Any:
    """The shell only searches for qualification types that were made elsewhere."""
    made = psiturk.mtc.create_qualification_type(
        Name="psiTurk regular", Description="Was here before.", QualificationTypeStatus="Active"
    )["QualificationType"]["QualificationTypeId"]
    found = data(psiturk.list_qualification_types(Query="regular"))
    guarded = create_hit(
        require_qualification_ids=[made],
        advanced_qualifications=[
            {"QualificationTypeId": made, "Comparator": "GreaterThan", "IntegerValues": [3]}
        ],
    )
    return {
        "found": [one["QualificationTypeId"] == made for one in found],
        "guarded": data(psiturk.get_hit(guarded)).options["status"],
    }


report({"experiment": experiment, "hits": hits, "qualifications": qualifications, "review": review})

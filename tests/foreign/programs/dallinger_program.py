"""Calls of Dallinger's recruiter to its MTurkService. Started as: python dallinger_program.py TOPIC."""

import os
import time
from importlib import import_module
from threading import Thread
from typing import Any

from asking import ask, refusal, report  # type: ignore[import-not-found] # beside this file

# Installed in an environment of its own, which this project's type checks do not see.
mturk: Any = import_module("dallinger.mturk")
recruiters: Any = import_module("dallinger.recruiters")
flask: Any = import_module("flask")
serving: Any = import_module("werkzeug.serving")


def make_service(**changes: Any) -> Any:
    values = {
        "aws_access_key_id": os.environ["AWS_ACCESS_KEY_ID"],
        "aws_secret_access_key": os.environ["AWS_SECRET_ACCESS_KEY"],
        "region_name": "us-east-1",
        **changes,
    }
    return mturk.MTurkService(**values)


service = make_service()
told: list[dict[str, Any]] = []


class Recruiter(recruiters.MTurkRecruiter):  # type: ignore[misc]
    """Dallinger's recruiter without the experiment: it confirms as usual, and keeps its notifications."""

    def __init__(self) -> None:
        self.mturkservice = service

    def _report_event_notification(self, events: list[dict[str, Any]]) -> None:
        told.extend(events)


def listen() -> str:
    """Serve Dallinger's own route for notifications, and return its address."""
    recruiters.MTurkRecruiter = Recruiter
    app = flask.Flask("experiment")
    app.register_blueprint(recruiters.mturk_routes)
    server = serving.make_server("127.0.0.1", 0, app, threaded=True)
    Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}/mturk-sns-listener"


notification_url = listen()


def told_types(count: int) -> list[str]:
    """Types of the notifications received, once there are so many or 20 seconds have passed."""
    ends = time.monotonic() + 20
    while len(told) < count and time.monotonic() < ends:
        time.sleep(0.05)
    return [event["EventType"] for event in told]


def create_hit(**changes: Any) -> Any:
    values = {
        "experiment_id": "experiment-1",
        "title": "Bartlett (dlgr-1)",
        "description": "Remember a story.",
        "keywords": ["memory", "story"],
        "reward": 0.5,
        "duration_hours": 0.25,
        "lifetime_days": 1,
        "question": mturk.MTurkQuestions.external("https://example.org/ad?recruiter=mturk&amp;a=1"),
        "max_assignments": 2,
        "annotation": "experiment-1",
        "notification_url": notification_url,
        **changes,
    }
    return service.create_hit(**values)


def account() -> Any:
    return {
        "sandbox": [service.account_balance(), service.check_credentials()],
        "production": make_service(sandbox=False).account_balance(),
        "wrong": refusal(make_service(aws_secret_access_key="wrong").check_credentials),
    }


def hits() -> Any:
    rules = mturk.MTurkQualificationRequirements
    made = create_hit(qualifications=[rules.min_approval(95), rules.restrict_to_countries(["US"])])
    extended = service.extend_hit(made["id"], number=2, duration_hours=2)
    longer = extended["expiration"] - made["expiration"]
    ours = list(service.get_hits(lambda hit: hit["annotation"] == "experiment-1"))
    total = len(list(service.get_hits()))
    service.expire_hit(made["id"])
    return {
        "made": {name: made[name] for name in ("title", "keywords", "reward", "status", "review_status")},
        "requirements": made["qualification_type_ids"],
        "counts": [extended["max_assignments"], extended["assignments_available"]],
        "longer_hours": longer.total_seconds() / 3600,
        "ours": [hit["id"] == made["id"] for hit in ours],
        "total": total,
        "annotation": service.get_study(made["id"])["RequesterAnnotation"],
        "expired": service.get_hit(made["id"])["status"],
        "more_of_nothing": refusal(service.extend_hit, "3NOSUCHHIT0000000000000000000", number=1),
        "expire_nothing": refusal(service.expire_hit, "3NOSUCHHIT0000000000000000000"),
        "too_many": refusal(service.extend_hit, create_hit(max_assignments=9)["id"], number=1),
    }


def topic() -> Any:
    """Dallinger subscribes before it posts a HIT, and unsubscribes before it deletes one."""
    made = create_hit()
    subscribed = [arn.rpartition(":")[2] for arn in service.sns._all_topics()]
    ask("hand_in", HITId=made["id"])
    return {
        "subscribed": subscribed,
        "told": told_types(2),
        "of_the_hit": [event["HITId"] == made["id"] for event in told],
        "disabled": service.disable_hit(made["id"], "experiment-1"),
        "hits": list(service.get_hits()),
        "topics": list(service.sns._all_topics()),
    }


def qualifications() -> Any:
    worker = ask("invite")["WorkerId"]
    made = service.create_qualification_type("Dallinger tested", "Took part.")
    longer = service.create_qualification_type("Dallinger tested twice", "Took part again.")
    found = service.get_qualification_type_by_name("Dallinger tested")
    unscored = refusal(service.current_qualification_score, made["id"], worker)
    nameless = service.current_named_qualification_score("Dallinger tested", worker)["score"]
    scores = [
        service.increment_qualification_score(made["id"], worker)["score"],
        service.increment_named_qualification_score("Dallinger tested", worker, notify=True)["score"],
    ]
    assigned = [
        service.assign_qualification(longer["id"], worker, 10, notify=True),
        service.assign_named_qualification("Dallinger tested twice", worker, 11),
    ]
    holders = list(service.get_workers_with_qualification(made["id"]))
    revoked = service.revoke_qualification(made["id"], worker, "Over.")
    return {
        "status": made["status"],
        "twice": refusal(service.create_qualification_type, "Dallinger tested", "Again."),
        "found": found["id"] == made["id"],
        "not_found": service.get_qualification_type_by_name("Nobody's"),
        "unscored": unscored,
        "nameless": nameless,
        "scores": scores,
        "assigned": assigned,
        "score": service.current_qualification_score(longer["id"], worker),
        "holders": [[holder["id"] == worker, holder["score"]] for holder in holders],
        "revoked": revoked,
        "after": refusal(service.current_qualification_score, made["id"], worker),
        "anew": service.increment_qualification_score(made["id"], worker)["score"],
        "disposed": service.dispose_qualification_type(made["id"]),
    }


def review() -> Any:
    """Dallinger's own HITs approve at once; it also approves and pays for work that waits for review."""
    at_once = ask("hand_in", HITId=create_hit()["id"])["AssignmentId"]
    waiting = ask("hand_in", HITId=ask("post")["HITId"])["AssignmentId"]
    before = service.get_assignment(waiting)["status"]
    return {
        "at_once": service.get_assignment(at_once)["status"],
        "at_once_again": refusal(service.approve_assignment, at_once),
        "before": before,
        "approved": service.approve_assignment(waiting),
        "after": service.get_assignment(waiting)["status"],
        "bonus": service.grant_bonus(waiting, 1.5, "Well remembered."),
        "too_much": refusal(service.grant_bonus, waiting, 5000.0, "Too much."),
        "missing": service.get_assignment("3NOSUCHASSIGNMENT000000000000"),
        "balance": service.account_balance(),
    }


def compensation() -> Any:
    """Create a HIT of requester's HTML that one worker alone may see."""
    worker = ask("invite")["WorkerId"]
    rule = service.create_qualification_type("Dallinger Compensation Qualification - 1", "For you.")
    service.assign_qualification(rule["id"], worker, 1, notify=True)
    made = create_hit(
        experiment_id="(compensation only)",
        keywords=[],
        max_assignments=1,
        lifetime_days=3,
        duration_hours=1,
        annotation=None,
        do_subscribe=False,  # as Dallinger itself has it here
        question=mturk.MTurkQuestions.compensation(sandbox=True),
        qualifications=[mturk.MTurkQualificationRequirements.must_have(rule["id"])],
    )
    return {"status": made["status"], "keywords": made["keywords"]}


report(
    {
        "account": account,
        "compensation": compensation,
        "hits": hits,
        "qualifications": qualifications,
        "review": review,
        "topic": topic,
    }
)

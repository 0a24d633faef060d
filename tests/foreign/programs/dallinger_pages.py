"""Dallinger's own pages and its recruiter. Started as: python dallinger_pages.py TOPIC MARKETPLACE.

Its server needs PostgreSQL and Redis; the routes below render and answer what its own do.
"""

import os
import sys
import time
from importlib import import_module
from pathlib import Path
from threading import Thread
from types import SimpleNamespace
from typing import Any

from asking import ask, report  # type: ignore[import-not-found] # beside this file

# Installed in an environment of its own, which this project's type checks do not see.
recruiters: Any = import_module("dallinger.recruiters")
utils: Any = import_module("dallinger.utils")
flask: Any = import_module("flask")
jinja2: Any = import_module("jinja2")
serving: Any = import_module("werkzeug.serving")
config: Any = import_module("dallinger.config").get_config(load=True)

FRONTEND = Path(recruiters.__file__).parent / "frontend"
# Templates of the experiment itself, the first two as Dallinger's own experiments have them.
TEMPLATES = {
    "ad.html": '{% extends "base/ad.html" %}',
    "consent.html": '{% extends "base/consent.html" %}',
    "instructions.html": """{% extends "layout.html" %}
{% block body %}<button type="button" id="begin">Begin the task</button>{% endblock %}
{% block scripts %}<script>
document.getElementById("begin").onclick = () =>
  dallinger.createParticipant().done(() => dallinger.goToPage("questionnaire"));
dallinger.identity.initialize();
</script>{% endblock %}""",
}
SUBMITTED = "AssignmentSubmitted"
participants: list[Any] = []
told: list[str] = []


class Recruiter(recruiters.MTurkRecruiter):  # type: ignore[misc]
    """The lines that the experiment needs: Dallinger prefers a subclass that has the same nickname."""

    external_submission_url = f"{sys.argv[2]}/mturk/externalSubmit"


class Store:
    """Keeps the HIT's id in the place of Redis."""

    def __init__(self) -> None:
        self.kept: dict[str, str] = {}

    def get(self, key: str) -> str | None:
        return self.kept.get(key)

    def set(self, key: str, value: str) -> None:
        self.kept[key] = value


app = flask.Flask("experiment", template_folder=FRONTEND / "templates", static_folder=FRONTEND / "static")
app.jinja_loader = jinja2.ChoiceLoader([jinja2.DictLoader(TEMPLATES), app.jinja_loader])
app.jinja_env.globals["get_from_config"] = utils.get_from_config
app.register_blueprint(recruiters.mturk_routes)


def render(template: str) -> str:
    given = flask.request.args
    page: str = flask.render_template(
        template,
        recruiter=given["recruiter"],
        hitid=given["hitId"],
        assignmentid=given["assignmentId"],
        workerid=given.get("workerId"),
        mode=config.get("mode"),
        app_id=config.get("id"),
        query_string=flask.request.query_string.decode(),
    )
    return page


app.add_url_rule("/ad", "advertisement", lambda: render("ad.html"))
app.add_url_rule("/consent", "consent", lambda: render("consent.html"))
app.add_url_rule("/instructions/instruct-ready", "instructions", lambda: render("instructions.html"))
app.add_url_rule("/questionnaire", "questionnaire", lambda: flask.render_template("questionnaire.html"))


@app.post("/participant")  # type: ignore[untyped-decorator]
def make_participant() -> Any:
    given = flask.request.form
    ids = {f"{name}_id": given[f"{name}Id"] for name in ("hit", "assignment", "worker")}
    participants.append(SimpleNamespace(**ids))
    return flask.jsonify(status="success", participant={"id": len(participants), **ids})


@app.post("/question/<int:number>")  # type: ignore[untyped-decorator]
def answer(number: int) -> Any:
    participants[number - 1].answers = flask.request.form["response"]
    return flask.jsonify(status="success")


@app.post("/worker_complete")  # type: ignore[untyped-decorator]
def complete() -> Any:
    return flask.jsonify(status="success")


@app.get("/recruiter-exit")  # type: ignore[untyped-decorator]
def leave() -> Any:
    participant = participants[flask.request.args.get("participant_id", type=int) - 1]
    return recruiters.by_name("mturk").exit_response(experiment=None, participant=participant)


def configure(port: int) -> None:
    config.extend(
        {
            "id": "experiment-1",
            "title": "Bartlett",
            "description": "Remember a story.",
            "keywords": "memory, story",
            "base_payment": 0.5,
            "duration": 0.25,
            "lifetime": 1,
            "mode": "sandbox",
            "recruiter": "mturk",
            "approve_requirement": 0,
            "base_port": port,
            "num_dynos_web": 1,
            "aws_access_key_id": os.environ["AWS_ACCESS_KEY_ID"],
            "aws_secret_access_key": os.environ["AWS_SECRET_ACCESS_KEY"],
        }
    )
    os.environ["HOST"] = "127.0.0.1"


def take_part() -> Any:
    """Post the HIT as a launch does, let a worker take part, and pay a bonus as the server would."""
    server = serving.make_server("127.0.0.1", 0, app, threaded=True)
    configure(server.server_port)
    recruiters.MTurkRecruiter._report_event_notification = lambda _, events: told.extend(
        event["EventType"] for event in events
    )
    Thread(target=server.serve_forever, daemon=True).start()
    recruiter = recruiters.by_name("mturk", store=Store())
    recruiter.open_recruitment(n=1)
    ask("take_part")
    (participant,) = participants
    recruiter.reward_bonus(participant, 0.25, "Well remembered.")
    ends = time.monotonic() + 20
    while SUBMITTED not in told and time.monotonic() < ends:
        time.sleep(0.05)
    assignment = recruiter.mturkservice.get_assignment(participant.assignment_id)
    return {
        "hit": participant.hit_id == recruiter.current_hit_id(),
        "answers": participant.answers,
        "status": assignment["status"],
        "told": SUBMITTED in told,
        "balance": recruiter.mturkservice.account_balance(),
    }


report({"take_part": take_part})

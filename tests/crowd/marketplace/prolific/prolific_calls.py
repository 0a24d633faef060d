"""A client of the stand-in over real HTTP, and the studies that tests publish on it."""

import json
from dataclasses import dataclass, field
from http.client import HTTPConnection
from typing import Any
from urllib.parse import urlencode, urlsplit

from crowd.marketplace.tools.prolific import StandIn

PATIENCE_S = 10.0
ENTRY = "http://study.localhost/?pid={{%PROLIFIC_PID%}}&study={{%STUDY_ID%}}&session={{%SESSION_ID%}}"
APPROVED_CODE, REVIEWED_CODE = "DONE-AT-ONCE", "DONE-TO-REVIEW"
REASON = "The work does not follow the instructions: none of its answers is about the picture that was shown."
LONG_REASON = f"{REASON} Please read them again before you take part in another study of ours."
# 100 pence and the academic fee of 33.3% with VAT on it.
COST_OF_ONE = 140


@dataclass(frozen=True, kw_only=True)
class Told:
    status: int
    body: Any
    headers: dict[str, str] = field(default_factory=dict)

    @property
    def detail(self) -> Any:
        return self.body["error"]["detail"]


@dataclass(frozen=True, kw_only=True)
class Client:
    """Each call is one connection, and asserts nothing."""

    stand_in: StandIn
    token: str | None = None

    def get(self, path: str, **query: object) -> Told:
        return self.call("GET", path + (f"?{urlencode(query)}" if query else ""))

    def post(self, path: str, **body: Any) -> Told:
        return self.call("POST", path, body)

    def patch(self, path: str, **body: Any) -> Told:
        return self.call("PATCH", path, body)

    def delete(self, path: str, **body: Any) -> Told:
        return self.call("DELETE", path, body or None)

    def control(self, name: str, **body: Any) -> Any:
        return self.call_control("POST", name, body)

    def call_control(self, method: str, name: str, body: Any = None) -> Any:
        return self._send(method, f"/control/{name}/", body).body

    def call(self, method: str, path: str, body: Any = None) -> Told:
        return self._send(method, f"/api/v1{path}", body)

    def create_study(self, **changes: Any) -> str:
        study_id: str = self.post("/studies/", **study_fields(**changes)).body["id"]
        return study_id

    def publish(self, **changes: Any) -> str:
        """A study that is published, by its id."""
        study_id = self.create_study(**changes)
        self.transition(study_id, "PUBLISH")
        return study_id

    def transition(self, study_id: str, action: str, **more: Any) -> Told:
        return self.post(f"/studies/{study_id}/transition/", action=action, **more)

    def decide(self, submission_id: str, action: str, **more: Any) -> Told:
        return self.post(f"/submissions/{submission_id}/transition/", action=action, **more)

    def study_status(self, study_id: str) -> str:
        status: str = self.get(f"/studies/{study_id}/").body["status"]
        return status

    def status_of(self, submission_id: str) -> str:
        status: str = self.get(f"/submissions/{submission_id}/").body["status"]
        return status

    def balance(self) -> Any:
        return self.get(f"/workspaces/{self.workspace_id}/balance/").body

    @property
    def workspace_id(self) -> str:
        return next(iter(self.stand_in.world.workspaces))

    def take_part(self, study_id: str) -> str:
        """A submission of a new participant, who has opened the study."""
        controls = self.stand_in.controls
        return controls.take_part(study_id, controls.add_participant())

    def submit(self, study_id: str, *, code: str = REVIEWED_CODE) -> str:
        """A submission of a new participant, who has finished with this code."""
        submission_id = self.take_part(study_id)
        self.stand_in.controls.finish(submission_id, code)
        return submission_id

    def participant_of(self, submission_id: str) -> str:
        return self.stand_in.world.submissions[submission_id].participant.id

    def _send(self, method: str, target: str, body: Any) -> Told:
        url = urlsplit(self.stand_in.world.base_url)
        connection = HTTPConnection(url.hostname or "", url.port, timeout=PATIENCE_S)
        headers = {"Authorization": f"Token {self.token or self.stand_in.world.token}"}
        sent = None if body is None else json.dumps(body).encode()
        try:
            connection.request(method, target, body=sent, headers=headers)
            answer = connection.getresponse()
            return Told(status=answer.status, body=_read(answer.read()), headers=dict(answer.getheaders()))
        finally:
            connection.close()


def study_fields(**changes: Any) -> dict[str, Any]:
    """What a study needs, for 100 pence and five minutes."""
    fields = {
        "name": "Odd pictures",
        "description": "Say what is odd about a picture.",
        "external_study_url": ENTRY,
        "prolific_id_option": "url_parameters",
        "total_available_places": 2,
        "reward": 100,
        "estimated_completion_time": 5,
        "completion_codes": [
            code(APPROVED_CODE, {"action": "AUTOMATICALLY_APPROVE"}),
            code(REVIEWED_CODE, {"action": "MANUALLY_REVIEW"}),
        ],
    }
    return {**fields, **changes}


def code(text: str, *actions: dict[str, Any], actor: str = "participant") -> dict[str, Any]:
    return {"code": text, "code_type": "COMPLETED", "actions": list(actions), "actor": actor}


def _read(body: bytes) -> Any:
    """The document, or the bytes of what is none."""
    try:
        return json.loads(body) if body else None
    except ValueError:
        return body

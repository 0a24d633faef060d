"""Every operation gets sensible and hostile input, generated from the service model: never a 500."""

import json
import string
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials as AWSCredentials
from botocore.httpsession import URLLib3Session
from botocore.model import ListShape, Shape, StructureShape
from django.apps import apps
from django.conf import LazySettings
from django.db.models import Model
from django.utils import timezone
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from crowd.marketplace import parameter_validation
from crowd.marketplace.database import APP_LABEL
from crowd.marketplace.models import HIT, Assignment, QualificationType
from crowd.marketplace.services.requesters import Credentials
from tests.conftest import Sites
from tests.crowd.marketplace.api import TARGET, hit_input
from tests.crowd.marketplace.rows import accept, hand_in, post_hit
from tests.factories import make_requester

pytestmark = pytest.mark.django_db(transaction=True)

OPERATIONS = sorted(parameter_validation.service_model().operation_names)
NASTY_TEXT = st.sampled_from(
    [
        "",
        "\0",
        "a\0b",
        "\ud800",
        "\udfff x",
        "\x01\x1f",
        "\ufffe",
        "𝔘𝔫𝔦" * 50,
        "x" * 70_000,
        "'; DROP TABLE marketplace_hit; --",
        "<script>alert(1)</script>",
        "%s%n{0}{}${x}",
        "../../etc/passwd",
        "0",
        "-1",
        "1e400",
        "NaN",
        "٠١٢",
        "\n",
        "<ExternalQuestion",
        "<a>" * 1_000,
        "<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>",
    ]
)
NASTY_NUMBERS = st.sampled_from(
    [
        0,
        -1,
        2**31,
        2**63,
        2**64,
        -(2**63) - 1,
        10**300,
        0.5,
        -0.0,
        1e308,
        float("inf"),
        float("-inf"),
        float("nan"),
    ]
)
NUMBERS = st.sampled_from([0, 1, 2, 10, 30, 60, 3_600, 86_400])
ANYTHING = st.recursive(
    st.none() | st.booleans() | NASTY_NUMBERS | NASTY_TEXT | st.text(max_size=10),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
QUICK = settings(
    max_examples=12,
    deadline=None,
    database=None,
    phases=[Phase.explicit, Phase.generate, Phase.shrink],
    suppress_health_check=list(HealthCheck),
)
Send = Callable[..., tuple[int, Any]]


class World:
    """Two requesters with rows of every kind; those of the second must never change."""

    def __init__(self) -> None:
        now = timezone.now()
        self.me, self.other = make_requester(now=now), make_requester(now=now)
        self.ids: list[str] = []
        for credentials in (self.me, self.other):
            self.fill(credentials)
        self.theirs = self.rows_of_other()

    def fill(self, credentials: Credentials) -> None:
        requester, now = credentials.requester, timezone.now()
        for number in range(2):
            hit = post_hit(requester=requester, max_assignments=5, title=f"Task {number}", now=now)
            works = [hand_in(hit, now=now) for _ in range(2)]
            pending = accept(hit, now=now)
            made = QualificationType.objects.create(
                requester=requester, name=f"Type {number}", created_at=now, status="Active"
            )
            self.ids += [hit.external_id, hit.hit_type.external_id, made.external_id]
            for work in (*works, pending):
                self.ids += [work.external_id, work.worker.external_id]

    def rows_of_other(self) -> list[object]:
        requester = self.other.requester
        mine: list[Any] = [
            HIT.objects.filter(requester=requester),
            Assignment.objects.filter(hit__requester=requester),
            QualificationType.objects.filter(requester=requester),
            type(requester).objects.filter(pk=requester.pk),
        ]
        return [list(rows.order_by("pk").values()) for rows in mine]


@pytest.fixture
def world(sites: Sites, settings: LazySettings) -> World:
    settings.MARKETPLACE_KEY_RATE = 0
    return World()


@pytest.fixture
def send(sites: Sites, world: World) -> Send:
    """Send calls that the first requester signs."""
    http = URLLib3Session()
    keys = AWSCredentials(world.me.access_key_id, world.me.secret_access_key)

    def call(operation: str, params: object) -> tuple[int, Any]:
        request = AWSRequest(
            method="POST",
            url=f"{sites.marketplace}/",
            data=json.dumps(params).encode(),
            headers={
                "Content-Type": "application/x-amz-json-1.1",
                "X-Amz-Target": f"{TARGET}.{operation}",
            },
        )
        SigV4Auth(keys, "mturk-requester", "us-east-1").add_auth(request)
        answer = http.send(request.prepare())
        return answer.status_code, read(answer)

    return call


def read(answer: Any) -> Any:
    return (
        json.loads(answer.content)
        if "json" in answer.headers.get("Content-Type", "")
        else answer.content[:300]
    )


def counts() -> dict[str, int]:
    """Number of rows of every model."""
    models: list[type[Model]] = list(apps.get_app_config(APP_LABEL).get_models())
    return {model.__name__: model._default_manager.count() for model in models}


SENSIBLE: dict[str, st.SearchStrategy[Any]] = {
    "boolean": st.booleans(),
    "integer": NUMBERS,
    "long": NUMBERS,
    "timestamp": st.sampled_from([0, 1_800_000_000, 4_000_000_000, "2027-01-01T00:00:00Z", "tomorrow"]),
}


def sensible(shape: Shape, name: str, ids: list[str]) -> st.SearchStrategy[Any]:
    """Values that an honest caller might send for a scalar."""
    if enum := getattr(shape, "enum", None):
        return st.sampled_from(enum)
    known = SENSIBLE.get(shape.type_name)
    return sensible_text(name, ids) if known is None else known


def sensible_text(name: str, ids: list[str]) -> st.SearchStrategy[str]:
    if name in ("Question", "Test", "AnswerKey"):
        return st.just(hit_input()["Question"])
    if name.endswith(("Reward", "Amount")):
        return st.sampled_from(["0.01", "0", "1.00", "99"])
    if name.endswith(("Id", "Ids")):
        return st.sampled_from([*ids, "3NOSUCHTHING", "00000000000000000071", "000000000000000000L0"])
    words = st.text(string.ascii_letters + " ", min_size=1, max_size=9)
    return st.sampled_from(["a", "US", "Known", "AnswerKey"]) | words


def from_shape(shape: Shape, name: str, ids: list[str], *, odds: int) -> st.SearchStrategy[Any]:
    """Values as the service model has them; `odds` in ten are anything."""
    if isinstance(shape, StructureShape):
        wanted = {
            member: from_shape(inner, member, ids, odds=odds) for member, inner in shape.members.items()
        }
        required = {member: wanted[member] for member in shape.required_members}
        optional = {member: value for member, value in wanted.items() if member not in required}
        well = st.fixed_dictionaries(required, optional=optional)
        return mostly(well, well.flatmap(spoiled) | ANYTHING, odds=odds)
    if isinstance(shape, ListShape):
        several = st.lists(from_shape(shape.member, name, ids, odds=odds), max_size=3)
        return mostly(several, ANYTHING, odds=odds)
    return mostly(sensible(shape, name, ids), NASTY_TEXT | NASTY_NUMBERS | ANYTHING, odds=odds)


def mostly(
    usual: st.SearchStrategy[Any], seldom: st.SearchStrategy[Any], *, odds: int
) -> st.SearchStrategy[Any]:
    return st.integers(0, 9).flatmap(lambda number: seldom if number < odds else usual)


def spoiled(params: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Parameters with one member missing, or one too many."""
    fewer = st.sampled_from(sorted(params)) if params else st.just("")
    return fewer.map(lambda name: {key: value for key, value in params.items() if key != name}) | st.tuples(
        st.text(max_size=5), ANYTHING
    ).map(lambda extra: {**params, extra[0]: extra[1]})


def is_answered_well(status: int, body: Any) -> bool:
    if status == 200:
        return isinstance(body, Mapping) and "__type" not in body
    told = isinstance(body, Mapping) and isinstance(body.get("__type"), str)
    return status in (400, 413) and told and bool(body["Message"])


def fuzz(send: Send, world: World, operation: str, profile: settings) -> Counter[int]:
    """Call the operation with generated input; count the statuses of its answers."""
    answered: Counter[int] = Counter()
    model = parameter_validation.operation_model(operation)
    assert model is not None
    shape = model.input_shape
    inputs = ANYTHING
    if shape:
        inputs = from_shape(shape, operation, world.ids, odds=0) | from_shape(
            shape, operation, world.ids, odds=1
        )

    @profile
    @given(inputs)
    def attack(params: object) -> None:
        before = counts()

        status, body = send(operation, params)

        answered[status] += 1
        assert is_answered_well(status, body), (operation, status, body)
        if status != 200:
            assert counts() == before

    attack()
    assert world.rows_of_other() == world.theirs
    return answered


@pytest.mark.parametrize("part", range(3))
def test_every_operation_answers_any_input(send: Send, world: World, part: int) -> None:
    answered = sum((fuzz(send, world, operation, QUICK) for operation in OPERATIONS[part::3]), Counter[int]())

    # Some calls must succeed, or the deeper code was never reached.
    assert answered[200] > 10


@pytest.mark.long
@pytest.mark.parametrize("operation", OPERATIONS)
def test_every_operation_answers_very_many_inputs(send: Send, world: World, operation: str) -> None:
    fuzz(send, world, operation, settings(QUICK, max_examples=500))


HEADER_TEXT = st.text(
    st.characters(min_codepoint=1, max_codepoint=255, exclude_characters="\r\n"), max_size=60
)
TARGETS = st.sampled_from(
    ["", ".", f"{TARGET}.", f"{TARGET}.GetHIT", f"{TARGET}.NoSuch", "Other.GetHIT", f"{TARGET}.__class__"]
)
SIGNED = "SignedHeaders=host;x-amz-date;x-amz-target"
SCOPE = "mturk-requester/aws4_request"
AUTHORIZATIONS = st.sampled_from(
    [
        "",
        "Bearer x",
        "AWS4-HMAC-SHA256 ",
        f"AWS4-HMAC-SHA256 Credential=K/20260101/r/{SCOPE}, {SIGNED}, Signature={'0' * 64}",
        f"AWS4-HMAC-SHA256 Credential=\x7f\xff/99999999/r/{SCOPE}, {SIGNED};;, Signature={'f' * 64}",
    ]
)
DATES = st.sampled_from(
    ["", "20260101T000000Z", "00010101T000000Z", "99991231T235959Z", "now", "20261301T000000Z"]
)
BODIES = st.binary(max_size=200) | st.sampled_from(
    [
        b"",
        b"null",
        b"[]",
        b"{",
        b'{"a":' * 3_000,
        b"[" * 100_000,
        b"\xff\xfe",
        b"1" * 5_000,
        b"{}" + b" " * 1_048_577,
    ]
)
METHODS = st.sampled_from(
    ["POST", "POST", "POST", "GET", "PUT", "DELETE", "PATCH", "OPTIONS", "HEAD", "BREW"]
)


GARBAGE = st.fixed_dictionaries(
    {
        "X-Amz-Target": TARGETS | HEADER_TEXT,
        "Authorization": AUTHORIZATIONS | HEADER_TEXT,
        "X-Amz-Date": DATES | HEADER_TEXT,
    }
)


def test_unsigned_garbage_is_refused(sites: Sites, world: World) -> None:
    http = URLLib3Session()
    before = counts()

    @settings(QUICK, max_examples=120)
    @given(METHODS, GARBAGE, BODIES, HEADER_TEXT)
    def attack(method: str, headers: dict[str, str], body: bytes, query: str) -> None:
        request = AWSRequest(
            method=method, url=f"{sites.marketplace}/", data=body, params={"q": query}, headers=headers
        )

        answer = http.send(request.prepare())

        if method == "POST":
            assert answer.status_code != 200
            assert is_answered_well(answer.status_code, read(answer)), (answer.status_code, answer.content)
        else:
            assert answer.status_code in (200, 400, 405)

    attack()
    assert counts() == before

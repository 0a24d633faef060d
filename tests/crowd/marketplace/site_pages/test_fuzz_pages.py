"""Every address of the marketplace's hosts gets hostile input, as nobody, worker or operator: no 500."""

import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

import pytest
from django.conf import LazySettings
from django.conf import settings as product
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver
from django.utils import timezone
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from crowd.marketplace.desk.session import COOKIE as OPERATOR_COOKIE
from crowd.marketplace.services import operators, worker_sign_in
from crowd.marketplace.site.session import COOKIE as WORKER_COOKIE
from tests.crowd.marketplace.control_calls import CONTROL_KEY
from tests.crowd.marketplace.rows import accept, hand_in, post_hit
from tests.factories import invite

pytestmark = pytest.mark.django_db

HOSTS = {
    "crowd.marketplace.urls": "MARKETPLACE_URL",
    "crowd.marketplace.content.urls": "MARKETPLACE_CONTENT_URL",
}
PLACE = re.compile(r"<(?:\w+:)?\w+>")
NASTY = [
    "",
    "0",
    "-1",
    "1",
    "9" * 30,
    "1e400",
    "NaN",
    "1~2",
    "a\0b",
    "\0",
    "\ud800",
    "\x01\x1f",
    "é",
    "𝔘",
    "٣",
    "x" * 5_000,
    "..",
    "%00",
    "%",
    "'\"<b>",
    "a:b:c",
    "//evil.example",
    "\\",
    "\r\nX: y",
    "http://evil.example/",
    "[",
    "{}",
]
FIELDS = """
page after before q sort status type next name value amount note password sign_in_name token deed
assignmentId workerId hitId turkSubmitTo names reference fee_schedule html frame_height country
subdivision worker requester key answer reason language
""".split()  # noqa: SIM905 (a list of thirty lines tells no more)
METHODS = ["GET", "GET", "POST", "POST", "HEAD", "PUT", "DELETE", "OPTIONS"]
QUICK = settings(
    max_examples=300,
    deadline=None,
    database=None,
    phases=[Phase.explicit, Phase.generate, Phase.shrink],
    suppress_health_check=list(HealthCheck),
)


def host_of(product: LazySettings, urlconf: str) -> str:
    """The host of a site; any requester's, where each has one."""
    site: str = getattr(product, HOSTS[urlconf])
    return urlsplit(site).netloc.replace("*", "a1")


def routes(urlconf: str) -> list[str]:
    """All routes of the URL configuration, so that an address added tomorrow is attacked tomorrow."""
    return sorted(set(_walk(get_resolver(urlconf).url_patterns, "")))


def _walk(patterns: list[Any], prefix: str) -> Iterator[str]:
    for pattern in patterns:
        route = prefix + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from _walk(pattern.url_patterns, route)
        elif isinstance(pattern, URLPattern):
            yield route


ADDRESSES = [(urlconf, route) for urlconf in HOSTS for route in routes(urlconf)]


class World:
    """Rows whose ids are mixed into addresses, and the cookies of those who visit them."""

    def __init__(self) -> None:
        now = timezone.now()
        worker, invitation = invite(now=now)
        hit = post_hit(max_assignments=3, now=now)
        done = hand_in(hit, worker=worker, now=now)
        pending = accept(post_hit(title="Another", max_assignments=3, now=now), worker=worker, now=now)
        operator = operators.make_operator(sign_in_name="desk", password="long enough", now=now)
        self.parts = [
            invitation,
            worker.external_id,
            str(worker.pk),
            hit.external_id,
            hit.hit_type.external_id,
            hit.requester.external_id,
            done.external_id,
            pending.external_id,
            "1",
            "clock",
            "state",
            "simulate",
        ]
        self.cookies = [
            {},
            {WORKER_COOKIE: worker_sign_in.sign_in(worker=worker, now=now)},
            {OPERATOR_COOKIE: operators.open_session(operator, now=now)},
            {WORKER_COOKIE: "forged", OPERATOR_COOKIE: "forged"},
        ]


def part_of_path(text: str) -> str:
    return quote(text.encode(errors="surrogatepass"), safe="")


def attack(world: World, data: st.DataObject) -> None:
    urlconf, route = data.draw(st.sampled_from(ADDRESSES))
    value = st.sampled_from(world.parts) | st.sampled_from(NASTY) | st.text(max_size=8)
    path = "/" + PLACE.sub(lambda _: part_of_path(data.draw(value)), route)
    form = data.draw(st.dictionaries(st.sampled_from(FIELDS) | st.text(max_size=5), value, max_size=5))
    method = data.draw(st.sampled_from(METHODS))
    client = Client(HTTP_HOST=host_of(product, urlconf))
    for name, cookie in data.draw(st.sampled_from(world.cookies)).items():
        client.cookies[name] = cookie
    written = urlencode(
        {k: v.encode(errors="surrogatepass") for k, v in form.items()}, errors="surrogatepass"
    )
    in_body = method in ("POST", "PUT")

    response = client.generic(
        method,
        path,
        data=written if in_body else "",
        content_type="application/x-www-form-urlencoded",
        query_string="" if in_body else written,
        headers={"X-Control-Key": CONTROL_KEY},
    )

    assert response.status_code < 500, (method, path, form)


def play(profile: settings) -> None:
    world = World()

    @profile
    @given(st.data())
    def run(data: st.DataObject) -> None:
        attack(world, data)

    run()


@pytest.fixture(autouse=True)
def _open(settings: LazySettings) -> None:
    """Switch the control API and the registration on, so that they are attacked too."""
    settings.MARKETPLACE_CONTROL_KEY = CONTROL_KEY
    settings.MARKETPLACE_OPEN_REGISTRATION = True
    settings.MARKETPLACE_KEY_RATE = settings.MARKETPLACE_WORKER_RATE = 0


def test_every_page_answers_any_input() -> None:
    play(QUICK)


@pytest.mark.long
def test_every_page_answers_very_many_inputs() -> None:
    play(settings(QUICK, max_examples=20_000))


def test_every_page_answers_ids_that_exist() -> None:
    """Each address is read and written by those who may use it, and once by nobody."""
    world = World()
    nobody, worker, operator, _ = world.cookies

    for urlconf, route in ADDRESSES:
        parts = world.parts if "<" in route else world.parts[:1]
        insider = operator if route.startswith("desk/") else worker
        for cookies, part in [(nobody, parts[0]), *((insider, part) for part in parts)]:
            client = Client(HTTP_HOST=host_of(product, urlconf))
            for name, cookie in cookies.items():
                client.cookies[name] = cookie
            path = "/" + PLACE.sub(part_of_path(part), route)
            assert (client.get(path).status_code < 500, client.post(path).status_code < 500) == (True, True)


def test_pages_were_found() -> None:
    assert len(ADDRESSES) > 20

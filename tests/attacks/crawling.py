"""A reader of a whole site, which follows every link, and asks every address of its URL list."""

import re
from collections import defaultdict, deque
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any
from urllib.parse import parse_qsl, urljoin, urlsplit

from django.conf import settings
from django.contrib.staticfiles import finders
from django.test import Client
from django.urls import Resolver404, URLPattern, URLResolver, get_resolver, resolve

PLACE = re.compile(r"<(?:(?P<kind>\w+):)?(?P<name>\w+)>")
# What a static file's name holds of its content.
DIGEST = re.compile(r"\.[0-9a-f]{12}(?=\.\w+$)")
# Number of different queries for one address, and of tries of an address that answers with no page.
QUERIES, TRIES = 2, 5
# Django's own redirect from a model's name to its page, and pages that would end the session.
LEFT_OUT = ("admin/r/", "logout", "sign-out", "jsi18n")


@dataclass(frozen=True, kw_only=True)
class Page:
    address: str
    route: str
    status: int
    kind: str
    content: bytes
    headers: dict[str, str]

    @property
    def text(self) -> str:
        return self.content.decode(errors="replace")

    @property
    def is_html(self) -> bool:
        return "html" in self.kind


@dataclass(kw_only=True)
class Reading:
    """Everything that a site has answered, by route."""

    pages: list[Page] = field(default_factory=list)
    # Addresses on the same site that a page links to, each with the first page that does.
    linked: dict[str, str] = field(default_factory=dict)
    urlconf: str = ""

    @property
    def shown(self) -> list[Page]:
        return [page for page in self.pages if page.status == 200]

    @property
    def broken(self) -> list[str]:
        return [page.address for page in self.pages if page.status >= 500]

    @property
    def dead(self) -> dict[str, str]:
        """Links to what is not there, or not for this reader, each with the page that has it.

        Of links to one route only some are followed.
        """
        gone = {page.address for page in self.pages if page.status in (403, 404)}
        return {
            link: origin
            for link, origin in self.linked.items()
            if link in gone or not _is_anywhere(urlsplit(link).path, self.urlconf)
        }

    @property
    def unseen(self) -> list[str]:
        """Routes of pages that answered with 404 only: the row that they are about is missing."""
        answers: defaultdict[str, set[int]] = defaultdict(set)
        for page in self.pages:
            answers[page.route].add(page.status)
        return sorted(route for route, statuses in answers.items() if statuses == {404})


def read_site(client: Client, *, urlconf: str, starts: Collection[str]) -> Reading:
    """Read the start addresses, and everything on the same site that is linked from there."""
    certain = set(starts)
    reading = Reading(urlconf=urlconf)
    asked: defaultdict[str, list[tuple[frozenset[str], int]]] = defaultdict(list)
    waiting = deque(dict.fromkeys(starts))
    known = set(waiting)
    while waiting:
        address = waiting.popleft()
        route, query = route_of(address, urlconf), query_names(address)
        if not route or (address not in certain and not _is_new(query, asked[route])):
            continue
        page = _ask(client, address, route)
        asked[route].append((query, page.status))
        reading.pages.append(page)
        links = links_of(page)
        for link in links_of(page, names=("href", "src")):
            if link != address:
                reading.linked.setdefault(link, address)
        news = [link for link in links if link not in known]
        known.update(news)
        waiting.extend(news)
    return reading


def _is_anywhere(path: str, urlconf: str) -> bool:
    if path.startswith(settings.STATIC_URL):
        return finders.find(DIGEST.sub("", path.removeprefix(settings.STATIC_URL))) is not None
    try:
        resolve(path, urlconf)
    except Resolver404:
        return False
    return True


def route_of(address: str, urlconf: str) -> str:
    """The route of an address; empty if it is no page of this site, or is left out."""
    try:
        route = resolve(urlsplit(address).path, urlconf).route
    except Resolver404:
        return ""
    return "" if any(part in route for part in LEFT_OUT) else route or "/"


def query_names(address: str) -> frozenset[str]:
    return frozenset(name for name, _ in parse_qsl(urlsplit(address).query))


def links_of(page: Page, *, names: Collection[str] = ("href", "src", "action")) -> list[str]:
    if 300 <= page.status < 400:
        found = [page.headers.get("Location", "")]
    elif page.is_html:
        reader = _Links(names)
        reader.feed(page.text)
        found = reader.found
    else:
        return []
    joined = (urljoin(page.address, link).partition("#")[0] for link in found)
    return list(dict.fromkeys(link for link in joined if link.startswith("/")))


def routes(urlconf: str) -> Iterator[str]:
    return (route for route, _ in patterns(urlconf))


def patterns(urlconf: str) -> Iterator[tuple[str, URLPattern]]:
    yield from _walk(get_resolver(urlconf).url_patterns, "")


def _walk(found: Collection[Any], before: str) -> Iterator[tuple[str, URLPattern]]:
    for pattern in found:
        route = before + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from _walk(pattern.url_patterns, route)
        elif isinstance(pattern, URLPattern):
            yield route, pattern


def _is_new(query: frozenset[str], before: list[tuple[frozenset[str], int]]) -> bool:
    seen = {names for names, status in before if status == 200}
    return query not in seen and len(seen) < QUERIES and len(before) < TRIES


def _ask(client: Client, address: str, route: str) -> Page:
    answer: Any = client.get(address)
    return page_of(answer, address=address, route=route)


def page_of(answer: Any, *, address: str, route: str) -> Page:
    content = answer.getvalue()
    if file := getattr(answer, "file_to_stream", None):
        file.close()
    return Page(
        address=address,
        route=route,
        status=answer.status_code,
        kind=answer.headers.get("Content-Type", ""),
        content=content,
        headers=dict(answer.headers),
    )


class _Links(HTMLParser):
    def __init__(self, names: Collection[str]) -> None:
        super().__init__()
        self.found: list[str] = []
        self._names = names

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found += [value for name, value in attrs if name in self._names and value]

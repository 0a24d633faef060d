"""Addresses for machines that look after this process: they ask it by any host name, and are not logged."""

from collections.abc import Callable, Iterator

from django.conf import settings
from django.db import DatabaseError, connections
from django.http import HttpRequest, HttpResponse, JsonResponse

from config.start_checks import missing_migrations
from config.watching.metrics_page import metrics

GetResponse = Callable[[HttpRequest], HttpResponse]
# Databases that were seen with every migration of this code: none is ever taken back while it runs.
_laid: set[str] = set()


class Probes:
    """Middleware in front of all others: a container is asked at its own address, which no site has."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        probe = PROBES.get(request.path)
        answer = probe(request) if probe else None
        return answer if answer is not None else self.get_response(request)


def live(request: HttpRequest) -> HttpResponse:
    """Answer that this process answers, whatever else is away: starting it anew would help nothing else."""
    return JsonResponse({"ok": True})


def ready(request: HttpRequest) -> HttpResponse:
    """Answer whether this process can serve: otherwise its visitors should be sent to another."""
    problems = list(problems_of_readiness())
    return JsonResponse({"ok": not problems, "problems": problems}, status=503 if problems else 200)


def problems_of_readiness() -> Iterator[str]:
    for alias in own_databases():
        if problem := _problem_of_database(alias):
            yield f"database {alias}: {problem}"
    if problem := _problem_of_broker():
        yield f"broker: {problem}"


def own_databases() -> list[str]:
    aliases = [] if settings.MARKETPLACE_ALONE else ["default"]
    return [*aliases, "marketplace"] if settings.MARKETPLACE_IS_HERE else aliases


def _problem_of_database(alias: str) -> str:
    connection = connections[alias]
    try:
        if alias not in _laid:
            if missing := missing_migrations(connection):
                return f"{len(missing)} migrations missing"
            _laid.add(alias)
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError:
        return "no answer"
    return ""


def _problem_of_broker() -> str:
    if not settings.REDIS_URL:
        return ""  # a folder beside the databases
    from redis import Redis  # noqa: PLC0415 - slow to load
    from redis.exceptions import RedisError  # noqa: PLC0415 - as above

    try:
        with Redis.from_url(settings.REDIS_URL, socket_timeout=2, socket_connect_timeout=2) as client:
            client.ping()
    except (RedisError, OSError):
        return "no answer"
    return ""


PROBES: dict[str, Callable[[HttpRequest], HttpResponse | None]] = {
    "/health/live/": live,
    "/health/ready/": ready,
    "/metrics": metrics,
}

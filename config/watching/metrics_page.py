"""The page that Prometheus reads: what processes have counted, and what rows say now."""

from collections.abc import Iterator
from datetime import datetime
from secrets import compare_digest
from typing import TYPE_CHECKING

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from config.watching import kept_counts
from hits.common.watching.row_gauges import read_gauges

if TYPE_CHECKING:
    from prometheus_client import Metric

REALM = 'Bearer realm="metrics"'


def metrics(request: HttpRequest) -> HttpResponse | None:
    """Answer whoever brings the token; without a token in the settings there is no such page."""
    if not settings.METRICS_TOKEN:
        return None
    brought = request.headers.get("Authorization", "").encode()
    if not compare_digest(brought, f"Bearer {settings.METRICS_TOKEN}".encode()):
        return HttpResponse(status=401, headers={"WWW-Authenticate": REALM})
    from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4, generate_latest  # noqa: PLC0415

    return HttpResponse(
        generate_latest(Everything(now=timezone.now())), content_type=CONTENT_TYPE_PLAIN_0_0_4
    )


class Everything:
    """All metrics, as prometheus_client takes them from a registry."""

    def __init__(self, *, now: datetime) -> None:
        self._now = now

    def collect(self) -> "Iterator[Metric]":
        from prometheus_client.core import GaugeMetricFamily  # noqa: PLC0415 - slow to load

        yield from kept_counts.counted()
        for gauge, numbers in read_gauges(now=self._now).found.items():
            family = GaugeMetricFamily(gauge.name, gauge.words, labels=gauge.labels)
            for values, number in numbers.items():
                family.add_metric(values, number)
            yield family

"""Failures are told to a service that speaks Sentry's protocol, if the settings name one.

What is told is put together here from a list of what may be: the type of the failure, the places in the
code, the name of the line in the log and its reference. Nothing of a request, of a row or of a variable is in
it, nor are the failure's own words, which may repeat a value.
"""

import logging
from collections.abc import Iterable, Mapping
from typing import Any

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from structlog.contextvars import get_contextvars

ABOUT = ("event_id", "timestamp", "level", "platform", "environment", "release")
OF_A_FRAME = (
    "filename",
    "function",
    "module",
    "lineno",
    "in_app",
    "pre_context",
    "context_line",
    "post_context",
)
TAGS = ("reference", "sweep")


def connect() -> None:
    """Tell of every line of the log that is an error. Raises ImproperlyConfigured without the client."""
    try:
        import sentry_sdk  # noqa: PLC0415 - installed and loaded only where it is used
        from sentry_sdk.integrations.atexit import AtexitIntegration  # noqa: PLC0415
        from sentry_sdk.integrations.logging import LoggingIntegration  # noqa: PLC0415
    except ModuleNotFoundError:
        raise ImproperlyConfigured(
            "CROWD_ERRORS_DSN is set, but its client is not installed: run `uv sync` with `--group errors`."
        ) from None
    sentry_sdk.init(
        dsn=settings.ERRORS_DSN,
        default_integrations=False,
        auto_enabling_integrations=False,
        integrations=[
            LoggingIntegration(level=None, event_level=logging.ERROR),
            AtexitIntegration(callback=lambda *_: None),
        ],
        before_send=keep_what_may_be_told,
        include_local_variables=False,
        max_breadcrumbs=0,
        auto_session_tracking=False,
        send_client_reports=False,
    )


def keep_what_may_be_told(event: Mapping[str, Any], hint: Mapping[str, Any]) -> Any:
    kept = {name: event[name] for name in ABOUT if name in event}
    kept["message"] = _name_of(hint.get("log_record"))
    kept["tags"] = {name: value for name, value in get_contextvars().items() if name in TAGS}
    raised = (event.get("exception") or {}).get("values") or ()
    kept["exception"] = {"values": [_failure(one) for one in raised]}
    return kept


def _name_of(record: logging.LogRecord | None) -> str:
    """Return the constant name of a line of our own. Other lines are named by their logger."""
    if record is None:
        return "failed"
    line = record.msg if isinstance(record.msg, dict) else {}
    return str(line.get("event", f"{record.name}.failed"))


def _failure(raised: Mapping[str, Any]) -> dict[str, Any]:
    frames = (raised.get("stacktrace") or {}).get("frames") or ()
    return {
        "type": raised.get("type"),
        "module": raised.get("module"),
        "stacktrace": {"frames": list(_frames(frames))},
    }


def _frames(frames: Iterable[Mapping[str, Any]]) -> Iterable[dict[str, Any]]:
    return ({name: frame[name] for name in OF_A_FRAME if name in frame} for frame in frames)

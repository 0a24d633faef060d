"""Logs are one JSON object a line on standard error; nothing in them names a person."""

import logging
import re
import sys
from pathlib import Path

import structlog

# Signs in a line, in either form of the log, that something unforeseen went wrong.
SIGNS_OF_TROUBLE = ('"level": "error"', '"level": "critical"', "Traceback (most recent call last)")
# PostgreSQL repeats here the values of the row that it refused, such as a name or an address.
VALUES = re.compile(r"(?<=\bDETAIL:).*")


def configure_logs(*, human: bool) -> None:
    renderer = structlog.dev.ConsoleRenderer() if human else structlog.processors.JSONRenderer(sort_keys=True)
    shared: list[structlog.typing.Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso"),
    ]
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=True,
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                structlog.processors.format_exc_info,
                leave_out_values,
                renderer,
            ],
        )
    )
    logging.basicConfig(handlers=[handler], level=logging.INFO, force=True)
    for noisy in ("celery", "kombu", "botocore", "urllib3", "sentence_transformers"):
        logging.getLogger(noisy).setLevel(logging.WARNING)
    for names_paths in ("django.request", "django.security.csrf"):
        logging.getLogger(names_paths).addFilter(_leave_out_the_path)
    logging.getLogger("django.request").setLevel(logging.ERROR)


def leave_out_values(_: object, __: str, line: structlog.typing.EventDict) -> structlog.typing.EventDict:
    if "exception" in line:
        line["exception"] = VALUES.sub(" left out", str(line["exception"]))
    return line


def count_troubles(log: Path) -> int:
    """How many lines of a log report an error; each is one line of JSON, with its traceback."""
    with log.open(errors="replace") as lines:
        return sum(any(sign in line for sign in SIGNS_OF_TROUBLE) for line in lines)


def _leave_out_the_path(record: logging.LogRecord) -> bool:
    """Remove the path, which may carry invitations and signed addresses; the traceback stays."""
    record.msg, record.args = f"{record.name}.failed", ()
    return True

"""Checks whether background work is done, from what its dispatcher wrote down. They ask no database."""

import time
from collections.abc import Iterator

from django.conf import settings

from hits.common.channels import Channel, Pipes
from hits.common.health.findings import Finding
from hits.common.pulses import Pulse, read_pulse

# A dispatcher writes down what it knows at least once a minute, and has every sweep run in six.
SILENT_S, IDLE_S = 150, 600
# A sweep that was started and has not reported for so long: its worker is away, or it has much to do.
LATE_S = 180
# One that fails is run again after its rest, and may be well then.
FAILING_S = 60
MINUTES_FROM_S, HOURS_FROM_S = 120, 7200
BACKGROUND = "background work"


def check_background(channel: Channel) -> Iterator[Finding]:
    """Check that sweeps are dispatched, and that each is run when it is started."""
    now = time.time()
    pulse = read_pulse(channel.kept())
    # On one machine it shows at once when nobody listens.
    is_silent = isinstance(channel, Pipes) and not channel.is_heard()
    if pulse is None or is_silent or now - pulse.at > SILENT_S:
        saw = f"none is started; last seen {in_words(now - pulse.at)} ago" if pulse else "never started here"
        command = "manage.py serve" if settings.EMBEDDED else "celery --app config beat"
        yield Finding(name=BACKGROUND, ok=False, saw=saw, advice=f"Start {command}.")
        return
    done = f"last done {in_words(now - pulse.done_at)} ago" if pulse.done_at else "started, and never done"
    is_done = bool(pulse.done_at) and now - (pulse.done_at or 0) < IDLE_S
    advice = "" if is_done else "Look whether the workers run, and what is in their log."
    yield Finding(name=BACKGROUND, ok=is_done, saw=done, advice=advice)
    yield _check_sweeps(pulse, now=now)


def _check_sweeps(pulse: Pulse, *, now: float) -> Finding:
    kinds = {"late": (pulse.unanswered, LATE_S), "failing": (pulse.failing, FAILING_S)}
    wrong = [
        f"{sweep} {kind} for {in_words(now - since)}"
        for kind, (known, most_s) in kinds.items()
        for sweep, since in sorted(known.items())
        if now - since > most_s
    ]
    if not wrong:
        return Finding(name="sweeps", ok=True, saw="on time")
    advice = "Look for these names in the log of the background process"
    advice += (
        "." if settings.EMBEDDED else ", and whether a worker takes their queue (default, money, rival)."
    )
    return Finding(name="sweeps", ok=False, saw="; ".join(wrong), advice=advice)


def in_words(seconds: float) -> str:
    if seconds < MINUTES_FROM_S:
        return f"{max(0, seconds):.0f} s"
    return f"{seconds / 60:.0f} minutes" if seconds < HOURS_FROM_S else f"{seconds / 3600:.0f} hours"

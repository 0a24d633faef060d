"""Whether there is a copy of the last days, and one that was tried."""

from datetime import timedelta

from django.core.management import CommandError
from django.utils import timezone

from config.copies.copy_records import last_copy, last_drill
from config.copies.encryption import read_recipients
from hits.common.health.findings import Finding

OLD_COPY = timedelta(days=2)


def check_copies() -> Finding:
    """Check that there is a copy of the last days. An installation that has none may be copied otherwise."""
    try:
        read_recipients([])
    except CommandError as error:
        return Finding(name="copies", ok=False, saw=str(error), advice="Correct CROWD_BACKUP_RECIPIENTS.")
    made_at, drilled_at = last_copy(), last_drill()
    if made_at is None:
        return Finding(name="copies", ok=True, saw="none was made by manage.py backup", is_off=True)
    drilled = f"last drilled {drilled_at:%Y-%m-%d}" if drilled_at else "never drilled"
    saw = f"the last of {made_at:%Y-%m-%d %H:%M} UTC, {drilled}"
    if (age := timezone.now() - made_at) > OLD_COPY:
        advice = "Run manage.py backup, and look why it did not run by itself."
        return Finding(name="copies", ok=False, saw=f"no copy for {age.days} days: {saw}", advice=advice)
    return Finding(name="copies", ok=True, saw=saw)

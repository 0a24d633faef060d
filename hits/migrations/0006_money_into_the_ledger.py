"""What the ledger would hold if there had been one: budgets, reservations, bonuses. Rewards are swept later."""

from django.db import migrations
from django.utils import timezone

from hits.identity.roles import extend_roles

# The steps that a bonus in this state has been through.
STEPS = {
    "owed": (),
    "approved": (),  # by one person alone: it is owed again
    "sending": ("approved",),
    "unknown": ("approved",),
    "refused": ("approved",),
    "sent": ("approved", "sent"),
    "confirmed": ("approved", "sent", "confirmed"),
}
BEFORE = {"approved": "owed", "sent": "approved", "confirmed": "sent"}


def decide_anew(apps, schema_editor):
    """One person's approval is not enough any more. What is on its way stays on it."""
    bonus = apps.get_model("hits", "Bonus")
    bonus.objects.filter(status="approved").update(status="owed", approved_by=None, approved_at=None)
    bonus.objects.filter(status="refused", approved_by=None).update(status="owed")
    bonus.objects.exclude(status="owed").update(before_runs=True)


def open_books(apps, schema_editor):
    """Each study's, with the moments at which things happened as far as they are known."""
    entry, now = apps.get_model("hits", "LedgerEntry"), timezone.now()
    for study in apps.get_model("hits", "Study").objects.exclude(budget=None).exclude(budget=0):
        entry.objects.create(
            study=study, kind="granted", source="grant", target="budget", amount=study.budget,
            grant_code=study.grant_code, words="Opening of the books", at=now,
        )  # fmt: skip
    for row in apps.get_model("hits", "BudgetEntry").objects.select_related("study").order_by("pk").iterator():
        back = row.amount < 0
        entry.objects.create(
            study=row.study, batch_id=row.batch_id, kind="released" if back else "reserved",
            source="reserved" if back else "budget", target="released" if back else "reserved",
            amount=abs(row.amount), grant_code=row.study.grant_code, words=row.words, by_id=row.by_id, at=row.at,
        )  # fmt: skip
    bonuses = apps.get_model("hits", "Bonus").objects.select_related("assignment__hit__batch__study")
    for bonus in bonuses.order_by("pk").iterator():
        batch = bonus.assignment.hit.batch
        facts = {
            "study": batch.study, "batch": batch, "assignment": bonus.assignment, "bonus": bonus,
            "amount": bonus.amount, "grant_code": batch.study.grant_code,
        }  # fmt: skip
        entry.objects.create(**facts, kind="owed", source="reserved", target="owed", at=bonus.owed_at)
        for step in STEPS[bonus.status]:
            at = getattr(bonus, f"{step}_at") or now
            entry.objects.create(**facts, kind=step, source=BEFORE[step], target=step, at=at)


def extend(apps, schema_editor):
    """Who could approve bonuses can approve runs now."""
    old = apps.get_model("auth", "Permission").objects.filter(
        content_type__app_label="hits", codename="approve_bonus"
    )
    old.delete()
    extend_roles(apps)


class Migration(migrations.Migration):
    dependencies = [("hits", "0005_payments")]
    operations = [
        migrations.RunPython(decide_anew, migrations.RunPython.noop, elidable=True),
        migrations.RunPython(open_books, migrations.RunPython.noop, elidable=True),
        migrations.RunPython(extend, migrations.RunPython.noop),
    ]

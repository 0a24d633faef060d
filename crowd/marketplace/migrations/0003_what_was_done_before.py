"""Fills what a marketplace that was running before keeps count of from now on."""

from collections import defaultdict
from decimal import Decimal

from django.db import migrations
from django.db.models import Count, Exists, OuterRef, Q


def list_types(apps, schema_editor):
    alias = schema_editor.connection.alias
    HIT = apps.get_model("marketplace", "HIT")
    open_hits = HIT.objects.using(alias).filter(hit_type=OuterRef("pk"), closed_at=None)
    HITType = apps.get_model("marketplace", "HITType")
    HITType.objects.using(alias).filter(Exists(open_hits)).update(is_listed=True)


def count_work(apps, schema_editor):
    """Summed here: SQLite would add decimals as floats."""
    alias = schema_editor.connection.alias
    Worker = apps.get_model("marketplace", "Worker")
    Assignment = apps.get_model("marketplace", "Assignment")
    BonusPayment = apps.get_model("marketplace", "BonusPayment")
    earned = defaultdict(Decimal)
    approved = Assignment.objects.using(alias).filter(status="Approved")
    for worker_id, reward in approved.values_list("worker_id", "hit__hit_type__reward").iterator():
        earned[worker_id] += reward
    for worker_id, amount in BonusPayment.objects.using(alias).values_list("worker_id", "amount").iterator():
        earned[worker_id] += amount
    done = Q(assignments__status__in=("Submitted", "Approved", "Rejected"))
    counted = Worker.objects.using(alias).annotate(
        done=Count("assignments", filter=done),
        good=Count("assignments", filter=Q(assignments__status="Approved")),
        bad=Count("assignments", filter=Q(assignments__status="Rejected")),
    )
    for worker in counted.iterator():
        Worker.objects.using(alias).filter(pk=worker.pk).update(
            submitted=worker.done,
            approved=worker.good,
            rejected=worker.bad,
            earned=earned[worker.pk],
            owed=earned[worker.pk],
        )


def sum_what_is_held(apps, schema_editor):
    alias = schema_editor.connection.alias
    held = defaultdict(Decimal)
    entries = apps.get_model("marketplace", "LedgerEntry").objects.using(alias).filter(account="held")
    for requester_id, amount in entries.values_list("requester_id", "amount").iterator():
        held[requester_id] += amount
    Requester = apps.get_model("marketplace", "Requester")
    for requester_id, amount in held.items():
        Requester.objects.using(alias).filter(pk=requester_id).update(on_hold=amount)


class Migration(migrations.Migration):
    dependencies = [("marketplace", "0002_the_whole_service")]

    operations = [
        migrations.RunPython(list_types, migrations.RunPython.noop, elidable=True),
        migrations.RunPython(count_work, migrations.RunPython.noop, elidable=True),
        migrations.RunPython(sum_what_is_held, migrations.RunPython.noop, elidable=True),
    ]

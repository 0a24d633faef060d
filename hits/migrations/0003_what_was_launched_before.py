"""Brings rows of the first release along: places, numbers, terms, and who sees which study."""

from django.db import migrations
from django.db.models import F, OuterRef, Subquery, Window
from django.db.models.functions import Now, RowNumber

LOOK = ("open",)


def fill_hits(apps, schema_editor):
    HIT, Batch = apps.get_model("hits", "HIT"), apps.get_model("hits", "Batch")
    places = Batch.objects.filter(pk=OuterRef("batch")).values("assignments_per_hit")
    HIT.objects.update(max_assignments=Subquery(places))
    HIT.objects.filter(status__in=LOOK).update(look_at=Now())
    ranked = HIT.objects.annotate(rank=Window(RowNumber(), partition_by=F("batch"), order_by=F("pk").asc()))
    for hit in ranked.values("pk", "rank").iterator():
        HIT.objects.filter(pk=hit["pk"]).update(number=hit["rank"])


def freeze_terms(apps, schema_editor):
    for batch in apps.get_model("hits", "Batch").objects.exclude(launched_at=None).select_related("study", "account"):
        batch.terms = {
            "bonus_rules": batch.study.bonus_rules,
            "fee_schedule": batch.account.fee_schedule,
            "exclude_batches": [],
        }
        batch.is_stale = True
        batch.save(update_fields=["terms", "is_stale"])


def add_members(apps, schema_editor):
    """Until now everybody in the admin saw every study."""
    staff = list(apps.get_model("hits", "User").objects.filter(is_staff=True))
    for study in apps.get_model("hits", "Study").objects.all():
        study.members.add(*staff)


class Migration(migrations.Migration):
    dependencies = [("hits", "0002_researchers_launch_watch_and_review")]
    operations = [
        migrations.RunPython(fill_hits, migrations.RunPython.noop, elidable=True),
        migrations.RunPython(freeze_terms, migrations.RunPython.noop, elidable=True),
        migrations.RunPython(add_members, migrations.RunPython.noop, elidable=True),
    ]

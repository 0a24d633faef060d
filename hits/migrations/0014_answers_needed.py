from django.db import migrations, models
from django.db.models import Count, F, OuterRef, Subquery
from django.db.models.functions import Coalesce


def count_needed(apps, schema_editor):
    """Those that are still wanted, and those that are there or coming."""
    item, lease = apps.get_model("hits", "Item"), apps.get_model("hits", "Lease")
    held = lease.objects.filter(item=OuterRef("pk")).exclude(status="released").order_by()
    counted = held.values("item").annotate(count=Count("pk")).values("count")
    item.objects.update(answers_needed=F("wanted") + Coalesce(Subquery(counted), 0))


class Migration(migrations.Migration):
    dependencies = [("hits", "0013_what_a_provider_calls_itself")]

    operations = [
        migrations.AddField("item", "answers_needed", models.PositiveSmallIntegerField(db_default=0, default=0)),
        migrations.RunPython(count_needed, migrations.RunPython.noop),
    ]

import django.utils.timezone
from django.db import migrations, models


class Migration(migrations.Migration):
    """Of the rows that are there already nobody knows it: no moment, rather than that of the migration."""

    dependencies = [("hits", "0009_role_grants")]

    operations = [
        migrations.AddField(
            model_name="hit",
            name="made_at",
            field=models.DateTimeField(editable=False, null=True),
        ),
        migrations.AlterField(
            model_name="hit",
            name="made_at",
            field=models.DateTimeField(default=django.utils.timezone.now, editable=False, null=True),
        ),
    ]

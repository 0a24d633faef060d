from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("winogavil_play", "0003_accounts_named_after_their_studies"),
    ]

    operations = [
        migrations.AddField(
            model_name="turn",
            name="score",
            field=models.PositiveSmallIntegerField(null=True),
        ),
        migrations.AddField(
            model_name="turn",
            name="days_in_row",
            field=models.PositiveSmallIntegerField(db_default=0, default=0),
        ),
        migrations.AddField(
            model_name="turn",
            name="right_in_row",
            field=models.PositiveSmallIntegerField(db_default=0, default=0),
        ),
        migrations.AddField(
            model_name="turn",
            name="shared_as",
            field=models.UUIDField(editable=False, null=True, unique=True),
        ),
    ]

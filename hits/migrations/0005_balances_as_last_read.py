from django.db import migrations, models


def take_over(apps, schema_editor):
    """Until now the balance of the last comparison was the one shown."""
    matches = apps.get_model("hits", "Match").objects.filter(status="done").exclude(balance=None)
    for account in apps.get_model("hits", "Account").objects.all():
        if last := matches.filter(account=account).order_by("-pk").first():
            account.balance, account.balance_read_at = last.balance, last.ended_at
            account.save(update_fields=["balance", "balance_read_at"])


class Migration(migrations.Migration):
    dependencies = [
        ("hits", "0004_studies_start_without_a_bonus_table"),
    ]

    operations = [
        migrations.AddField(
            model_name="account",
            name="balance",
            field=models.DecimalField(decimal_places=2, editable=False, max_digits=13, null=True),
        ),
        migrations.AddField(
            model_name="account",
            name="balance_read_at",
            field=models.DateTimeField(editable=False, null=True),
        ),
        migrations.RunPython(take_over, migrations.RunPython.noop),
    ]

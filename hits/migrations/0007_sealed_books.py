"""From here on two people decide on every bonus, and what is booked stays as it is."""

import django.db.models.query_utils
from django.db import migrations, models

from hits.core.append_only import seal

SEALED = ("hits_ledgerentry", "hits_auditevent", "hits_deposit")


def seal_books(apps, schema_editor):
    for table in SEALED:
        seal(schema_editor, table)


class Migration(migrations.Migration):
    dependencies = [("hits", "0006_money_into_the_ledger")]
    operations = [
        migrations.AddConstraint(
            model_name='bonus',
            constraint=models.CheckConstraint(condition=models.Q(('status', 'owed'), ('before_runs', True), models.Q(('approved_at__isnull', False), ('approved_by__isnull', False), ('prepared_by__isnull', False), models.Q(('approved_by', models.F('prepared_by')), _negated=True)), _connector='OR'), name='bonus_decided_by_two'),
        ),
        migrations.DeleteModel(
            name='BudgetEntry',
        ),
        migrations.RunPython(seal_books, migrations.RunPython.noop),
    ]

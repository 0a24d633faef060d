from django.db import migrations

from crowd.whoops.first_rows import lay_categories


def seed(apps, schema_editor):
    lay_categories(apps.get_model("whoops", "Category"), using=schema_editor.connection.alias)


class Migration(migrations.Migration):
    dependencies = [("whoops", "0002_roles")]

    operations = [migrations.RunPython(seed, migrations.RunPython.noop)]

from django.db import migrations

from crowd.winoground.first_rows import lay_tags


def seed(apps, schema_editor):
    lay_tags(apps.get_model("winoground", "Tag"), using=schema_editor.connection.alias)


class Migration(migrations.Migration):
    dependencies = [("winoground", "0002_roles")]

    operations = [migrations.RunPython(seed, migrations.RunPython.noop)]

"""Groups that are there already get what the pool adds to their line of the table."""

from django.db import migrations

from hits.identity.roles import extend_roles


def extend(apps, schema_editor):
    extend_roles(apps)


class Migration(migrations.Migration):
    dependencies = [
        ("pictures", "0003_pool"),
        ("hits", "0004_roles"),
        ("auth", "0012_alter_user_first_name_max_length"),
        ("contenttypes", "0002_remove_content_type_name"),
    ]

    operations = [migrations.RunPython(extend, migrations.RunPython.noop)]

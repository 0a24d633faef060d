from django.db import migrations

from hits.identity.roles import extend_roles


def extend(apps, schema_editor):
    """Researchers keep the weird images of their studies; reviewers check them for harm."""
    extend_roles(apps)


class Migration(migrations.Migration):
    dependencies = [
        ("whoops", "0001_weird_images"),
        ("hits", "0004_roles"),
        ("auth", "0012_alter_user_first_name_max_length"),
        ("contenttypes", "0002_remove_content_type_name"),
    ]

    operations = [migrations.RunPython(extend, migrations.RunPython.noop)]

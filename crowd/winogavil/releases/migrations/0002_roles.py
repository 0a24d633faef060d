from django.db import migrations

from hits.identity.roles import extend_roles


def extend(apps, schema_editor):
    """Researchers make releases; whoever looks at content sees them and the statistics."""
    extend_roles(apps)


class Migration(migrations.Migration):
    dependencies = [
        ("winogavil_releases", "0001_releases"),
        ("auth", "0012_alter_user_first_name_max_length"),
        ("contenttypes", "0002_remove_content_type_name"),
    ]

    operations = [migrations.RunPython(extend, migrations.RunPython.noop)]

from django.db import migrations

from hits.identity.roles import extend_roles, install_roles


def extend(apps, schema_editor):
    """There is a role for authors; researchers keep the caption matching of their studies."""
    install_roles(apps)
    extend_roles(apps)


class Migration(migrations.Migration):
    dependencies = [
        ("winoground", "0001_caption_matching"),
        ("hits", "0004_roles"),
        ("auth", "0012_alter_user_first_name_max_length"),
        ("contenttypes", "0002_remove_content_type_name"),
    ]

    operations = [migrations.RunPython(extend, migrations.RunPython.noop)]

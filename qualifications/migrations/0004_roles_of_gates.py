from django.db import migrations

from hits.identity.roles import extend_roles


def extend(apps, schema_editor):
    """Researchers and operators keep gates and consent; they and reviewers grade tests."""
    extend_roles(apps)


class Migration(migrations.Migration):
    dependencies = [
        ("qualifications", "0003_who_may_work"),
        ("auth", "0012_alter_user_first_name_max_length"),
        ("contenttypes", "0002_remove_content_type_name"),
    ]

    operations = [migrations.RunPython(extend, migrations.RunPython.noop)]

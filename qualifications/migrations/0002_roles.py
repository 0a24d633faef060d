from django.db import migrations

from hits.identity.roles import extend_roles


def extend(apps, schema_editor):
    """Who looks at items sees the association lists; operators remove them."""
    extend_roles(apps)


class Migration(migrations.Migration):
    dependencies = [
        ("qualifications", "0001_association_lists"),
        ("hits", "0007_sealed_books"),
        ("auth", "0012_alter_user_first_name_max_length"),
        ("contenttypes", "0002_remove_content_type_name"),
    ]

    operations = [migrations.RunPython(extend, migrations.RunPython.noop)]

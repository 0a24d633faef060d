from django.db import migrations

from hits.core.append_only import seal
from hits.identity.roles import extend_roles


def seal_verdicts(apps, schema_editor):
    seal(schema_editor, "scoring_verdict")


def extend(apps, schema_editor):
    """Who looks at a study's items sees its rivals and their verdicts; researchers choose them."""
    extend_roles(apps)


class Migration(migrations.Migration):
    dependencies = [
        ("scoring", "0002_rivals"),
        ("hits", "0007_sealed_books"),
        ("auth", "0012_alter_user_first_name_max_length"),
        ("contenttypes", "0002_remove_content_type_name"),
    ]

    operations = [
        migrations.RunPython(seal_verdicts, migrations.RunPython.noop),
        migrations.RunPython(extend, migrations.RunPython.noop),
    ]

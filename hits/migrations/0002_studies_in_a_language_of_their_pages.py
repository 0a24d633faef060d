from django.db import migrations


def say_english(apps, schema_editor):
    """Name the language in which these studies' pages were always shown: there was no catalog of another."""
    apps.get_model("hits", "Study").objects.exclude(language="en").update(language="en")


class Migration(migrations.Migration):
    dependencies = [
        ("hits", "0001_version_0_1_0"),
    ]

    operations = [
        migrations.RunPython(say_english, migrations.RunPython.noop, elidable=True),
    ]

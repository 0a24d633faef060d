import django.db.models.deletion
from django.db import migrations, models


def begin_again(apps, schema_editor):
    """Unfinished releases begin again: their frozen rows lie elsewhere now."""
    release = apps.get_model("releases", "Release")
    unfinished = release.objects.filter(status__in=["freezing", "writing"])
    apps.get_model("winogavil_releases", "ReleaseItem").objects.filter(release__in=unfinished).delete()
    unfinished.update(status="freezing", cursor=0, written=0, rows_done=0, files=[], counts={})


def keep_permissions(apps, schema_editor):
    """Permissions and entries of history stay with the table."""
    content_types = apps.get_model("contenttypes", "ContentType").objects
    if not content_types.filter(app_label="releases", model="release").exists():
        content_types.filter(app_label="winogavil_releases", model="release").update(app_label="releases")


class Migration(migrations.Migration):

    dependencies = [
        ("contenttypes", "0002_remove_content_type_name"),
        ("releases", "0001_releases_of_every_family"),
        ("winogavil_releases", "0003_releases_of_every_family"),
    ]

    operations = [
        # The columns hold the same numbers, and the table is the same one under its new name.
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.AlterField(
                    model_name="prediction",
                    name="release",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="predictions", to="releases.release"
                    ),
                ),
                migrations.AlterField(
                    model_name="releaseitem",
                    name="release",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="items", to="releases.release"
                    ),
                ),
                migrations.DeleteModel(name="Release"),
            ],
        ),
        migrations.RunPython(begin_again, migrations.RunPython.noop),
        migrations.RunPython(keep_permissions, migrations.RunPython.noop),
    ]

from django.db import migrations


class Migration(migrations.Migration):
    """Give the table of releases the name that it has in the room of all families' releases."""

    dependencies = [("winogavil_releases", "0002_selection_threshold_and_swow_baseline")]

    operations = [migrations.AlterModelTable(name="release", table="releases_release")]

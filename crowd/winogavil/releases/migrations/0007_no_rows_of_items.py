from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [("winogavil_releases", "0006_no_tables_of_predictions")]

    operations = [migrations.DeleteModel(name="ReleaseItem")]

from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [("winogavil_releases", "0005_predictions_are_results_of_benchmarks")]

    operations = [
        migrations.DeleteModel(name="Tally"),
        migrations.DeleteModel(name="Prediction"),
    ]

from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [("winoground", "0004_scores_of_models_are_kept_for_benchmarks")]

    operations = [
        migrations.DeleteModel(name="ModelScore"),
        migrations.DeleteModel(name="ModelScores"),
    ]

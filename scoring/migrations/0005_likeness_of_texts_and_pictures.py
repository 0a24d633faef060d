from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("scoring", "0004_models_that_see_pictures")]
    operations = [
        migrations.AlterField(
            model_name="modelquestion",
            name="kind",
            field=models.CharField(
                max_length=16,
                choices=[
                    ("top_words", "Best words"),
                    ("probabilities", "Probabilities of words"),
                    ("perplexities", "Perplexity"),
                    ("parts", "Part of speech of a word"),
                    ("scores", "Scores of texts against pictures"),
                    ("words", "Words about a picture"),
                    ("likeness", "Likeness of texts and pictures"),
                ],
            ),
        ),
    ]

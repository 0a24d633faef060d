from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("scoring", "0003_model_questions")]
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
                ],
            ),
        ),
        migrations.AlterField(
            model_name="registeredrival",
            name="kind",
            field=models.CharField(
                max_length=16,
                choices=[
                    ("caption", "Sentence model over captions"),
                    ("clip", "CLIP over pictures"),
                    ("masked", "Masked language model"),
                    ("causal", "Causal language model"),
                    ("tagger", "Part-of-speech tagger"),
                    ("cross", "Cross-encoder of a text and a picture"),
                    ("speaker", "Model that says words about a picture"),
                ],
            ),
        ),
    ]

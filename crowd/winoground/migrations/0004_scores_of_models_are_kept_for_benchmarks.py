from collections import defaultdict

from django.db import migrations

PLACES = ((0, 0), (0, 1), (1, 0), (1, 1))
LONGEST = 64


def keep_scores(apps, schema_editor):
    """Each model's uploaded scores are kept for the benchmarks of the study's releases, those to come as well.

    An example of which one of the four is missing is left out, as it was in every table.
    """
    earlier = apps.get_model("benchmarks", "EarlierAnswers").objects
    for scores in apps.get_model("winoground", "ModelScores").objects.select_related("project").order_by("pk"):
        earlier.create(
            study_id=scores.project.study_id,
            family="winoground",
            task="captions",
            name=scores.name[:LONGEST],
            about=scores.about if len(scores.name) <= LONGEST else f"{scores.name}. {scores.about}"[:500],
            answers=answers_of(scores),
            added_at=scores.added_at,
            added_by_id=scores.added_by_id,
        )


def answers_of(scores):
    found = defaultdict(dict)
    fields = ("pairing__example__public_id", "pairing__caption", "pairing__image", "value")
    for example, caption, image, value in scores.rows.values_list(*fields).iterator(chunk_size=5_000):
        found[str(example)][caption, image] = value
    return {
        example: [four[place] for place in PLACES]
        for example, four in found.items()
        if len(four) == len(PLACES)
    }


class Migration(migrations.Migration):

    dependencies = [
        ("benchmarks", "0006_earlier_answers"),
        ("winoground", "0003_captions_of_confirmations"),
    ]

    operations = [migrations.RunPython(keep_scores, migrations.RunPython.noop)]

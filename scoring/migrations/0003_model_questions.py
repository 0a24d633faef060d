from django.db import migrations, models
from django.db.models import Q

from hits.core.renamed_tables import rename_constraints, rename_indexes

CONSTRAINTS = {
    "scoring_textquestion_pkey": "scoring_modelquestion_pkey",
    "scoring_textquestion_tries_check": "scoring_modelquestion_tries_check",
    "scoring_textquestion_rival_id_fc04bd26_fk_scoring_r": (
        "scoring_modelquestio_rival_id_32b7294e_fk_scoring_r"
    ),
}
INDEXES = {"scoring_textquestion_rival_id_fc04bd26": "scoring_modelquestion_rival_id_32b7294e"}


def rename(apps, schema_editor):
    rename_constraints(schema_editor, table="scoring_modelquestion", names=CONSTRAINTS)
    rename_indexes(schema_editor, names=INDEXES)


class Migration(migrations.Migration):
    dependencies = [("scoring", "0002_taggers_and_parts_of_speech")]
    operations = [
        migrations.RemoveIndex(model_name="textquestion", name="text_question_in_turn"),
        migrations.RemoveConstraint(model_name="textquestion", name="text_question_once_per_rival"),
        migrations.RemoveConstraint(model_name="textquestion", name="text_question_answered_has_an_output"),
        migrations.RemoveConstraint(model_name="textquestion", name="text_question_failed_says_why"),
        migrations.RenameModel("TextQuestion", "ModelQuestion"),
        migrations.AlterModelOptions(
            "modelquestion",
            options={
                "permissions": [("retry_modelquestion", "Can have failed model questions answered again")]
            },
        ),
        migrations.AlterField(
            model_name="modelquestion",
            name="rival",
            field=models.ForeignKey(
                on_delete=models.PROTECT, related_name="model_questions", to="scoring.registeredrival"
            ),
        ),
        migrations.AddIndex(
            model_name="modelquestion",
            index=models.Index(fields=["status", "try_at", "id"], name="model_question_in_turn"),
        ),
        migrations.AddConstraint(
            model_name="modelquestion",
            constraint=models.UniqueConstraint(fields=("rival", "key"), name="model_question_once_per_rival"),
        ),
        migrations.AddConstraint(
            model_name="modelquestion",
            constraint=models.CheckConstraint(
                condition=Q(status="answered", output__isnull=False, answered_at__isnull=False)
                | (~Q(status="answered") & Q(output__isnull=True, answered_at=None)),
                name="model_question_answered_has_an_output",
            ),
        ),
        migrations.AddConstraint(
            model_name="modelquestion",
            constraint=models.CheckConstraint(
                condition=~Q(status="failed") | ~Q(problem=""), name="model_question_failed_says_why"
            ),
        ),
        migrations.RunPython(rename, migrations.RunPython.noop),
    ]

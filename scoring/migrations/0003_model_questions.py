from django.db import migrations, models
from django.db.models import Q


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
    ]

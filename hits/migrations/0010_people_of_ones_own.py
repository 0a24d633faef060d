from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("hits", "0009_preparers_are_told"),
    ]

    operations = [
        migrations.AddField(
            model_name="study",
            name="own_people",
            field=models.BooleanField(
                db_default=False,
                default=False,
                help_text="Ask new drafts on a marketplace of one's own for no country and no record of approved work, which new people do not have.",
                verbose_name="people of my own",
            ),
        ),
    ]

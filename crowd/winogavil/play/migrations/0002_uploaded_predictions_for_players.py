from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('winogavil_play', '0001_version_0_1_0'),
    ]

    operations = [
        migrations.AddField(
            model_name='webgame',
            name='shows_uploads',
            field=models.BooleanField(default=False, help_text='On: the leaderboard of models also has those whose predictions of a whole published release were uploaded, of the newest such release, by the names given with them. Within an hour.', verbose_name='players see uploaded predictions'),
        ),
        migrations.AddField(
            model_name='webgame',
            name='uploads_leaderboard',
            field=models.JSONField(default=dict, editable=False),
        ),
    ]

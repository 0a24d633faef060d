from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('releases', '0002_families_splits_and_pictures'),
    ]

    operations = [
        migrations.AddField(
            model_name='release',
            name='waits_until',
            field=models.DateTimeField(editable=False, null=True),
        ),
    ]

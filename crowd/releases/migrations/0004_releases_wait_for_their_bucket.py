from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('releases', '0003_names_of_its_table'),
    ]

    operations = [
        migrations.AddField(
            model_name='release',
            name='waits_until',
            field=models.DateTimeField(editable=False, null=True),
        ),
    ]

import django.core.validators
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('hits', '0001_version_0_1_0'),
        ('winogavil_releases', '0001_version_0_1_0'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name='tally',
            name='tally_once',
        ),
        migrations.AddField(
            model_name='release',
            name='selection_threshold',
            field=models.PositiveSmallIntegerField(default=80, help_text='The published form has the associations whose solvers have a mean of at least this. Lower it for more data of lower quality, raise it for less of higher quality.', validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(100)], verbose_name='selection threshold, in per cent'),
        ),
        migrations.AddField(
            model_name='releaseitem',
            name='from_list',
            field=models.BooleanField(default=False),
        ),
        migrations.AddField(
            model_name='statistics',
            name='selection_threshold',
            field=models.PositiveSmallIntegerField(null=True),
        ),
        migrations.AddField(
            model_name='tally',
            name='from_list',
            field=models.BooleanField(default=False),
        ),
        migrations.AddConstraint(
            model_name='release',
            constraint=models.CheckConstraint(condition=models.Q(('selection_threshold__gte', 1), ('selection_threshold__lte', 100)), name='release_selection_threshold_per_cent'),
        ),
        migrations.AddConstraint(
            model_name='tally',
            constraint=models.UniqueConstraint(fields=('prediction', 'from_list', 'size', 'k'), name='tally_once'),
        ),
    ]

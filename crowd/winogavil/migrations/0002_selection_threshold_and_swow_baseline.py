from typing import Any

import django.core.validators
from django.db import migrations, models
from django.db.models import Case, F, When
from django.db.models.lookups import GreaterThanOrEqual


def mark_solvable(apps: Any, schema_editor: Any) -> None:
    """Write again, on the way back, what is otherwise read from the solvers' mean."""
    associations = apps.get_model("winogavil", "Association").objects.using(schema_editor.connection.alias)
    final = associations.filter(final_at__isnull=False)
    reaches = GreaterThanOrEqual(F("solvers_numerator") * 100, F("solvers_denominator") * 80)
    final.update(solvable=Case(When(reaches, then=True), default=False))


class Migration(migrations.Migration):

    dependencies = [
        ('hits', '0001_version_0_1_0'),
        ('winogavil', '0001_version_0_1_0'),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name='association',
            name='association_final_has_mean',
        ),
        migrations.RunPython(migrations.RunPython.noop, mark_solvable),
        migrations.RemoveField(
            model_name='association',
            name='solvable',
        ),
        migrations.AddField(
            model_name='game',
            name='selection_threshold',
            field=models.PositiveSmallIntegerField(default=80, help_text='An association is selected if the mean of its solvers is at least this: 80 in the paper. Lower it for more data of lower quality, raise it for less of higher quality. Every figure follows at once and nothing is lost; releases keep the threshold they were made with, and bonuses follow the bonus table.', validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(100)], verbose_name='selection threshold, in per cent'),
        ),
        migrations.AlterField(
            model_name='association',
            name='source',
            field=models.CharField(choices=[('file', "a researcher's file"), ('worker', "a worker's HIT"), ('player', 'a player of the web game'), ('recorded', 'work recorded elsewhere'), ('test', "a creator's test"), ('swow', 'an association list (SWOW baseline)')], default='file', max_length=8),
        ),
        migrations.AddConstraint(
            model_name='association',
            constraint=models.CheckConstraint(condition=models.Q(('final_at', None), models.Q(('solvers_denominator__gt', 0), ('solvers_denominator__isnull', False), ('solvers_numerator__isnull', False), ('solvers_numerator__lte', models.F('solvers_denominator'))), _connector='OR'), name='association_final_has_mean'),
        ),
        migrations.AddConstraint(
            model_name='game',
            constraint=models.CheckConstraint(condition=models.Q(('selection_threshold__gte', 1), ('selection_threshold__lte', 100)), name='game_selection_threshold_per_cent'),
        ),
    ]

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('hits', '0001_version_0_1_0'),
        ('pictures', '0001_version_0_1_0'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Game',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('inner_marks', models.BooleanField(default=False, help_text="Allows words such as “ice-cream” or “o'clock”.", verbose_name='hyphen and apostrophe within a cue')),
                ('names_allowed', models.BooleanField(default=False, help_text='Off: a cue is refused if it is the name of one of the pictures.', verbose_name='a cue may name a picture shown')),
                ('feedback', models.CharField(choices=[('never', 'never'), ('final', 'once an association is final'), ('at_once', 'as soon as the work is submitted')], default='final', max_length=8, verbose_name='solvers see what was right')),
                ('grows', models.BooleanField(default=False, help_text="On: the batch gets as many HITs as answers are wanted, within the budget. Off: they wait for a person's click.", verbose_name='solving grows by itself')),
                ('problem', models.TextField(blank=True, editable=False)),
                ('solve_batch', models.OneToOneField(blank=True, help_text="The launched batch that solves what this study's spymasters make.", null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='hits.batch')),
                ('study', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='game', to='hits.study')),
            ],
            options={
                'verbose_name': 'association game',
            },
        ),
        migrations.CreateModel(
            name='PictureSet',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('recipe', models.JSONField(default=dict)),
                ('item', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='picture_set', to='hits.item')),
            ],
            options={
                'verbose_name': 'picture set',
            },
        ),
        migrations.CreateModel(
            name='Association',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('source', models.CharField(choices=[('file', "a researcher's file"), ('worker', "a worker's HIT"), ('player', 'a player of the web game'), ('recorded', 'work recorded elsewhere'), ('test', "a creator's test")], default='file', max_length=8)),
                ('set_key', models.CharField(editable=False, max_length=32)),
                ('recorded_as', models.CharField(blank=True, editable=False, max_length=64)),
                ('cue', models.CharField(max_length=200)),
                ('model_score', models.PositiveSmallIntegerField(null=True)),
                ('asked_at', models.DateTimeField(null=True)),
                ('solvers_numerator', models.PositiveIntegerField(editable=False, null=True)),
                ('solvers_denominator', models.PositiveIntegerField(editable=False, null=True)),
                ('solvable', models.BooleanField(null=True)),
                ('final_at', models.DateTimeField(null=True)),
                ('told_at', models.DateTimeField(editable=False, null=True)),
                ('item', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='association', to='hits.item')),
                ('picture_set', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='associations', to='winogavil.pictureset')),
            ],
        ),
        migrations.CreateModel(
            name='PictureSetPlace',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('position', models.PositiveSmallIntegerField()),
                ('picture', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='pictures.picture')),
                ('picture_set', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='places', to='winogavil.pictureset')),
            ],
            options={
                'ordering': ('position',),
            },
        ),
        migrations.CreateModel(
            name='Place',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('label', models.CharField(max_length=64)),
                ('position', models.PositiveSmallIntegerField()),
                ('chosen', models.BooleanField()),
                ('predicted', models.BooleanField(null=True)),
                ('association', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='places', to='winogavil.association')),
                ('picture', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='pictures.picture')),
            ],
            options={
                'ordering': ('position',),
            },
        ),
        migrations.CreateModel(
            name='Solution',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('picked', models.JSONField()),
                ('numerator', models.PositiveSmallIntegerField()),
                ('denominator', models.PositiveSmallIntegerField()),
                ('assignment', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='hits.assignment')),
                ('association', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='solutions', to='winogavil.association')),
                ('worker', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='hits.worker')),
            ],
        ),
        migrations.CreateModel(
            name='CueReport',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('reason', models.CharField(choices=[('inappropriate', 'it is inappropriate'), ('other', 'something else')], max_length=16)),
                ('text', models.CharField(blank=True, max_length=500)),
                ('status', models.CharField(choices=[('open', 'Open'), ('upheld', 'Upheld: it stays away'), ('dismissed', 'Dismissed: it is asked again')], default='open', max_length=16)),
                ('reported_at', models.DateTimeField()),
                ('decided_at', models.DateTimeField(null=True)),
                ('association', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='reports', to='winogavil.association')),
                ('decided_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('worker', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='hits.worker')),
            ],
            options={
                'permissions': [('decide_cuereport', 'Can decide on reported cues')],
                'indexes': [models.Index(condition=models.Q(('status', 'open')), fields=['id'], name='cue_report_open')],
                'constraints': [models.UniqueConstraint(fields=('association', 'worker'), name='cue_report_once_per_worker')],
            },
        ),
        migrations.AddIndex(
            model_name='association',
            index=models.Index(condition=models.Q(('asked_at', None)), fields=['id'], name='association_to_ask'),
        ),
        migrations.AddIndex(
            model_name='association',
            index=models.Index(condition=models.Q(('final_at', None)), fields=['id'], name='association_open'),
        ),
        migrations.AddIndex(
            model_name='association',
            index=models.Index(condition=models.Q(('asked_at__isnull', False), ('final_at__isnull', False), ('told_at', None)), fields=['id'], name='association_to_tell'),
        ),
        migrations.AddIndex(
            model_name='association',
            index=models.Index(fields=['set_key'], name='association_by_set'),
        ),
        migrations.AddIndex(
            model_name='association',
            index=models.Index(condition=models.Q(('recorded_as', ''), _negated=True), fields=['recorded_as'], name='association_by_recording'),
        ),
        migrations.AddConstraint(
            model_name='association',
            constraint=models.CheckConstraint(condition=models.Q(('model_score', None), ('model_score__lte', 100), _connector='OR'), name='association_model_score_per_cent'),
        ),
        migrations.AddConstraint(
            model_name='association',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('asked_at', None), ('model_score', None)), models.Q(('asked_at__isnull', False), ('model_score__isnull', False)), _connector='OR'), name='association_asked_has_score'),
        ),
        migrations.AddConstraint(
            model_name='association',
            constraint=models.CheckConstraint(condition=models.Q(('final_at', None), models.Q(('solvable__isnull', False), ('solvers_denominator__gt', 0), ('solvers_numerator__lte', models.F('solvers_denominator'))), _connector='OR'), name='association_final_has_mean'),
        ),
        migrations.AddConstraint(
            model_name='picturesetplace',
            constraint=models.UniqueConstraint(fields=('picture_set', 'position'), name='picture_set_position_once'),
        ),
        migrations.AddConstraint(
            model_name='picturesetplace',
            constraint=models.UniqueConstraint(fields=('picture_set', 'picture'), name='picture_set_picture_once'),
        ),
        migrations.AddConstraint(
            model_name='place',
            constraint=models.UniqueConstraint(fields=('association', 'position'), name='place_position_once'),
        ),
        migrations.AddConstraint(
            model_name='place',
            constraint=models.UniqueConstraint(fields=('association', 'picture'), name='place_picture_once'),
        ),
        migrations.AddIndex(
            model_name='solution',
            index=models.Index(fields=['worker'], name='solution_by_worker'),
        ),
        migrations.AddConstraint(
            model_name='solution',
            constraint=models.UniqueConstraint(fields=('association', 'worker'), name='solution_once_per_worker'),
        ),
        migrations.AddConstraint(
            model_name='solution',
            constraint=models.CheckConstraint(condition=models.Q(('denominator__gt', 0), ('numerator__lte', models.F('denominator'))), name='solution_is_a_share'),
        ),
    ]

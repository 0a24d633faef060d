import django.core.validators
import django.db.models.deletion
import uuid
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('hits', '0001_version_0_1_0'),
        ('pictures', '0001_version_0_1_0'),
        ('scoring', '0001_version_0_1_0'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Player',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('public_id', models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ('name', models.CharField(blank=True, max_length=20)),
                ('name_key', models.CharField(max_length=60, null=True, unique=True)),
                ('password', models.CharField(blank=True, max_length=128)),
                ('solves_owed', models.PositiveSmallIntegerField(default=0)),
                ('registered_at', models.DateTimeField()),
                ('erased_at', models.DateTimeField(null=True)),
                ('worker', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='player', to='hits.worker')),
            ],
        ),
        migrations.CreateModel(
            name='DailyFeedback',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('is_on', models.BooleanField(default=False)),
                ('hour', models.PositiveSmallIntegerField(default=8, help_text="Feedback on the day before is sent from this hour on, in the study's time zone.", validators=[django.core.validators.MaxValueValidator(23)])),
                ('told_day', models.DateField(null=True)),
                ('by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('study', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='daily_feedback', to='hits.study')),
            ],
            options={
                'verbose_name': 'daily feedback',
                'permissions': [('switch_dailyfeedback', "Can switch workers' daily feedback on and off")],
            },
        ),
        migrations.CreateModel(
            name='Survey',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('visual', models.PositiveSmallIntegerField(validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(5)])),
                ('knowledge', models.PositiveSmallIntegerField(validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(5)])),
                ('associating', models.PositiveSmallIntegerField(validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(5)])),
                ('commonsense', models.PositiveSmallIntegerField(validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(5)])),
                ('abstraction', models.PositiveSmallIntegerField(validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(5)])),
                ('divergent', models.PositiveSmallIntegerField(validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(5)])),
                ('interest', models.PositiveSmallIntegerField(validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(5)])),
                ('enjoyment', models.PositiveSmallIntegerField(validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(5)])),
                ('clarity', models.PositiveSmallIntegerField(validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(5)])),
                ('liked', models.TextField(blank=True, max_length=2000)),
                ('other_skills', models.TextField(blank=True, max_length=2000)),
                ('model_effect', models.TextField(blank=True, max_length=2000)),
                ('anything', models.TextField(blank=True, max_length=2000)),
                ('answered_at', models.DateTimeField()),
                ('player', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='survey', to='winogavil_play.player')),
            ],
            options={
                'permissions': [('export_survey', "Can export players' exit surveys")],
            },
        ),
        migrations.CreateModel(
            name='WebGame',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('public_id', models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ('title', models.CharField(help_text='The name that players see.', max_length=60)),
                ('is_open', models.BooleanField(default=False, editable=False)),
                ('solves_per_cue', models.PositiveSmallIntegerField(default=3, help_text='Every cue needs three solvers. With fewer players than that, cues wait without end.', validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(6)], verbose_name='solves for each cue')),
                ('fewest_final', models.PositiveSmallIntegerField(default=20, help_text='Players with fewer are not on the leaderboards yet.', validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(1000)], verbose_name='final cues, or solves, for a place')),
                ('models_leaderboard', models.JSONField(default=list, editable=False)),
                ('models_counted_at', models.DateTimeField(editable=False, null=True)),
                ('opened_at', models.DateTimeField(editable=False, null=True)),
                ('closed_at', models.DateTimeField(editable=False, null=True)),
                ('made_at', models.DateTimeField(editable=False)),
                ('account', models.OneToOneField(editable=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='hits.account')),
                ('create_batch', models.OneToOneField(editable=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='hits.batch')),
                ('solve_batch', models.OneToOneField(editable=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='hits.batch')),
                ('study', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='web_game', to='hits.study')),
            ],
            options={
                'verbose_name': 'web game',
                'permissions': [('run_webgame', 'Can open and close web games, and write their consent texts')],
            },
        ),
        migrations.AddField(
            model_name='player',
            name='game',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='players', to='winogavil_play.webgame'),
        ),
        migrations.CreateModel(
            name='ConsentText',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('version', models.PositiveIntegerField()),
                ('text', models.TextField(max_length=20000)),
                ('made_at', models.DateTimeField()),
                ('made_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('game', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='consent_texts', to='winogavil_play.webgame')),
            ],
        ),
        migrations.CreateModel(
            name='Standing',
            fields=[
                ('player', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='standing', serialize=False, to='winogavil_play.player')),
                ('cues', models.PositiveIntegerField(default=0)),
                ('solves', models.PositiveIntegerField(default=0)),
                ('final_cues', models.PositiveIntegerField(default=0)),
                ('fool_sum', models.PositiveIntegerField(default=0)),
                ('solvable_parts', models.PositiveBigIntegerField(default=0)),
                ('final_solves', models.PositiveIntegerField(default=0)),
                ('jaccard_parts', models.PositiveBigIntegerField(default=0)),
                ('creator_points', models.PositiveIntegerField(null=True)),
                ('solver_points', models.PositiveIntegerField(null=True)),
                ('checked_at', models.DateTimeField()),
                ('game', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='standings', to='winogavil_play.webgame')),
            ],
        ),
        migrations.CreateModel(
            name='Consent',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('given_at', models.DateTimeField()),
                ('text', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='consents', to='winogavil_play.consenttext')),
                ('player', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='consents', to='winogavil_play.player')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('player', 'text'), name='consent_once_per_text')],
            },
        ),
        migrations.CreateModel(
            name='PlayerSession',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('token_digest', models.CharField(max_length=64, unique=True)),
                ('made_at', models.DateTimeField()),
                ('expires_at', models.DateTimeField()),
                ('player', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='sessions', to='winogavil_play.player')),
            ],
            options={
                'indexes': [models.Index(fields=['expires_at'], name='player_session_by_end')],
            },
        ),
        migrations.CreateModel(
            name='PracticeAsk',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.UUIDField(default=uuid.uuid4, unique=True)),
                ('text', models.CharField(max_length=30)),
                ('pictures', models.JSONField()),
                ('chosen', models.JSONField()),
                ('places', models.JSONField(null=True)),
                ('asked_at', models.DateTimeField()),
                ('answered_at', models.DateTimeField(null=True)),
                ('player', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='winogavil_play.player')),
                ('rival', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='scoring.registeredrival')),
            ],
            options={
                'indexes': [models.Index(condition=models.Q(('answered_at', None)), fields=['id'], name='practice_ask_waiting'), models.Index(fields=['asked_at'], name='practice_ask_by_age')],
            },
        ),
        migrations.CreateModel(
            name='Turn',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('role', models.CharField(choices=[('create', 'Create'), ('solve', 'Solve')], max_length=8)),
                ('status', models.CharField(choices=[('open', 'Open'), ('done', 'Handed in'), ('left', 'Given up, or taken away')], default='open', max_length=8)),
                ('began_at', models.DateTimeField()),
                ('ended_at', models.DateTimeField(null=True)),
                ('counted_at', models.DateTimeField(null=True)),
                ('assignment', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='turn', to='hits.assignment')),
                ('player', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='turns', to='winogavil_play.player')),
            ],
            options={
                'indexes': [models.Index(condition=models.Q(('counted_at', None), ('status', 'done')), fields=['id'], name='turn_to_count'), models.Index(fields=['player', '-id'], name='turn_of_player'), models.Index(fields=['player', 'counted_at'], name='turn_counted_of_player')],
                'constraints': [models.UniqueConstraint(condition=models.Q(('status', 'open')), fields=('player',), name='turn_one_open_per_player'), models.CheckConstraint(condition=models.Q(models.Q(('ended_at', None), ('status', 'open')), models.Q(models.Q(('status', 'open'), _negated=True), ('ended_at__isnull', False)), _connector='OR'), name='turn_ended_at_some_time')],
            },
        ),
        migrations.CreateModel(
            name='PracticeSet',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveSmallIntegerField()),
                ('pictures', models.ManyToManyField(related_name='+', to='pictures.picture')),
                ('game', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='practice_sets', to='winogavil_play.webgame')),
            ],
            options={
                'ordering': ('number',),
                'constraints': [models.UniqueConstraint(fields=('game', 'number'), name='practice_set_number_once')],
            },
        ),
        migrations.AddConstraint(
            model_name='player',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('erased_at', None), ('name_key__isnull', False)), models.Q(('erased_at__isnull', False), ('name', ''), ('name_key', None), ('password', '')), _connector='OR'), name='player_erased_has_no_name'),
        ),
        migrations.AddConstraint(
            model_name='consenttext',
            constraint=models.UniqueConstraint(fields=('game', 'version'), name='consent_text_version_once'),
        ),
        migrations.AddIndex(
            model_name='standing',
            index=models.Index(condition=models.Q(('creator_points__isnull', False)), fields=['game', '-creator_points', '-final_cues', 'player'], name='standing_of_creators'),
        ),
        migrations.AddIndex(
            model_name='standing',
            index=models.Index(condition=models.Q(('solver_points__isnull', False)), fields=['game', '-solver_points', '-final_solves', 'player'], name='standing_of_solvers'),
        ),
        migrations.AddIndex(
            model_name='standing',
            index=models.Index(fields=['checked_at'], name='standing_to_check'),
        ),
    ]

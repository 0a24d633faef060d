import django.core.validators
import django.db.models.deletion
import uuid
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('hits', '0001_version_0_1_0'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='PoolPicture',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('sha256', models.CharField(max_length=64, unique=True)),
                ('path', models.CharField(max_length=500)),
                ('caption', models.CharField(max_length=500)),
                ('caption_sha256', models.CharField(max_length=64)),
            ],
        ),
        migrations.CreateModel(
            name='RegisteredRival',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=64, unique=True, validators=[django.core.validators.RegexValidator('^[a-z0-9][a-z0-9._-]*\\Z', 'Use small letters, digits, dots, dashes and underscores.')])),
                ('kind', models.CharField(choices=[('caption', 'Sentence model over captions'), ('clip', 'CLIP over pictures'), ('masked', 'Masked language model'), ('causal', 'Causal language model')], max_length=16)),
                ('model', models.CharField(blank=True, max_length=200)),
                ('source', models.CharField(blank=True, max_length=500)),
                ('path', models.CharField(blank=True, max_length=500)),
                ('weights_sha256', models.CharField(blank=True, max_length=64, verbose_name='SHA-256 of the weights')),
                ('options', models.JSONField(blank=True, default=dict)),
                ('added_at', models.DateTimeField()),
            ],
            options={
                'verbose_name': 'rival',
                'ordering': ('name',),
                'constraints': [models.CheckConstraint(condition=models.Q(('path', ''), models.Q(('weights_sha256', ''), _negated=True), _connector='OR'), name='rival_fetched_weights_have_a_digest')],
            },
        ),
        migrations.CreateModel(
            name='RivalQuery',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('public_id', models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ('slot', models.PositiveSmallIntegerField(default=1)),
                ('text', models.CharField(max_length=100)),
                ('pictures', models.JSONField()),
                ('size', models.PositiveSmallIntegerField()),
                ('chosen', models.JSONField()),
                ('asked_at', models.DateTimeField()),
                ('assignment', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='rival_queries', to='hits.assignment')),
                ('item', models.OneToOneField(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='rival_query', to='hits.item')),
                ('paid_on', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='scoring.registeredrival')),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='rival_queries', to='hits.study')),
            ],
        ),
        migrations.CreateModel(
            name='PendingQuery',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('is_urgent', models.BooleanField()),
                ('asked_at', models.DateTimeField()),
                ('tries', models.PositiveSmallIntegerField(default=0)),
                ('try_at', models.DateTimeField()),
                ('problem', models.CharField(blank=True, max_length=500)),
                ('rival', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='pending_queries', to='scoring.registeredrival')),
                ('rival_query', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='pending_queries', to='scoring.rivalquery')),
            ],
        ),
        migrations.CreateModel(
            name='Score',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('measure', models.CharField(max_length=32)),
                ('numerator', models.PositiveIntegerField()),
                ('denominator', models.PositiveIntegerField()),
                ('scored_at', models.DateTimeField()),
                ('assignment', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='scores', to='hits.assignment')),
                ('item', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='scores', to='hits.item')),
            ],
        ),
        migrations.CreateModel(
            name='Space',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('weights_sha256', models.CharField(max_length=64)),
                ('preprocessing_sha256', models.CharField(max_length=64)),
                ('preprocessing', models.JSONField()),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('weights_sha256', 'preprocessing_sha256'), name='space_once_per_weights_and_preparing')],
            },
        ),
        migrations.CreateModel(
            name='StudyRival',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('is_paid', models.BooleanField(default=False, help_text='Bonuses are paid on this rival. Earlier queries stay paid on the rival of their day.', verbose_name='bonuses are paid on it')),
                ('added_at', models.DateTimeField()),
                ('added_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('rival', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='studies', to='scoring.registeredrival')),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='rivals', to='hits.study')),
            ],
            options={
                'verbose_name': 'rival of a study',
                'verbose_name_plural': 'rivals of studies',
            },
        ),
        migrations.CreateModel(
            name='TextQuestion',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('top_words', 'Best words'), ('probabilities', 'Probabilities of words'), ('perplexities', 'Perplexity')], max_length=16)),
                ('input', models.JSONField()),
                ('key', models.CharField(max_length=64)),
                ('status', models.CharField(choices=[('waiting', 'Waiting'), ('answered', 'Answered'), ('failed', 'Failed')], default='waiting', max_length=8)),
                ('tries', models.PositiveSmallIntegerField(default=0)),
                ('try_at', models.DateTimeField()),
                ('problem', models.CharField(blank=True, max_length=500)),
                ('output', models.JSONField(null=True)),
                ('provenance', models.JSONField(default=dict)),
                ('asked_at', models.DateTimeField()),
                ('answered_at', models.DateTimeField(null=True)),
                ('rival', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='text_questions', to='scoring.registeredrival')),
            ],
            options={
                'permissions': [('retry_textquestion', 'Can have failed text questions answered again')],
            },
        ),
        migrations.CreateModel(
            name='Vector',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('of', models.CharField(choices=[('picture', 'Picture'), ('prompt', 'Prompt')], max_length=8)),
                ('content_sha256', models.CharField(max_length=64)),
                ('values', models.BinaryField(null=True)),
                ('problem', models.CharField(blank=True, max_length=500)),
                ('space', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='vectors', to='scoring.space')),
            ],
        ),
        migrations.CreateModel(
            name='Verdict',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('model', models.CharField(max_length=200)),
                ('weights_sha256', models.CharField(max_length=64)),
                ('prompt', models.CharField(max_length=500)),
                ('preprocessing', models.JSONField()),
                ('candidates', models.JSONField()),
                ('scores', models.JSONField()),
                ('places', models.JSONField()),
                ('model_score', models.PositiveSmallIntegerField()),
                ('latency_ms', models.PositiveIntegerField(verbose_name='milliseconds from the question to the answer')),
                ('code_version', models.CharField(max_length=64)),
                ('device', models.CharField(max_length=100)),
                ('answered_at', models.DateTimeField()),
                ('rival', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='verdicts', to='scoring.registeredrival')),
                ('rival_query', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='verdicts', to='scoring.rivalquery')),
            ],
        ),
        migrations.AddConstraint(
            model_name='rivalquery',
            constraint=models.UniqueConstraint(condition=models.Q(('assignment__isnull', False)), fields=('assignment', 'slot'), name='rival_query_once_per_attempt_and_slot'),
        ),
        migrations.AddIndex(
            model_name='pendingquery',
            index=models.Index(fields=['is_urgent', 'try_at'], name='asking_in_turn'),
        ),
        migrations.AddConstraint(
            model_name='pendingquery',
            constraint=models.UniqueConstraint(fields=('rival_query', 'rival'), name='asking_once_per_rival'),
        ),
        migrations.AddIndex(
            model_name='score',
            index=models.Index(fields=['item', 'measure'], name='score_by_item'),
        ),
        migrations.AddConstraint(
            model_name='score',
            constraint=models.UniqueConstraint(fields=('assignment', 'item', 'measure'), name='score_once_per_measure'),
        ),
        migrations.AddConstraint(
            model_name='score',
            constraint=models.CheckConstraint(condition=models.Q(('denominator__gt', 0), ('numerator__lte', models.F('denominator'))), name='score_is_a_share'),
        ),
        migrations.AddConstraint(
            model_name='studyrival',
            constraint=models.UniqueConstraint(fields=('study', 'rival'), name='study_rival_once'),
        ),
        migrations.AddConstraint(
            model_name='studyrival',
            constraint=models.UniqueConstraint(condition=models.Q(('is_paid', True)), fields=('study',), name='study_rival_one_is_paid_on'),
        ),
        migrations.AddIndex(
            model_name='textquestion',
            index=models.Index(fields=['status', 'try_at', 'id'], name='text_question_in_turn'),
        ),
        migrations.AddConstraint(
            model_name='textquestion',
            constraint=models.UniqueConstraint(fields=('rival', 'key'), name='text_question_once_per_rival'),
        ),
        migrations.AddConstraint(
            model_name='textquestion',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('answered_at__isnull', False), ('output__isnull', False), ('status', 'answered')), models.Q(models.Q(('status', 'answered'), _negated=True), ('answered_at', None), ('output__isnull', True)), _connector='OR'), name='text_question_answered_has_an_output'),
        ),
        migrations.AddConstraint(
            model_name='textquestion',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('status', 'failed'), _negated=True), models.Q(('problem', ''), _negated=True), _connector='OR'), name='text_question_failed_says_why'),
        ),
        migrations.AddConstraint(
            model_name='vector',
            constraint=models.UniqueConstraint(fields=('space', 'of', 'content_sha256'), name='vector_once_per_content'),
        ),
        migrations.AddConstraint(
            model_name='vector',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('problem', ''), ('values__isnull', False)), models.Q(('values', None), models.Q(('problem', ''), _negated=True)), _connector='OR'), name='vector_or_problem'),
        ),
        migrations.AddConstraint(
            model_name='verdict',
            constraint=models.UniqueConstraint(fields=('rival_query', 'rival'), name='verdict_once_per_rival'),
        ),
        migrations.AddConstraint(
            model_name='verdict',
            constraint=models.CheckConstraint(condition=models.Q(('model_score__lte', 100)), name='verdict_score_per_cent'),
        ),
    ]

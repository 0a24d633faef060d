import django.core.validators
import django.db.models.deletion
import hits.core.models.fields
import qualifications.models.gates
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
            name='ConsentText',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('public_id', models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ('version', models.PositiveIntegerField(editable=False)),
                ('title', models.CharField(max_length=200)),
                ('text', models.TextField(help_text='Plain text. An empty line begins a new paragraph.', max_length=20000)),
                ('asks_demographics', models.BooleanField(default=False, help_text='Age, gender, education and native language, once for each worker. Every question may be declined.', verbose_name='ask about the person too')),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('published_at', models.DateTimeField(editable=False, null=True)),
                ('created_by', models.ForeignKey(editable=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='consent_texts', to='hits.study')),
            ],
            options={
                'permissions': [('publish_consenttext', 'Can publish what workers are asked to agree to')],
            },
        ),
        migrations.CreateModel(
            name='Consent',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('public_id', models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ('given_at', models.DateTimeField()),
                ('withdrawn_at', models.DateTimeField(null=True)),
                ('takes_work_out', models.BooleanField(default=False)),
                ('taken_out_at', models.DateTimeField(null=True)),
                ('worker', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='consents', to='hits.worker')),
                ('text', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='consents', to='qualifications.consenttext')),
            ],
        ),
        migrations.CreateModel(
            name='Demographics',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('answers', hits.core.models.fields.EncryptedTextField(blank=True)),
                ('asked_at', models.DateTimeField()),
                ('worker', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='demographics', to='hits.worker')),
            ],
            options={
                'verbose_name_plural': 'demographics',
                'permissions': [('count_demographics', "Can see counts of workers' answers about themselves"), ('erase_demographics', "Can erase a worker's answers at the worker's request")],
                'default_permissions': (),
            },
        ),
        migrations.CreateModel(
            name='Gate',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('public_id', models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ('name', models.CharField(help_text='The name that workers see, such as “Solver test”.', max_length=64)),
                ('description', models.CharField(blank=True, help_text='What the test is about, for workers, in a sentence or two.', max_length=500)),
                ('grading', models.CharField(choices=[('scores', 'By its scores, as soon as they are in'), ('person', 'By a person'), ('provider', 'By the provider: its own test with an answer key')], default='scores', max_length=8)),
                ('test_task', models.CharField(blank=True, max_length=32, verbose_name='test')),
                ('opens', models.JSONField(default=list)),
                ('rules', models.JSONField(blank=True, default=list, validators=[qualifications.models.gates.check_rules])),
                ('items', models.PositiveSmallIntegerField(default=10, validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(100)])),
                ('floors', models.JSONField(blank=True, default=list, validators=[qualifications.models.gates.check_floors])),
                ('retest_after_days', models.PositiveSmallIntegerField(blank=True, help_text='A worker may try again after this many days. Empty: one attempt only.', null=True)),
                ('question_form', models.TextField(blank=True)),
                ('answer_key', models.TextField(blank=True)),
                ('test_duration_s', models.PositiveIntegerField(default=1800, validators=[django.core.validators.MinValueValidator(30)])),
                ('passing_value', models.PositiveSmallIntegerField(default=80, help_text="The provider's test is passed above this.")),
                ('is_active', models.BooleanField(default=True, help_text='Off: no worker is kept out by it or tested.')),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('followed_to', models.BigIntegerField(default=0, editable=False)),
                ('regraded_to', models.BigIntegerField(default=0, editable=False)),
                ('scores_to', models.BigIntegerField(editable=False, null=True)),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='gates', to='hits.study')),
            ],
        ),
        migrations.CreateModel(
            name='Attempt',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('public_id', models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ('status', models.CharField(choices=[('started', 'Started'), ('waiting', 'Submitted, not graded yet'), ('passed', 'Passed'), ('failed', 'Failed'), ('given_up', 'Given up before it was submitted')], default='started', max_length=16)),
                ('findings', models.JSONField(default=list)),
                ('words', models.CharField(blank=True, max_length=500)),
                ('claimed_until', models.DateTimeField(null=True)),
                ('started_at', models.DateTimeField()),
                ('handed_in_at', models.DateTimeField(null=True)),
                ('graded_at', models.DateTimeField(null=True)),
                ('assignment', models.OneToOneField(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='attempt_at_gate', to='hits.assignment')),
                ('claimed_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('graded_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('worker', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='attempts', to='hits.worker')),
                ('gate', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='attempts', to='qualifications.gate')),
            ],
            options={
                'permissions': [('grade_attempt', 'Can grade tests and give and revoke what they open')],
            },
        ),
        migrations.CreateModel(
            name='Holding',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('value', models.PositiveSmallIntegerField(choices=[(0, 'Tried, and not passed'), (1, 'Passed')], null=True)),
                ('reason', models.CharField(blank=True, max_length=500)),
                ('revoked_at', models.DateTimeField(null=True)),
                ('changed_at', models.DateTimeField()),
                ('told', models.PositiveSmallIntegerField(null=True)),
                ('is_told', models.BooleanField(default=False)),
                ('value_there', models.IntegerField(null=True)),
                ('claimed_at', models.DateTimeField(null=True)),
                ('problem', models.CharField(blank=True, max_length=500)),
                ('by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('gate', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='holdings', to='qualifications.gate')),
                ('worker', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='holdings', to='hits.worker')),
            ],
        ),
        migrations.CreateModel(
            name='PlatformType',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('token', models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ('status', models.CharField(choices=[('intended', 'Intended'), ('ready', 'Ready'), ('refused', 'Refused')], default='intended', max_length=16)),
                ('external_id', models.CharField(blank=True, max_length=64)),
                ('claimed_at', models.DateTimeField(null=True)),
                ('problem', models.CharField(blank=True, max_length=500)),
                ('digest', models.CharField(blank=True, max_length=64)),
                ('read_at', models.DateTimeField(null=True)),
                ('read_again_at', models.DateTimeField(null=True)),
                ('account', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='gate_types', to='hits.account')),
                ('gate', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='platform_types', to='qualifications.gate')),
            ],
        ),
        migrations.CreateModel(
            name='RefusalCount',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('code', models.CharField(max_length=32)),
                ('day', models.DateField()),
                ('count', models.PositiveIntegerField(default=0)),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='refusal_counts', to='hits.study')),
            ],
        ),
        migrations.CreateModel(
            name='SwowList',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('public_id', models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ('name', models.CharField(max_length=128)),
                ('language', models.CharField(default='en', max_length=16)),
                ('kind', models.CharField(choices=[('r1', 'First responses'), ('r123', 'All three responses'), ('counts', 'Counts'), ('tags', 'Tags of pictures')], max_length=8)),
                ('status', models.CharField(choices=[('importing', 'Importing'), ('ready', 'Ready'), ('failed', 'Failed'), ('leaving', 'Being removed')], default='importing', max_length=16)),
                ('sha256', models.CharField(max_length=64, verbose_name='SHA-256 of the file')),
                ('licence', models.CharField(blank=True, max_length=200)),
                ('lines_done', models.PositiveIntegerField(default=0, editable=False)),
                ('rows', models.PositiveIntegerField(default=0)),
                ('bad_lines', models.PositiveIntegerField(default=0)),
                ('problems', models.JSONField(blank=True, default=list)),
                ('problem', models.CharField(blank=True, max_length=500)),
                ('words_count', models.PositiveIntegerField(default=0, verbose_name='words')),
                ('cues_count', models.PositiveIntegerField(default=0, verbose_name='cues')),
                ('edges_count', models.PositiveIntegerField(default=0, verbose_name='associations')),
                ('started_at', models.DateTimeField()),
                ('imported_at', models.DateTimeField(blank=True, null=True)),
            ],
            options={
                'verbose_name': 'association list',
                'ordering': ('name',),
                'indexes': [models.Index(fields=['sha256'], name='swow_list_by_file'), models.Index(condition=models.Q(('status', 'leaving')), fields=['id'], name='swow_list_leaving')],
                'constraints': [models.UniqueConstraint(condition=models.Q(('status', 'leaving'), _negated=True), fields=('name',), name='swow_list_one_of_each_name'), models.CheckConstraint(condition=models.Q(models.Q(('status', 'ready'), _negated=True), ('imported_at__isnull', False), _connector='OR'), name='swow_list_ready_is_dated'), models.CheckConstraint(condition=models.Q(models.Q(('status', 'failed'), _negated=True), models.Q(('problem', ''), _negated=True), _connector='OR'), name='swow_list_failed_says_why')],
            },
        ),
        migrations.CreateModel(
            name='SwowWord',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('text', models.CharField(max_length=200)),
                ('stated_total', models.PositiveIntegerField(default=0)),
                ('counted_total', models.PositiveBigIntegerField(default=0)),
                ('list', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='words', to='qualifications.swowlist')),
            ],
            options={
                'verbose_name': 'word',
            },
        ),
        migrations.CreateModel(
            name='SwowEdge',
            fields=[
                ('pk', models.CompositePrimaryKey('cue_id', 'response_id', blank=True, editable=False, primary_key=True, serialize=False)),
                ('count', models.PositiveIntegerField()),
                ('cue', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='responses', to='qualifications.swowword')),
                ('response', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='cues', to='qualifications.swowword')),
            ],
            options={
                'verbose_name': 'association',
            },
        ),
        migrations.CreateModel(
            name='UnderAge',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('said_at', models.DateTimeField()),
                ('worker', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='under_age', to='hits.worker')),
            ],
            options={
                'verbose_name_plural': 'under age',
                'permissions': [('lift_underage', 'Can allow work again after an answer of under 18')],
                'default_permissions': (),
            },
        ),
        migrations.AddIndex(
            model_name='consenttext',
            index=models.Index(condition=models.Q(('published_at__isnull', False)), fields=['study', '-version'], name='study_consent_in_force'),
        ),
        migrations.AddConstraint(
            model_name='consenttext',
            constraint=models.UniqueConstraint(fields=('study', 'version'), name='study_consent_version_once'),
        ),
        migrations.AddIndex(
            model_name='consent',
            index=models.Index(condition=models.Q(('taken_out_at', None), ('takes_work_out', True)), fields=['id'], name='consent_work_to_take_out'),
        ),
        migrations.AddConstraint(
            model_name='consent',
            constraint=models.UniqueConstraint(condition=models.Q(('withdrawn_at', None)), fields=('worker', 'text'), name='consent_in_force_once'),
        ),
        migrations.AddConstraint(
            model_name='consent',
            constraint=models.CheckConstraint(condition=models.Q(('withdrawn_at__isnull', False), ('takes_work_out', False), _connector='OR'), name='consent_takes_out_when_withdrawn'),
        ),
        migrations.AddConstraint(
            model_name='gate',
            constraint=models.UniqueConstraint(fields=('study', 'name'), name='gate_name_once'),
        ),
        migrations.AddConstraint(
            model_name='gate',
            constraint=models.UniqueConstraint(condition=models.Q(('test_task', ''), _negated=True), fields=('study', 'test_task'), name='gate_test_once'),
        ),
        migrations.AddConstraint(
            model_name='gate',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('grading', 'provider'), ('test_task', '')), models.Q(models.Q(('grading', 'provider'), _negated=True), models.Q(('test_task', ''), _negated=True)), _connector='OR'), name='gate_has_a_test'),
        ),
        migrations.AddIndex(
            model_name='attempt',
            index=models.Index(fields=['gate', 'worker', '-id'], name='attempt_latest'),
        ),
        migrations.AddIndex(
            model_name='attempt',
            index=models.Index(condition=models.Q(('status__in', ('started', 'waiting'))), fields=['id'], name='attempt_to_grade'),
        ),
        migrations.AddIndex(
            model_name='attempt',
            index=models.Index(fields=['gate', 'status'], name='attempt_by_status'),
        ),
        migrations.AddIndex(
            model_name='attempt',
            index=models.Index(condition=models.Q(('handed_in_at', None), ('status', 'given_up')), fields=['started_at'], name='attempt_may_return'),
        ),
        migrations.AddConstraint(
            model_name='attempt',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('status__in', ('passed', 'failed')), _negated=True), ('graded_at__isnull', False), _connector='OR'), name='attempt_graded_has_a_moment'),
        ),
        migrations.AddConstraint(
            model_name='attempt',
            constraint=models.UniqueConstraint(condition=models.Q(('status__in', ('started', 'waiting'))), fields=('gate', 'worker'), name='attempt_one_at_a_time'),
        ),
        migrations.AddIndex(
            model_name='holding',
            index=models.Index(condition=models.Q(('is_told', False)), fields=['id'], name='holding_to_tell'),
        ),
        migrations.AddIndex(
            model_name='holding',
            index=models.Index(fields=['gate', 'value'], name='holding_by_value'),
        ),
        migrations.AddConstraint(
            model_name='holding',
            constraint=models.UniqueConstraint(fields=('gate', 'worker'), name='holding_once'),
        ),
        migrations.AddIndex(
            model_name='platformtype',
            index=models.Index(condition=models.Q(('status', 'intended')), fields=['id'], name='platform_type_to_make'),
        ),
        migrations.AddConstraint(
            model_name='platformtype',
            constraint=models.UniqueConstraint(fields=('gate', 'account'), name='platform_type_once'),
        ),
        migrations.AddConstraint(
            model_name='platformtype',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('status', 'ready'), _negated=True), models.Q(('external_id', ''), _negated=True), _connector='OR'), name='platform_type_ready_has_external_id'),
        ),
        migrations.AddConstraint(
            model_name='refusalcount',
            constraint=models.UniqueConstraint(fields=('study', 'day', 'code'), name='refusal_count_once'),
        ),
        migrations.AddIndex(
            model_name='swowword',
            index=models.Index(condition=models.Q(('counted_total__gt', 0)), fields=['list'], name='swow_word_cues'),
        ),
        migrations.AddConstraint(
            model_name='swowword',
            constraint=models.UniqueConstraint(fields=('list', 'text'), name='swow_word_once_a_list'),
        ),
        migrations.AddIndex(
            model_name='swowedge',
            index=models.Index(fields=['cue', '-count', 'response'], name='swow_edge_by_strength'),
        ),
        migrations.AddIndex(
            model_name='swowedge',
            index=models.Index(fields=['response', '-count', 'cue'], name='swow_edge_backwards'),
        ),
        migrations.AddConstraint(
            model_name='swowedge',
            constraint=models.CheckConstraint(condition=models.Q(('count__gt', 0)), name='swow_edge_was_said'),
        ),
    ]

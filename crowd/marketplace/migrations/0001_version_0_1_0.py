import crowd.marketplace.domain
import django.db.models.deletion
import django.db.models.expressions
import functools
import uuid
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
    ]

    operations = [
        migrations.CreateModel(
            name='ClockShift',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('ahead', models.DurationField()),
            ],
        ),
        migrations.CreateModel(
            name='Epoch',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('public_id', models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ('copied_at', models.DateTimeField(null=True)),
                ('began_at', models.DateTimeField()),
                ('confirmed_at', models.DateTimeField(null=True)),
            ],
        ),
        migrations.CreateModel(
            name='HIT',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('external_id', models.CharField(default=crowd.marketplace.domain.new_id, max_length=64, unique=True)),
                ('kind', models.CharField(choices=[('external', 'External'), ('html', 'Html'), ('form', 'Form')], default='external', max_length=8)),
                ('question', models.TextField()),
                ('external_url', models.CharField(blank=True, max_length=2000)),
                ('frame_height', models.PositiveIntegerField()),
                ('annotation', models.CharField(blank=True, max_length=255)),
                ('max_assignments', models.PositiveIntegerField()),
                ('pending', models.PositiveIntegerField(default=0)),
                ('submitted', models.PositiveIntegerField(default=0)),
                ('approved', models.PositiveIntegerField(default=0)),
                ('rejected', models.PositiveIntegerField(default=0)),
                ('fee', models.DecimalField(decimal_places=2, max_digits=13)),
                ('created_at', models.DateTimeField()),
                ('expires_at', models.DateTimeField()),
                ('closed_at', models.DateTimeField(null=True)),
                ('free_ids', models.JSONField(default=list)),
                ('is_reviewing', models.BooleanField(default=False)),
                ('disposed_at', models.DateTimeField(null=True)),
                ('assignment_review_policy', models.JSONField(null=True)),
                ('hit_review_policy', models.JSONField(null=True)),
            ],
        ),
        migrations.CreateModel(
            name='HITType',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('external_id', models.CharField(default=crowd.marketplace.domain.new_id, max_length=64, unique=True)),
                ('digest', models.CharField(max_length=64)),
                ('title', models.CharField(max_length=128)),
                ('description', models.CharField(max_length=2000)),
                ('keywords', models.CharField(blank=True, max_length=1000)),
                ('reward', models.DecimalField(decimal_places=2, max_digits=13)),
                ('assignment_duration_s', models.PositiveIntegerField()),
                ('auto_approval_delay_s', models.PositiveIntegerField()),
                ('requirements', models.JSONField(default=list)),
                ('is_listed', models.BooleanField(default=False)),
            ],
        ),
        migrations.CreateModel(
            name='Layout',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('external_id', models.CharField(default=crowd.marketplace.domain.new_id, max_length=64, unique=True)),
                ('name', models.CharField(max_length=128)),
                ('html', models.TextField()),
                ('frame_height', models.PositiveIntegerField(default=0)),
                ('created_at', models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name='Operator',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('sign_in_name', models.CharField(max_length=64, unique=True)),
                ('password', models.CharField(max_length=255)),
                ('created_at', models.DateTimeField()),
                ('disabled_at', models.DateTimeField(blank=True, null=True)),
            ],
        ),
        migrations.CreateModel(
            name='QualificationType',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('external_id', models.CharField(default=crowd.marketplace.domain.new_id, max_length=64, unique=True)),
                ('name', models.CharField(max_length=200)),
                ('description', models.CharField(max_length=2000)),
                ('keywords', models.CharField(blank=True, max_length=1000)),
                ('status', models.CharField(choices=[('Active', 'Active'), ('Inactive', 'Inactive')], max_length=8)),
                ('test', models.TextField(blank=True, help_text='A QuestionForm.')),
                ('answer_key', models.TextField(blank=True)),
                ('test_duration_s', models.PositiveIntegerField(null=True)),
                ('retry_delay_s', models.PositiveIntegerField(help_text='None: one attempt only.', null=True)),
                ('is_auto_granted', models.BooleanField(default=False)),
                ('auto_granted_value', models.IntegerField(default=1)),
                ('created_at', models.DateTimeField()),
                ('disposed_at', models.DateTimeField(null=True)),
            ],
        ),
        migrations.CreateModel(
            name='SigningKey',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('private_sealed', models.TextField()),
                ('certificate', models.TextField()),
                ('created_at', models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name='Fault',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('operation', models.CharField(blank=True, help_text='Empty: every operation.', max_length=64)),
                ('kind', models.CharField(choices=[('throttle', 'Throttle'), ('fail_before', '500 before commit'), ('fail_after', '500 after commit'), ('timeout', 'commit, then no answer for `seconds`'), ('delay', 'answer after `seconds`'), ('duplicate', 'a notification twice'), ('reorder', 'notifications newest first'), ('late', 'a notification `seconds` late')], max_length=16)),
                ('seconds', models.FloatField(default=0)),
                ('remaining', models.PositiveIntegerField(default=1)),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(('remaining__gte', 0)), name='fault_not_overspent')],
            },
        ),
        migrations.CreateModel(
            name='Assignment',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('external_id', models.CharField(db_index=True, default=crowd.marketplace.domain.new_id, max_length=64)),
                ('attempt', models.PositiveIntegerField()),
                ('status', models.CharField(choices=[('Accepted', 'Accepted'), ('Submitted', 'Submitted'), ('Approved', 'Approved'), ('Rejected', 'Rejected'), ('Returned', 'Returned'), ('Abandoned', 'Abandoned')], default='Accepted', max_length=16)),
                ('accepted_at', models.DateTimeField()),
                ('deadline_at', models.DateTimeField()),
                ('submitted_at', models.DateTimeField(null=True)),
                ('auto_approval_at', models.DateTimeField(null=True)),
                ('approved_at', models.DateTimeField(null=True)),
                ('rejected_at', models.DateTimeField(null=True)),
                ('answer', models.TextField(blank=True)),
                ('feedback', models.CharField(blank=True, max_length=1024)),
                ('hit', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='assignments', to='marketplace.hit')),
            ],
        ),
        migrations.AddField(
            model_name='hit',
            name='hit_type',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, to='marketplace.hittype'),
        ),
        migrations.AddField(
            model_name='hit',
            name='layout',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='hits', to='marketplace.layout'),
        ),
        migrations.CreateModel(
            name='OperatorSession',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('token_digest', models.CharField(max_length=64, unique=True)),
                ('created_at', models.DateTimeField()),
                ('expires_at', models.DateTimeField(db_index=True)),
                ('operator', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='sessions', to='marketplace.operator')),
            ],
        ),
        migrations.AddField(
            model_name='hittype',
            name='required',
            field=models.ManyToManyField(related_name='hit_types', to='marketplace.qualificationtype'),
        ),
        migrations.CreateModel(
            name='Requester',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('external_id', models.CharField(default=functools.partial(crowd.marketplace.domain.new_id, *(), **{'length': 14, 'prefix': 'A'}), max_length=64, unique=True)),
                ('name', models.CharField(max_length=128, unique=True)),
                ('fee_schedule', models.CharField(help_text='none, amazon, or a rate such as 5%', max_length=16)),
                ('available', models.DecimalField(decimal_places=2, default=0, max_digits=13)),
                ('on_hold', models.DecimalField(decimal_places=2, default=0, max_digits=13)),
                ('ticket_key_sealed', models.TextField()),
                ('created_at', models.DateTimeField()),
                ('closed_at', models.DateTimeField(blank=True, help_text="None of the requester's keys signs requests any longer.", null=True)),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(('available__gte', 0)), name='requester_never_overdrawn'), models.CheckConstraint(condition=models.Q(('on_hold__gte', 0)), name='requester_holds_no_less_than_nothing')],
            },
        ),
        migrations.AddField(
            model_name='qualificationtype',
            name='requester',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='qualification_types', to='marketplace.requester'),
        ),
        migrations.AddField(
            model_name='layout',
            name='requester',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='layouts', to='marketplace.requester'),
        ),
        migrations.AddField(
            model_name='hittype',
            name='requester',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, to='marketplace.requester'),
        ),
        migrations.AddField(
            model_name='hit',
            name='requester',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, to='marketplace.requester'),
        ),
        migrations.CreateModel(
            name='Destination',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('transport', models.CharField(max_length=8)),
                ('address', models.CharField(max_length=2000)),
                ('free_at', models.DateTimeField()),
                ('failures', models.PositiveIntegerField(default=0, help_text='Failed deliveries in a row.')),
                ('requester', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='destinations', to='marketplace.requester')),
            ],
        ),
        migrations.CreateModel(
            name='AccessKey',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('access_key_id', models.CharField(max_length=32, unique=True)),
                ('secret_sealed', models.TextField()),
                ('created_at', models.DateTimeField()),
                ('revoked_at', models.DateTimeField(blank=True, null=True)),
                ('requester', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='access_keys', to='marketplace.requester')),
            ],
        ),
        migrations.CreateModel(
            name='RequestToken',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('operation', models.CharField(max_length=64)),
                ('token', models.CharField(max_length=64)),
                ('made', models.CharField(max_length=64)),
                ('created_at', models.DateTimeField(db_index=True)),
                ('requester', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, to='marketplace.requester')),
            ],
        ),
        migrations.CreateModel(
            name='Topic',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=256)),
                ('created_at', models.DateTimeField()),
                ('requester', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='topics', to='marketplace.requester')),
            ],
        ),
        migrations.CreateModel(
            name='Subscription',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('arn', models.CharField(max_length=400, unique=True)),
                ('protocol', models.CharField(max_length=5)),
                ('endpoint', models.CharField(max_length=2000)),
                ('token', models.CharField(max_length=64, unique=True)),
                ('asked_at', models.DateTimeField()),
                ('confirmed_at', models.DateTimeField(null=True)),
                ('destination', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='subscription', to='marketplace.destination')),
                ('topic', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='subscriptions', to='marketplace.topic')),
            ],
        ),
        migrations.CreateModel(
            name='NotificationSetting',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('version', models.CharField(max_length=32)),
                ('event_types', models.JSONField(default=list)),
                ('is_active', models.BooleanField(default=True)),
                ('destination', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='settings', to='marketplace.destination')),
                ('hit_type', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='notification', to='marketplace.hittype')),
                ('topic', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='settings', to='marketplace.topic')),
            ],
        ),
        migrations.CreateModel(
            name='Upload',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('question', models.CharField(max_length=128)),
                ('name', models.CharField(max_length=128)),
                ('content', models.BinaryField()),
                ('assignment', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='uploads', to='marketplace.assignment')),
            ],
        ),
        migrations.CreateModel(
            name='Worker',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('external_id', models.CharField(default=functools.partial(crowd.marketplace.domain.new_id, *(), **{'length': 14, 'prefix': 'A'}), max_length=64, unique=True)),
                ('name', models.CharField(max_length=64)),
                ('sign_in_name', models.CharField(blank=True, max_length=64, null=True, unique=True)),
                ('password', models.CharField(blank=True, max_length=255)),
                ('country', models.CharField(blank=True, max_length=2)),
                ('subdivision', models.CharField(blank=True, max_length=3)),
                ('is_adult', models.BooleanField(default=False)),
                ('is_master', models.BooleanField(default=False)),
                ('submitted', models.PositiveIntegerField(default=0)),
                ('approved', models.PositiveIntegerField(default=0)),
                ('rejected', models.PositiveIntegerField(default=0)),
                ('earned', models.DecimalField(decimal_places=2, default=0, max_digits=13)),
                ('owed', models.DecimalField(decimal_places=2, default=0, max_digits=13)),
                ('created_at', models.DateTimeField()),
                ('suspended_at', models.DateTimeField(blank=True, null=True)),
                ('erasure_requested_at', models.DateTimeField(blank=True, null=True)),
                ('erased_at', models.DateTimeField(blank=True, null=True)),
            ],
            options={
                'indexes': [models.Index(condition=models.Q(('owed__gt', 0)), fields=['id'], name='worker_to_pay'), models.Index(condition=models.Q(('erased_at', None), ('erasure_requested_at__isnull', False)), fields=['erasure_requested_at'], name='worker_to_erase')],
                'constraints': [models.CheckConstraint(condition=models.Q(('owed__gte', 0)), name='worker_never_overpaid')],
            },
        ),
        migrations.CreateModel(
            name='QualificationRequest',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('external_id', models.CharField(default=crowd.marketplace.domain.new_id, max_length=64, unique=True)),
                ('status', models.CharField(choices=[('Started', 'Started'), ('Pending', 'Pending'), ('Granted', 'Granted'), ('Rejected', 'Rejected'), ('Lapsed', 'Lapsed'), ('Withdrawn', 'Withdrawn')], max_length=16)),
                ('started_at', models.DateTimeField()),
                ('deadline_at', models.DateTimeField(null=True)),
                ('submitted_at', models.DateTimeField(null=True)),
                ('decided_at', models.DateTimeField(null=True)),
                ('answer', models.TextField(blank=True)),
                ('reason', models.TextField(blank=True)),
                ('type', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='requests', to='marketplace.qualificationtype')),
                ('worker', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='qualification_requests', to='marketplace.worker')),
            ],
        ),
        migrations.CreateModel(
            name='Qualification',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('value', models.IntegerField()),
                ('granted_at', models.DateTimeField()),
                ('revoked_at', models.DateTimeField(null=True)),
                ('reason', models.TextField(blank=True, help_text='Why it was revoked, for the worker.')),
                ('type', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='qualifications', to='marketplace.qualificationtype')),
                ('worker', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='qualifications', to='marketplace.worker')),
            ],
        ),
        migrations.CreateModel(
            name='Payout',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('amount', models.DecimalField(decimal_places=2, max_digits=13)),
                ('reference', models.CharField(blank=True, help_text='Words for the transfer in the books.', max_length=128)),
                ('paid_by', models.CharField(max_length=64)),
                ('paid_at', models.DateTimeField()),
                ('worker', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='payouts', to='marketplace.worker')),
            ],
        ),
        migrations.CreateModel(
            name='Message',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('subject', models.CharField(max_length=200)),
                ('text', models.TextField()),
                ('sent_at', models.DateTimeField()),
                ('read_at', models.DateTimeField(null=True)),
                ('requester', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='messages', to='marketplace.requester')),
                ('worker', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='messages', to='marketplace.worker')),
            ],
        ),
        migrations.CreateModel(
            name='LedgerEntry',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('account', models.CharField(choices=[('deposits', 'Deposits'), ('available', 'Available'), ('held', 'Held'), ('workers', 'Workers'), ('fees', 'Fees'), ('paid', 'Paid')], max_length=16)),
                ('amount', models.DecimalField(decimal_places=2, max_digits=13)),
                ('transfer', models.UUIDField()),
                ('subject', models.CharField(help_text='The HIT, assignment or deposit that the transfer is about.', max_length=64)),
                ('created_at', models.DateTimeField()),
                ('requester', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='entries', to='marketplace.requester')),
                ('worker', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='entries', to='marketplace.worker')),
            ],
        ),
        migrations.CreateModel(
            name='Invitation',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('token_digest', models.CharField(max_length=64, unique=True)),
                ('created_at', models.DateTimeField()),
                ('expires_at', models.DateTimeField()),
                ('worker', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='invitations', to='marketplace.worker')),
            ],
        ),
        migrations.CreateModel(
            name='BonusPayment',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('amount', models.DecimalField(decimal_places=2, max_digits=13)),
                ('reason', models.TextField()),
                ('granted_at', models.DateTimeField()),
                ('assignment', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='bonuses', to='marketplace.assignment')),
                ('worker', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='bonuses', to='marketplace.worker')),
            ],
        ),
        migrations.CreateModel(
            name='Block',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('reason', models.TextField(blank=True)),
                ('created_at', models.DateTimeField()),
                ('requester', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='blocks', to='marketplace.requester')),
                ('worker', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='blocks', to='marketplace.worker')),
            ],
        ),
        migrations.AddField(
            model_name='assignment',
            name='worker',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='assignments', to='marketplace.worker'),
        ),
        migrations.CreateModel(
            name='WorkerSession',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('token_digest', models.CharField(max_length=64, unique=True)),
                ('created_at', models.DateTimeField()),
                ('expires_at', models.DateTimeField(db_index=True)),
                ('worker', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='sessions', to='marketplace.worker')),
            ],
        ),
        migrations.CreateModel(
            name='Event',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('document_id', models.CharField(default=functools.partial(crowd.marketplace.domain.new_id, *(), **{'length': 40}), help_text='EventDocId.', max_length=64)),
                ('event_type', models.CharField(max_length=32)),
                ('hit_id', models.CharField(blank=True, max_length=64)),
                ('hit_type_id', models.CharField(blank=True, max_length=64)),
                ('assignment_id', models.CharField(blank=True, max_length=64)),
                ('occurred_at', models.DateTimeField()),
                ('due_at', models.DateTimeField()),
                ('attempts', models.PositiveIntegerField(default=0)),
                ('delivered_at', models.DateTimeField(null=True)),
                ('given_up_at', models.DateTimeField(null=True)),
                ('last_error', models.CharField(blank=True, max_length=500)),
                ('destination', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='events', to='marketplace.destination')),
            ],
            options={
                'indexes': [models.Index(condition=models.Q(('delivered_at', None), ('given_up_at', None)), fields=['destination', 'due_at'], name='event_to_send'), models.Index(condition=models.Q(('delivered_at__isnull', False)), fields=['delivered_at'], name='event_sent'), models.Index(condition=models.Q(('given_up_at__isnull', False)), fields=['given_up_at'], name='event_given_up')],
                'constraints': [models.UniqueConstraint(fields=('destination', 'document_id'), name='event_once_a_destination')],
            },
        ),
        migrations.CreateModel(
            name='AuditEntry',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('token', models.UUIDField(unique=True)),
                ('what', models.CharField(max_length=64)),
                ('about', models.CharField(blank=True, help_text="The requester's or worker's id.", max_length=64)),
                ('note', models.CharField(blank=True, max_length=500)),
                ('done_at', models.DateTimeField()),
                ('operator', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='audit_entries', to='marketplace.operator')),
            ],
            options={
                'indexes': [models.Index(fields=['about', '-id'], name='audit_entry_about')],
            },
        ),
        migrations.CreateModel(
            name='PolicyOutcome',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('level', models.CharField(choices=[('Assignment', 'Assignment'), ('HIT', 'Hit')], max_length=16)),
                ('is_action', models.BooleanField(default=False)),
                ('external_id', models.CharField(default=crowd.marketplace.domain.new_id, max_length=64)),
                ('subject_id', models.CharField(max_length=64)),
                ('subject_type', models.CharField(max_length=16)),
                ('question', models.CharField(blank=True, max_length=128)),
                ('key', models.CharField(help_text='Key of the result, or name of the action.', max_length=64)),
                ('value', models.TextField(blank=True, help_text="The result's value, or the action's status.")),
                ('note', models.TextField(blank=True, help_text="The action's result or error.")),
                ('created_at', models.DateTimeField()),
                ('hit', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='policy_outcomes', to='marketplace.hit')),
            ],
            options={
                'indexes': [models.Index(fields=['hit', 'level', 'id'], name='policy_outcome_of_hit')],
            },
        ),
        migrations.AddConstraint(
            model_name='qualificationtype',
            constraint=models.UniqueConstraint(condition=models.Q(('disposed_at', None)), fields=('requester', 'name'), name='qualification_type_name_once'),
        ),
        migrations.AddConstraint(
            model_name='qualificationtype',
            constraint=models.CheckConstraint(condition=models.Q(('test', ''), models.Q(('is_auto_granted', False), ('test_duration_s__isnull', False)), _connector='OR'), name='qualification_test_has_its_time'),
        ),
        migrations.AddConstraint(
            model_name='layout',
            constraint=models.UniqueConstraint(fields=('requester', 'name'), name='layout_name_once'),
        ),
        migrations.AddIndex(
            model_name='hittype',
            index=models.Index(condition=models.Q(('is_listed', True)), fields=['-id'], name='listed_by_age'),
        ),
        migrations.AddIndex(
            model_name='hittype',
            index=models.Index(condition=models.Q(('is_listed', True)), fields=['-reward', '-id'], name='listed_by_reward'),
        ),
        migrations.AddIndex(
            model_name='hittype',
            index=models.Index(condition=models.Q(('is_listed', True)), fields=['assignment_duration_s', '-id'], name='listed_by_time'),
        ),
        migrations.AddConstraint(
            model_name='hittype',
            constraint=models.UniqueConstraint(fields=('requester', 'digest'), name='hit_type_once_per_terms'),
        ),
        migrations.AddIndex(
            model_name='hit',
            index=models.Index(condition=models.Q(('disposed_at', None)), fields=['requester', 'id'], name='hit_of_requester'),
        ),
        migrations.AddIndex(
            model_name='hit',
            index=models.Index(condition=models.Q(('closed_at__isnull', False), ('disposed_at', None), ('pending', 0)), fields=['requester', 'id'], name='hit_reviewable'),
        ),
        migrations.AddIndex(
            model_name='hit',
            index=models.Index(condition=models.Q(('closed_at', None)), fields=['hit_type', 'id'], name='hit_open'),
        ),
        migrations.AddIndex(
            model_name='hit',
            index=models.Index(condition=models.Q(('closed_at', None)), fields=['expires_at'], name='hit_to_expire'),
        ),
        migrations.AddIndex(
            model_name='hit',
            index=models.Index(condition=models.Q(('closed_at__isnull', False), ('disposed_at', None)), fields=['closed_at'], name='hit_to_dispose'),
        ),
        migrations.AddConstraint(
            model_name='hit',
            constraint=models.CheckConstraint(condition=models.Q(('max_assignments__gte', django.db.models.expressions.CombinedExpression(django.db.models.expressions.CombinedExpression(django.db.models.expressions.CombinedExpression(models.F('pending'), '+', models.F('submitted')), '+', models.F('approved')), '+', models.F('rejected')))), name='hit_never_overfull'),
        ),
        migrations.AddConstraint(
            model_name='destination',
            constraint=models.UniqueConstraint(fields=('requester', 'transport', 'address'), name='destination_once'),
        ),
        migrations.AddConstraint(
            model_name='requesttoken',
            constraint=models.UniqueConstraint(fields=('requester', 'operation', 'token'), name='request_token_once'),
        ),
        migrations.AddConstraint(
            model_name='topic',
            constraint=models.UniqueConstraint(fields=('requester', 'name'), name='topic_once'),
        ),
        migrations.AddConstraint(
            model_name='subscription',
            constraint=models.UniqueConstraint(fields=('topic', 'endpoint'), name='subscription_once'),
        ),
        migrations.AddConstraint(
            model_name='notificationsetting',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('destination', None), ('topic__isnull', False)), models.Q(('destination__isnull', False), ('topic', None)), _connector='OR'), name='setting_tells_a_destination_or_a_topic'),
        ),
        migrations.AddConstraint(
            model_name='upload',
            constraint=models.UniqueConstraint(fields=('assignment', 'question'), name='upload_once_per_question'),
        ),
        migrations.AddIndex(
            model_name='qualificationrequest',
            index=models.Index(condition=models.Q(('status', 'Pending')), fields=['type', 'id'], name='request_to_decide'),
        ),
        migrations.AddIndex(
            model_name='qualificationrequest',
            index=models.Index(condition=models.Q(('status', 'Started')), fields=['deadline_at'], name='test_overdue'),
        ),
        migrations.AddIndex(
            model_name='qualificationrequest',
            index=models.Index(fields=['worker', 'type', '-id'], name='request_of_worker'),
        ),
        migrations.AddConstraint(
            model_name='qualificationrequest',
            constraint=models.UniqueConstraint(condition=models.Q(('status__in', ('Started', 'Pending'))), fields=('type', 'worker'), name='qualification_request_one_open'),
        ),
        migrations.AddConstraint(
            model_name='qualification',
            constraint=models.UniqueConstraint(fields=('type', 'worker'), name='qualification_once_per_worker'),
        ),
        migrations.AddConstraint(
            model_name='payout',
            constraint=models.CheckConstraint(condition=models.Q(('amount__gt', 0)), name='payout_positive'),
        ),
        migrations.AddIndex(
            model_name='message',
            index=models.Index(fields=['worker', '-id'], name='message_of_worker'),
        ),
        migrations.AddIndex(
            model_name='message',
            index=models.Index(condition=models.Q(('read_at', None)), fields=['worker'], name='message_unread'),
        ),
        migrations.AddIndex(
            model_name='ledgerentry',
            index=models.Index(fields=['requester', 'account'], name='ledger_by_account'),
        ),
        migrations.AddConstraint(
            model_name='ledgerentry',
            constraint=models.CheckConstraint(condition=models.Q(('amount', 0), _negated=True), name='ledger_entry_moves_something'),
        ),
        migrations.AddConstraint(
            model_name='ledgerentry',
            constraint=models.UniqueConstraint(fields=('transfer', 'account'), name='ledger_transfer_has_two_sides'),
        ),
        migrations.AddConstraint(
            model_name='ledgerentry',
            constraint=models.CheckConstraint(condition=models.Q(('requester__isnull', False), ('worker__isnull', False), _connector='OR'), name='ledger_entry_is_of_somebody'),
        ),
        migrations.AddConstraint(
            model_name='bonuspayment',
            constraint=models.CheckConstraint(condition=models.Q(('amount__gt', 0)), name='bonus_payment_positive'),
        ),
        migrations.AddConstraint(
            model_name='block',
            constraint=models.UniqueConstraint(fields=('requester', 'worker'), name='block_once'),
        ),
        migrations.AddIndex(
            model_name='assignment',
            index=models.Index(condition=models.Q(('status', 'Accepted')), fields=['deadline_at'], name='work_overdue'),
        ),
        migrations.AddIndex(
            model_name='assignment',
            index=models.Index(condition=models.Q(('status', 'Submitted')), fields=['auto_approval_at'], name='work_to_approve'),
        ),
        migrations.AddIndex(
            model_name='assignment',
            index=models.Index(fields=['worker', '-id'], name='work_of_worker'),
        ),
        migrations.AddIndex(
            model_name='assignment',
            index=models.Index(fields=['hit', 'id'], name='work_of_hit'),
        ),
        migrations.AddConstraint(
            model_name='assignment',
            constraint=models.UniqueConstraint(condition=models.Q(('status__in', ('Accepted', 'Submitted', 'Approved', 'Rejected'))), fields=('hit', 'worker'), name='assignment_one_per_worker_and_hit'),
        ),
        migrations.AddConstraint(
            model_name='assignment',
            constraint=models.UniqueConstraint(fields=('hit', 'worker', 'attempt'), name='assignment_attempt_once'),
        ),
        migrations.AddConstraint(
            model_name='assignment',
            constraint=models.UniqueConstraint(condition=models.Q(('status__in', ('Accepted', 'Submitted', 'Approved', 'Rejected'))), fields=('external_id',), name='assignment_id_held_once'),
        ),
    ]

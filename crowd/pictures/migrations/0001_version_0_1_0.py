import crowd.pictures.models.pictures
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Import',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=200)),
                ('file', models.FileField(blank=True, upload_to='imports/')),
                ('is_checked', models.BooleanField(default=False)),
                ('made_at', models.DateTimeField()),
                ('begun_at', models.DateTimeField(null=True)),
                ('ended_at', models.DateTimeField(null=True)),
                ('made_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
        ),
        migrations.CreateModel(
            name='Picture',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.CharField(default=crowd.pictures.models.pictures.new_key, editable=False, max_length=32, unique=True)),
                ('sha256', models.CharField(max_length=64, unique=True, verbose_name='SHA-256')),
                ('original_sha256', models.CharField(blank=True, db_index=True, max_length=64, verbose_name='SHA-256 as it came')),
                ('concept', models.CharField(db_index=True, max_length=64)),
                ('caption', models.CharField(blank=True, max_length=500)),
                ('file', models.FileField(upload_to='pictures/')),
                ('media_type', models.CharField(max_length=32)),
                ('source', models.CharField(blank=True, max_length=500)),
                ('credit', models.CharField(blank=True, max_length=500)),
                ('licence', models.CharField(blank=True, max_length=64)),
                ('added_at', models.DateTimeField(auto_now_add=True)),
                ('in_pool', models.BooleanField(default=True, verbose_name='image sets are drawn from it')),
                ('status', models.CharField(choices=[('waiting', 'Waits for the check'), ('fit', 'Fit'), ('unfit', 'Unfit'), ('removed', 'Removed')], default='waiting', max_length=8)),
                ('former_status', models.CharField(blank=True, choices=[('waiting', 'Waits for the check'), ('fit', 'Fit'), ('unfit', 'Unfit'), ('removed', 'Removed')], max_length=8)),
                ('unfit_reason', models.CharField(blank=True, choices=[('mismatch', 'It does not show its concept'), ('words', 'It shows written words'), ('inappropriate', 'It is inappropriate'), ('quality', 'It is too small, blurred or cropped'), ('rights', 'Its source or licence is not clear'), ('profane', 'Its concept is profane')], max_length=16)),
                ('removal_reason', models.CharField(blank=True, max_length=200)),
                ('removed_at', models.DateTimeField(null=True)),
                ('checked_at', models.DateTimeField(null=True)),
                ('claimed_until', models.DateTimeField(null=True)),
                ('skipped', models.PositiveIntegerField(default=0)),
                ('prepared_at', models.DateTimeField(null=True)),
                ('problem', models.CharField(blank=True, max_length=300)),
                ('width', models.PositiveIntegerField(null=True)),
                ('height', models.PositiveIntegerField(null=True)),
                ('has_thumbnails', models.BooleanField(default=False)),
                ('perceptual_hash', models.BigIntegerField(null=True)),
                ('read_by', models.CharField(blank=True, max_length=64, verbose_name='letters read by')),
                ('ocr_text', models.TextField(blank=True, verbose_name='written on it')),
                ('shows_words', models.BooleanField(default=False)),
                ('shows_concept', models.BooleanField(default=False)),
                ('is_profane', models.BooleanField(default=False)),
                ('checked_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('claimed_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'permissions': [('import_picture', 'Can import pictures'), ('check_picture', 'Can check pictures'), ('remove_picture', 'Can remove and restore pictures')],
            },
        ),
        migrations.CreateModel(
            name='Original',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('sha256', models.CharField(max_length=64, verbose_name='SHA-256')),
                ('file', models.FileField(upload_to='originals/')),
                ('name', models.CharField(blank=True, max_length=200, verbose_name='name of the file')),
                ('bytes', models.PositiveIntegerField()),
                ('sender', models.CharField(blank=True, max_length=80)),
                ('sent_at', models.DateTimeField()),
                ('sent_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('picture', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='originals', to='pictures.picture')),
            ],
            options={
                'permissions': [('view_original', 'Can download pictures as they were uploaded')],
                'default_permissions': (),
            },
        ),
        migrations.CreateModel(
            name='Report',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('reason', models.CharField(choices=[('inappropriate', 'The picture is inappropriate'), ('missing', 'The picture is missing'), ('other', 'Something else is wrong with it')], max_length=16)),
                ('text', models.CharField(blank=True, max_length=500)),
                ('by_worker', models.CharField(max_length=64, null=True)),
                ('made_at', models.DateTimeField()),
                ('status', models.CharField(choices=[('open', 'Open'), ('upheld', 'Upheld: the picture stays removed'), ('dismissed', 'Dismissed: the picture is back')], default='open', max_length=9)),
                ('decided_at', models.DateTimeField(null=True)),
                ('decided_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('picture', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='reports', to='pictures.picture')),
            ],
        ),
        migrations.CreateModel(
            name='Request',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('place', models.CharField(max_length=300)),
                ('concept', models.CharField(max_length=64)),
                ('caption', models.CharField(blank=True, max_length=500)),
                ('source', models.CharField(blank=True, max_length=500)),
                ('credit', models.CharField(blank=True, max_length=500)),
                ('licence', models.CharField(blank=True, max_length=64)),
                ('url', models.CharField(blank=True, max_length=2000)),
                ('member', models.CharField(blank=True, max_length=1000)),
                ('status', models.CharField(choices=[('waiting', 'Waits'), ('added', 'Added'), ('duplicate', 'In the pool already'), ('failed', 'Failed')], default='waiting', max_length=9)),
                ('tries', models.PositiveSmallIntegerField(default=0)),
                ('try_at', models.DateTimeField(null=True)),
                ('problem', models.CharField(blank=True, max_length=500)),
                ('importing', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='requests', to='pictures.import')),
                ('picture', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='pictures.picture')),
            ],
        ),
        migrations.AddIndex(
            model_name='import',
            index=models.Index(condition=models.Q(('begun_at__isnull', False), ('ended_at', None)), fields=['id'], name='import_running'),
        ),
        migrations.AddIndex(
            model_name='picture',
            index=models.Index(fields=['status', 'skipped', 'id'], name='picture_by_status'),
        ),
        migrations.AddIndex(
            model_name='picture',
            index=models.Index(fields=['checked_by', '-checked_at'], name='picture_by_checker'),
        ),
        migrations.AddIndex(
            model_name='picture',
            index=models.Index(condition=models.Q(('prepared_at', None)), fields=['id'], name='picture_to_prepare'),
        ),
        migrations.AddIndex(
            model_name='picture',
            index=models.Index(condition=models.Q(('read_by', '')), fields=['id'], name='picture_to_read'),
        ),
        migrations.AddConstraint(
            model_name='picture',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('former_status__in', ['waiting', 'fit', 'unfit']), ('removed_at__isnull', False), ('status', 'removed')), models.Q(models.Q(('status', 'removed'), _negated=True), ('former_status', ''), ('removed_at', None)), _connector='OR'), name='picture_removed_from_somewhere'),
        ),
        migrations.AddConstraint(
            model_name='picture',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('status', 'unfit'), _negated=True), models.Q(('unfit_reason', ''), _negated=True), _connector='OR'), name='picture_unfit_for_a_reason'),
        ),
        migrations.AddConstraint(
            model_name='original',
            constraint=models.UniqueConstraint(fields=('picture', 'sha256'), name='original_once_per_picture'),
        ),
        migrations.AddIndex(
            model_name='report',
            index=models.Index(condition=models.Q(('status', 'open')), fields=['id'], name='report_open'),
        ),
        migrations.AddIndex(
            model_name='report',
            index=models.Index(fields=['by_worker', 'made_at'], name='report_by_worker'),
        ),
        migrations.AddConstraint(
            model_name='report',
            constraint=models.UniqueConstraint(condition=models.Q(('by_worker__isnull', False)), fields=('picture', 'by_worker'), name='report_once_for_a_worker'),
        ),
        migrations.AddConstraint(
            model_name='report',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('decided_at', None), ('status', 'open')), models.Q(models.Q(('status', 'open'), _negated=True), ('decided_at__isnull', False)), _connector='OR'), name='report_decided_at_some_time'),
        ),
        migrations.AddIndex(
            model_name='request',
            index=models.Index(condition=models.Q(('status', 'waiting')), fields=['try_at', 'id'], name='request_due'),
        ),
        migrations.AddIndex(
            model_name='request',
            index=models.Index(fields=['importing', 'status'], name='request_of_import'),
        ),
        migrations.AddConstraint(
            model_name='request',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('url', ''), models.Q(('member', ''), _negated=True)), models.Q(models.Q(('url', ''), _negated=True), ('member', '')), _connector='OR'), name='request_from_one_place'),
        ),
        migrations.AddConstraint(
            model_name='request',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('picture__isnull', False), ('status__in', ['added', 'duplicate'])), models.Q(('picture', None), ('status__in', ['waiting', 'failed'])), _connector='OR'), name='request_fulfilled_has_picture'),
        ),
    ]

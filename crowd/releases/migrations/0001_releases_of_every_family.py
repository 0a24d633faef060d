import django.core.validators
import django.db.models.deletion
import uuid
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('hits', '0001_version_0_1_0'),
        # Its table is made there, and gets its name.
        ('winogavil_releases', '0003_releases_of_every_family'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.CreateModel(
                    name='Release',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('public_id', models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                        ('title', models.CharField(help_text='Name of the data on their card.', max_length=128)),
                        ('version', models.CharField(help_text='Such as 1.0. Each version of a study is made once.', max_length=32, validators=[django.core.validators.RegexValidator('^[A-Za-z0-9][A-Za-z0-9._-]*\\Z', 'A version is letters, digits, dots and dashes, such as 1.0.')])),
                        ('licence', models.CharField(default='CC BY 4.0', help_text='License of the cues, choices and answers. Pictures keep their own.', max_length=64)),
                        ('notes', models.TextField(blank=True, help_text='Printed on the card: what is special about these data.', max_length=5000)),
                        ('sources', models.JSONField(default=list)),
                        ('selection_threshold', models.PositiveSmallIntegerField(default=80, help_text='The published form has the associations whose solvers have a mean of at least this. Lower it for more data of lower quality, raise it for less of higher quality.', validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(100)], verbose_name='selection threshold, in per cent')),
                        ('with_rest', models.BooleanField(default=False, help_text='The published form never has it.', verbose_name='the full form has what people did not solve, too')),
                        ('linkable', models.BooleanField(default=False, help_text='Off: a person has another pseudonym in each release.', verbose_name='people keep their pseudonyms from release to release')),
                        ('status', models.CharField(choices=[('freezing', 'Reading the associations'), ('writing', 'Writing the files'), ('ready', 'Ready'), ('released', 'Published'), ('failed', 'Failed')], default='freezing', max_length=16)),
                        ('problem', models.CharField(blank=True, max_length=500)),
                        ('made_at', models.DateTimeField()),
                        ('ready_at', models.DateTimeField(null=True)),
                        ('released_at', models.DateTimeField(null=True)),
                        ('cursor', models.BigIntegerField(default=0)),
                        ('written', models.BigIntegerField(default=0)),
                        ('rows_wanted', models.PositiveIntegerField(default=0)),
                        ('rows_done', models.PositiveIntegerField(default=0)),
                        ('ambiguous', models.JSONField(default=list)),
                        ('files', models.JSONField(default=list)),
                        ('counts', models.JSONField(default=dict)),
                        ('made_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('released_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('study', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='releases', to='hits.study')),
                    ],
                    options={
                        'ordering': ('-pk',),
                        'permissions': [('publish_release', 'Can declare a release as published')],
                    },
                ),
                migrations.AddIndex(
                    model_name='release',
                    index=models.Index(condition=models.Q(('status__in', ('freezing', 'writing'))), fields=['id'], name='release_to_write'),
                ),
                migrations.AddConstraint(
                    model_name='release',
                    constraint=models.UniqueConstraint(fields=('study', 'version'), name='release_version_once'),
                ),
                migrations.AddConstraint(
                    model_name='release',
                    constraint=models.CheckConstraint(condition=models.Q(models.Q(('status__in', ('ready', 'released')), _negated=True), ('ready_at__isnull', False), _connector='OR'), name='release_ready_at_some_time'),
                ),
                migrations.AddConstraint(
                    model_name='release',
                    constraint=models.CheckConstraint(condition=models.Q(models.Q(('released_at__isnull', False), ('status', 'released')), models.Q(models.Q(('status', 'released'), _negated=True), ('released_at', None)), _connector='OR'), name='release_released_at_some_time'),
                ),
                migrations.AddConstraint(
                    model_name='release',
                    constraint=models.CheckConstraint(condition=models.Q(('selection_threshold__gte', 1), ('selection_threshold__lte', 100)), name='release_selection_threshold_per_cent'),
                ),
            ],
        ),
    ]

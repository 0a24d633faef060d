import django.core.validators
import django.db.models.deletion
import uuid
from django.conf import settings
from django.db import migrations, models

from crowd.winoground.first_rows import lay_tags


def lay_first_rows(apps, schema_editor):
    lay_tags(apps.get_model("winoground", "Tag"), using=schema_editor.connection.alias)


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('hits', '0001_version_0_1_0'),
        ('pictures', '0001_version_0_1_0'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Example',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('public_id', models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ('number', models.PositiveIntegerField(editable=False)),
                ('state', models.CharField(choices=[('draft', 'Draft'), ('ready', 'Ready'), ('asked', 'Asked of workers'), ('withdrawn', 'Withdrawn')], default='draft', max_length=16)),
                ('caption_0', models.CharField(blank=True, max_length=300, verbose_name='caption A')),
                ('caption_1', models.CharField(blank=True, max_length=300, verbose_name='caption B')),
                ('has_altered_morpheme', models.BooleanField(default=False, help_text='As in watch and watching: the words may differ by more than their order.', verbose_name='a word changes its form')),
                ('swap', models.CharField(blank=True, choices=[('object', 'Object'), ('relation', 'Relation'), ('both', 'Both')], max_length=8, verbose_name='what is swapped')),
                ('predicates', models.PositiveSmallIntegerField(choices=[(1, 'One main predicate'), (2, 'Two main predicates')], null=True, verbose_name='main predicates')),
                ('is_symbolic', models.BooleanField(default=False, verbose_name='symbolic')),
                ('is_series', models.BooleanField(default=False, verbose_name='of one series')),
                ('is_pragmatic', models.BooleanField(default=False, verbose_name='pragmatic')),
                ('note', models.TextField(blank=True, max_length=2000, verbose_name='note for colleagues')),
                ('created_at', models.DateTimeField()),
                ('changed_at', models.DateTimeField()),
                ('asked_at', models.DateTimeField(null=True)),
                ('author', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('image_0', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='pictures.picture')),
                ('image_1', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='pictures.picture')),
            ],
            options={
                'ordering': ('project', 'number'),
            },
        ),
        migrations.CreateModel(
            name='FirstQuestion',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('caption', models.CharField(max_length=300)),
                ('is_match', models.BooleanField()),
                ('item', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='winoground_first_question', to='hits.item')),
                ('picture', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='pictures.picture')),
            ],
        ),
        migrations.CreateModel(
            name='ModelScores',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=120)),
                ('about', models.CharField(blank=True, max_length=500)),
                ('added_at', models.DateTimeField()),
                ('added_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name_plural': 'model scores',
            },
        ),
        migrations.CreateModel(
            name='Pairing',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('caption', models.PositiveSmallIntegerField()),
                ('image', models.PositiveSmallIntegerField()),
                ('example', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='pairings', to='winoground.example')),
                ('item', models.OneToOneField(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='winoground_pairing', to='hits.item')),
            ],
        ),
        migrations.CreateModel(
            name='ModelScore',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('value', models.FloatField()),
                ('scores', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='rows', to='winoground.modelscores')),
                ('pairing', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='winoground.pairing')),
            ],
        ),
        migrations.CreateModel(
            name='Project',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('answers_wanted', models.PositiveSmallIntegerField(default=10, validators=[django.core.validators.MinValueValidator(1)], verbose_name='workers for each combination')),
                ('apart', models.CharField(choices=[('never', 'never: each worker sees one combination of an example'), ('gap', 'after a number of questions about other examples')], default='never', max_length=8, verbose_name='a worker sees another combination of the same example')),
                ('least_gap', models.PositiveSmallIntegerField(default=20, validators=[django.core.validators.MinValueValidator(1)], verbose_name='questions about other examples in between')),
                ('study', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='winoground', to='hits.study')),
            ],
            options={
                'verbose_name': 'caption matching',
                'verbose_name_plural': 'caption matching',
            },
        ),
        migrations.AddField(
            model_name='modelscores',
            name='project',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='model_scores', to='winoground.project'),
        ),
        migrations.AddField(
            model_name='example',
            name='project',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='examples', to='winoground.project'),
        ),
        migrations.CreateModel(
            name='SecondChance',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('first_answer', models.JSONField(default=dict)),
                ('at', models.DateTimeField()),
                ('assignment', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='winoground_second_chance', to='hits.assignment')),
                ('item', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='hits.item')),
            ],
        ),
        migrations.CreateModel(
            name='Tag',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=80, unique=True)),
                ('is_first', models.BooleanField(default=False, editable=False, verbose_name='of the paper')),
                ('added_at', models.DateTimeField(auto_now_add=True)),
                ('added_by', models.ForeignKey(editable=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ('name',),
            },
        ),
        migrations.AddField(
            model_name='example',
            name='tags',
            field=models.ManyToManyField(blank=True, related_name='examples', to='winoground.tag'),
        ),
        migrations.AddConstraint(
            model_name='pairing',
            constraint=models.UniqueConstraint(fields=('example', 'caption', 'image'), name='winoground_pairing_once'),
        ),
        migrations.AddConstraint(
            model_name='pairing',
            constraint=models.CheckConstraint(condition=models.Q(('caption__lte', 1), ('image__lte', 1)), name='winoground_pairing_two'),
        ),
        migrations.AddConstraint(
            model_name='modelscore',
            constraint=models.UniqueConstraint(fields=('scores', 'pairing'), name='winoground_score_once'),
        ),
        migrations.AddConstraint(
            model_name='project',
            constraint=models.CheckConstraint(condition=models.Q(('answers_wanted__gt', 0), ('least_gap__gt', 0)), name='winoground_project_wants_answers'),
        ),
        migrations.AddConstraint(
            model_name='modelscores',
            constraint=models.UniqueConstraint(fields=('project', 'name'), name='winoground_scores_once'),
        ),
        migrations.AddIndex(
            model_name='example',
            index=models.Index(fields=['project', 'state', 'number'], name='winoground_example_by_state'),
        ),
        migrations.AddConstraint(
            model_name='example',
            constraint=models.UniqueConstraint(fields=('project', 'number'), name='winoground_example_number_once'),
        ),
        migrations.AddConstraint(
            model_name='example',
            constraint=models.CheckConstraint(condition=models.Q(('state__in', ['draft', 'withdrawn']), models.Q(('image_0__isnull', False), ('image_1__isnull', False), ('predicates__isnull', False), models.Q(('caption_0', ''), _negated=True), models.Q(('caption_1', ''), _negated=True), models.Q(('swap', ''), _negated=True)), _connector='OR'), name='winoground_example_whole_before_asked'),
        ),
        migrations.AddConstraint(
            model_name='example',
            constraint=models.CheckConstraint(condition=models.Q(('image_0', None), ('image_1', None), models.Q(('image_0', models.F('image_1')), _negated=True), _connector='OR'), name='winoground_example_two_images'),
        ),
        migrations.RunPython(lay_first_rows, migrations.RunPython.noop),
    ]

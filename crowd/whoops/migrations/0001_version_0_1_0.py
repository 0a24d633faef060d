import django.core.validators
import django.db.models.deletion
import uuid
from decimal import Decimal
from django.conf import settings
from django.db import migrations, models

from crowd.whoops.first_rows import lay_categories


def lay_first_rows(apps, schema_editor):
    lay_categories(apps.get_model("whoops", "Category"), using=schema_editor.connection.alias)


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('hits', '0001_version_0_1_0'),
        ('pictures', '0001_version_0_1_0'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Category',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=80, unique=True)),
                ('about', models.CharField(blank=True, max_length=200)),
            ],
            options={
                'verbose_name_plural': 'categories',
                'ordering': ('name',),
            },
        ),
        migrations.CreateModel(
            name='Designer',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('public_id', models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ('name', models.CharField(help_text='For you and your colleagues; the data never show it.', max_length=80)),
                ('is_paid', models.BooleanField(default=False, verbose_name='is paid for each accepted image')),
                ('is_active', models.BooleanField(default=True, verbose_name='may send images')),
                ('link_number', models.PositiveIntegerField(default=1, editable=False)),
                ('link_until', models.DateTimeField(editable=False, null=True)),
                ('invited_at', models.DateTimeField(editable=False)),
                ('seen_at', models.DateTimeField(editable=False, null=True)),
                ('invited_by', models.ForeignKey(editable=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('worker', models.ForeignKey(blank=True, help_text='The worker who is paid for each accepted image. Empty for volunteers.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='hits.worker')),
            ],
        ),
        migrations.CreateModel(
            name='Image',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('public_id', models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ('number', models.PositiveIntegerField(editable=False)),
                ('state', models.CharField(choices=[('control', 'With the control group'), ('returned', 'Back with its designer'), ('review', 'With the reviewers'), ('accepted', 'Accepted'), ('refused', 'Refused'), ('withdrawn', 'Withdrawn by its designer')], default='control', max_length=16)),
                ('revision', models.PositiveSmallIntegerField(default=1)),
                ('prompt', models.TextField(max_length=2000)),
                ('seed', models.CharField(blank=True, max_length=64)),
                ('tool', models.CharField(max_length=80, verbose_name='made with')),
                ('normal_element', models.CharField(max_length=300, verbose_name='what would be normal')),
                ('weird_element', models.CharField(max_length=300, verbose_name='what stands there instead')),
                ('shared_element', models.CharField(max_length=300, verbose_name='what it goes with')),
                ('explanation', models.CharField(max_length=500, verbose_name='why it is weird, in one sentence')),
                ('annotated', models.PositiveSmallIntegerField(default=0, editable=False)),
                ('unowed', models.CharField(blank=True, editable=False, max_length=300, verbose_name='why it is not owed yet')),
                ('sent_at', models.DateTimeField()),
                ('changed_at', models.DateTimeField()),
                ('accepted_at', models.DateTimeField(null=True)),
                ('annotation_item', models.OneToOneField(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='whoops_annotation', to='hits.item')),
                ('bonus', models.OneToOneField(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='hits.bonus')),
                ('category', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='images', to='whoops.category')),
                ('control_item', models.OneToOneField(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='whoops_control', to='hits.item')),
                ('designer', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='images', to='whoops.designer')),
                ('picture', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='pictures.picture')),
            ],
            options={
                'ordering': ('project', 'number'),
                'permissions': [('decide_image', 'Can decide on images'), ('review_image', 'Can check images for harm')],
            },
        ),
        migrations.CreateModel(
            name='Annotation',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('caption', models.CharField(max_length=500)),
                ('explanation', models.CharField(max_length=500)),
                ('underspecified', models.CharField(max_length=500)),
                ('state', models.CharField(choices=[('counted', 'Counted'), ('held', 'Held back until a person decides'), ('dropped', 'Dropped: another worker is asked')], default='counted', max_length=8)),
                ('flags', models.JSONField(default=list)),
                ('why', models.CharField(blank=True, max_length=300, verbose_name='why it was dropped')),
                ('decided_at', models.DateTimeField(null=True)),
                ('assignment', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='hits.assignment')),
                ('decided_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('worker', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='hits.worker')),
                ('image', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='annotations', to='whoops.image')),
            ],
            options={
                'permissions': [('decide_annotation', 'Can decide which annotations count')],
            },
        ),
        migrations.CreateModel(
            name='MatchingScores',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=120)),
                ('about', models.CharField(blank=True, max_length=500)),
                ('added_at', models.DateTimeField()),
                ('added_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name_plural': 'matching scores',
            },
        ),
        migrations.CreateModel(
            name='MatchingRow',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('detailed', models.FloatField()),
                ('underspecified', models.FloatField()),
                ('annotation', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='whoops.annotation')),
                ('scores', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='rows', to='whoops.matchingscores')),
            ],
        ),
        migrations.CreateModel(
            name='Partner',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('normal', 'Normal: made with the same tool'), ('natural', 'Natural: a photograph')], max_length=8)),
                ('prompt', models.TextField(blank=True, max_length=2000)),
                ('seed', models.CharField(blank=True, max_length=64)),
                ('tool', models.CharField(blank=True, max_length=80, verbose_name='made with')),
                ('added_at', models.DateTimeField()),
                ('image', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='partners', to='whoops.image')),
                ('picture', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='pictures.picture')),
            ],
        ),
        migrations.CreateModel(
            name='Project',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('control_wanted', models.PositiveSmallIntegerField(default=3, validators=[django.core.validators.MinValueValidator(1)], verbose_name='people in the control group, for each image')),
                ('control_needed', models.PositiveSmallIntegerField(default=2, validators=[django.core.validators.MinValueValidator(1)], verbose_name='so many of them must see what is weird')),
                ('reviews_wanted', models.PositiveSmallIntegerField(default=4, validators=[django.core.validators.MinValueValidator(1)], verbose_name='reviewers who check each image for harm')),
                ('annotations_wanted', models.PositiveSmallIntegerField(default=5, validators=[django.core.validators.MinValueValidator(1)], verbose_name='workers who annotate each image')),
                ('judges_wanted', models.PositiveSmallIntegerField(default=3, help_text='An odd number, so that there is always a majority.', validators=[django.core.validators.MinValueValidator(1)], verbose_name='workers who judge each question')),
                ('image_pay', models.DecimalField(decimal_places=2, default=Decimal('6.00'), max_digits=13, validators=[django.core.validators.MinValueValidator(Decimal('0.01'))], verbose_name='dollars for each accepted image')),
                ('negatives', models.PositiveSmallIntegerField(default=25, help_text='How many wrong answers, taken from other images, are verified beside the right ones.', validators=[django.core.validators.MaxValueValidator(90)], verbose_name='per cent of answers that are wrong on purpose')),
                ('grows_by_itself', models.BooleanField(default=False, help_text='On: images that are ready are asked about at once, within the budget. Off: on a click.', verbose_name='launched batches grow')),
                ('guide', models.TextField(blank=True, help_text='Shown above the guidelines.', max_length=5000, verbose_name='words to designers')),
                ('study', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='whoops', to='hits.study')),
            ],
            options={
                'verbose_name': 'weird images',
                'verbose_name_plural': 'weird images',
            },
        ),
        migrations.AddField(
            model_name='matchingscores',
            name='project',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='matching_scores', to='whoops.project'),
        ),
        migrations.AddField(
            model_name='image',
            name='project',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='images', to='whoops.project'),
        ),
        migrations.AddField(
            model_name='designer',
            name='project',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='designers', to='whoops.project'),
        ),
        migrations.CreateModel(
            name='Question',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('whoops.identify', 'Weird or normal'), ('whoops.explanations', 'Explanations'), ('whoops.answers', 'Questions and answers'), ('whoops.captions', 'Captions')], max_length=32)),
                ('key', models.CharField(max_length=120)),
                ('variant', models.CharField(choices=[('weird', 'Weird'), ('normal', 'Normal'), ('natural', 'Natural')], default='weird', max_length=8)),
                ('text', models.CharField(blank=True, max_length=500)),
                ('added_at', models.DateTimeField()),
                ('withdrawn_at', models.DateTimeField(editable=False, null=True)),
                ('image', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='questions', to='whoops.image')),
                ('item', models.OneToOneField(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='whoops_question', to='hits.item')),
                ('picture', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='pictures.picture')),
                ('project', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='questions', to='whoops.project')),
            ],
        ),
        migrations.CreateModel(
            name='Option',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveSmallIntegerField()),
                ('text', models.CharField(blank=True, max_length=500)),
                ('source', models.CharField(blank=True, max_length=120)),
                ('label', models.BooleanField(null=True)),
                ('question', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='options', to='whoops.question')),
            ],
            options={
                'ordering': ('question', 'number'),
            },
        ),
        migrations.CreateModel(
            name='Review',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('revision', models.PositiveSmallIntegerField()),
                ('is_harmful', models.BooleanField()),
                ('note', models.CharField(blank=True, max_length=500)),
                ('at', models.DateTimeField()),
                ('by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('image', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='reviews', to='whoops.image')),
            ],
        ),
        migrations.CreateModel(
            name='Revision',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveSmallIntegerField()),
                ('texts', models.JSONField(default=dict)),
                ('sent_at', models.DateTimeField()),
                ('outcome', models.CharField(blank=True, choices=[('', 'Not decided yet'), ('returned', 'Returned'), ('accepted', 'Accepted'), ('refused', 'Refused'), ('withdrawn', 'Withdrawn')], default='', max_length=16)),
                ('reason', models.CharField(blank=True, max_length=1000)),
                ('ended_at', models.DateTimeField(null=True)),
                ('control_item', models.OneToOneField(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='whoops_revision', to='hits.item')),
                ('ended_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('image', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='revisions', to='whoops.image')),
                ('picture', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='pictures.picture')),
            ],
        ),
        migrations.CreateModel(
            name='TrainingImage',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('caption', models.CharField(max_length=500, verbose_name='a good caption')),
                ('explanation', models.CharField(max_length=500, verbose_name='a good explanation')),
                ('underspecified', models.CharField(max_length=500, verbose_name='a good underspecified caption')),
                ('item', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='whoops_training_image', to='hits.item')),
                ('picture', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='pictures.picture')),
            ],
        ),
        migrations.CreateModel(
            name='ControlAnswer',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('revision', models.PositiveSmallIntegerField()),
                ('text', models.CharField(blank=True, max_length=500)),
                ('saw_nothing', models.BooleanField(default=False)),
                ('seen', models.BooleanField(null=True)),
                ('note', models.CharField(blank=True, max_length=300)),
                ('decided_at', models.DateTimeField(null=True)),
                ('claimed_until', models.DateTimeField(null=True)),
                ('assignment', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='hits.assignment')),
                ('claimed_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('decided_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('worker', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='hits.worker')),
                ('image', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='control_answers', to='whoops.image')),
            ],
            options={
                'indexes': [models.Index(condition=models.Q(('seen', None)), fields=['image'], name='whoops_control_to_decide'), models.Index(fields=['decided_by', '-decided_at'], name='whoops_control_by_person')],
                'constraints': [models.UniqueConstraint(fields=('image', 'revision', 'worker'), name='whoops_control_answer_once'), models.CheckConstraint(condition=models.Q(('saw_nothing', True), ('seen', True), _negated=True), name='whoops_nothing_not_seen')],
            },
        ),
        migrations.AddIndex(
            model_name='annotation',
            index=models.Index(condition=models.Q(('state', 'held')), fields=['image'], name='whoops_annotation_held'),
        ),
        migrations.AddConstraint(
            model_name='annotation',
            constraint=models.UniqueConstraint(fields=('image', 'worker'), name='whoops_annotation_once'),
        ),
        migrations.AddConstraint(
            model_name='matchingrow',
            constraint=models.UniqueConstraint(fields=('scores', 'annotation'), name='whoops_matching_row_once'),
        ),
        migrations.AddConstraint(
            model_name='partner',
            constraint=models.UniqueConstraint(fields=('image', 'kind'), name='whoops_partner_once'),
        ),
        migrations.AddConstraint(
            model_name='project',
            constraint=models.CheckConstraint(condition=models.Q(('annotations_wanted__gt', 0), ('control_needed__gt', 0), ('control_wanted__gte', models.F('control_needed')), ('image_pay__gt', 0), ('judges_wanted__gt', 0), ('negatives__lte', 90), ('reviews_wanted__gt', 0)), name='whoops_project_can_be_met'),
        ),
        migrations.AddConstraint(
            model_name='matchingscores',
            constraint=models.UniqueConstraint(fields=('project', 'name'), name='whoops_matching_once'),
        ),
        migrations.AddIndex(
            model_name='image',
            index=models.Index(fields=['project', 'state', 'number'], name='whoops_image_by_state'),
        ),
        migrations.AddIndex(
            model_name='image',
            index=models.Index(fields=['designer', 'number'], name='whoops_image_by_designer'),
        ),
        migrations.AddIndex(
            model_name='image',
            index=models.Index(condition=models.Q(('state', 'accepted')), fields=['project', 'annotated'], name='whoops_image_to_annotate'),
        ),
        migrations.AddConstraint(
            model_name='image',
            constraint=models.UniqueConstraint(fields=('project', 'number'), name='whoops_image_number_once'),
        ),
        migrations.AddConstraint(
            model_name='image',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('state', 'accepted'), _negated=True), ('accepted_at__isnull', False), _connector='OR'), name='whoops_image_accepted_once'),
        ),
        migrations.AddConstraint(
            model_name='designer',
            constraint=models.UniqueConstraint(fields=('project', 'name'), name='whoops_designer_name_once'),
        ),
        migrations.AddConstraint(
            model_name='designer',
            constraint=models.UniqueConstraint(fields=('project', 'worker'), name='whoops_designer_worker_once'),
        ),
        migrations.AddIndex(
            model_name='question',
            index=models.Index(condition=models.Q(('item', None)), fields=['project', 'kind'], name='whoops_question_to_ask'),
        ),
        migrations.AddConstraint(
            model_name='question',
            constraint=models.UniqueConstraint(fields=('project', 'kind', 'key'), name='whoops_question_once'),
        ),
        migrations.AddConstraint(
            model_name='option',
            constraint=models.UniqueConstraint(fields=('question', 'number'), name='whoops_option_once'),
        ),
        migrations.AddIndex(
            model_name='review',
            index=models.Index(fields=['by', '-at'], name='whoops_review_by_person'),
        ),
        migrations.AddConstraint(
            model_name='review',
            constraint=models.UniqueConstraint(fields=('image', 'revision', 'by'), name='whoops_review_once'),
        ),
        migrations.AddConstraint(
            model_name='review',
            constraint=models.CheckConstraint(condition=models.Q(('is_harmful', False), models.Q(('note', ''), _negated=True), _connector='OR'), name='whoops_harm_is_named'),
        ),
        migrations.AddConstraint(
            model_name='revision',
            constraint=models.UniqueConstraint(fields=('image', 'number'), name='whoops_revision_once'),
        ),
        migrations.RunPython(lay_first_rows, migrations.RunPython.noop),
    ]

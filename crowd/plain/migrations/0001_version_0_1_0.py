import django.core.validators
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
            name='Project',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('answers_wanted', models.PositiveSmallIntegerField(default=3, validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(1000)], verbose_name='different people for each row')),
                ('study', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='plain', to='hits.study')),
            ],
            options={
                'verbose_name': "questions of one's own",
                'verbose_name_plural': "questions of one's own",
            },
        ),
        migrations.CreateModel(
            name='Description',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('version', models.PositiveSmallIntegerField(editable=False)),
                ('text', models.TextField()),
                ('changed_at', models.DateTimeField()),
                ('asked_at', models.DateTimeField(null=True)),
                ('written_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('project', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='descriptions', to='plain.project')),
            ],
        ),
        migrations.CreateModel(
            name='Row',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveIntegerField(editable=False)),
                ('cells', models.JSONField(default=dict)),
                ('description', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='rows', to='plain.description')),
                ('item', models.OneToOneField(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='plain_row', to='hits.item')),
            ],
        ),
        migrations.CreateModel(
            name='RowPicture',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('column', models.CharField(max_length=200)),
                ('picture', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='pictures.picture')),
                ('row', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='pictures', to='plain.row')),
            ],
        ),
        migrations.AddConstraint(
            model_name='project',
            constraint=models.CheckConstraint(condition=models.Q(('answers_wanted__gt', 0), ('answers_wanted__lte', 1000)), name='plain_project_wants_answers'),
        ),
        migrations.AddConstraint(
            model_name='description',
            constraint=models.UniqueConstraint(fields=('project', 'version'), name='plain_version_once'),
        ),
        migrations.AddConstraint(
            model_name='description',
            constraint=models.CheckConstraint(condition=models.Q(('text__icontains', 'title:')), name='plain_description_has_title'),
        ),
        migrations.AddConstraint(
            model_name='row',
            constraint=models.UniqueConstraint(fields=('description', 'number'), name='plain_row_number_once'),
        ),
        migrations.AddConstraint(
            model_name='rowpicture',
            constraint=models.UniqueConstraint(fields=('row', 'column'), name='plain_picture_once'),
        ),
    ]

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('hits', '0001_version_0_1_0'),
        ('winogavil', '0001_version_0_1_0'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Draw',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('types', 'Association types'), ('skills', 'Reasoning skills'), ('baseline', 'Human baseline')], max_length=8)),
                ('recipe', models.JSONField()),
                ('found', models.PositiveIntegerField()),
                ('chosen', models.PositiveIntegerField()),
                ('added', models.PositiveIntegerField()),
                ('drawn_at', models.DateTimeField()),
                ('drawn_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='annotation_draws', to='hits.study')),
            ],
        ),
        migrations.CreateModel(
            name='Annotation',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('types', 'Association types'), ('skills', 'Reasoning skills'), ('baseline', 'Human baseline')], max_length=8)),
                ('labels', models.JSONField(default=list)),
                ('numerator', models.PositiveIntegerField(null=True)),
                ('denominator', models.PositiveIntegerField(null=True)),
                ('final_at', models.DateTimeField(null=True)),
                ('association', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='annotations', to='winogavil.association')),
                ('item', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='annotation', to='hits.item')),
                ('place', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='annotations', to='winogavil.place')),
                ('draw', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='annotations', to='winogavil_annotation.draw')),
            ],
        ),
        migrations.CreateModel(
            name='Judgement',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('given', models.JSONField()),
                ('numerator', models.PositiveSmallIntegerField(null=True)),
                ('denominator', models.PositiveSmallIntegerField(null=True)),
                ('annotation', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='judgements', to='winogavil_annotation.annotation')),
                ('assignment', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='hits.assignment')),
                ('worker', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='hits.worker')),
            ],
        ),
        migrations.AddIndex(
            model_name='annotation',
            index=models.Index(condition=models.Q(('final_at', None)), fields=['id'], name='annotation_open'),
        ),
        migrations.AddConstraint(
            model_name='annotation',
            constraint=models.UniqueConstraint(condition=models.Q(('place', None)), fields=('association', 'kind'), name='annotation_once_per_kind'),
        ),
        migrations.AddConstraint(
            model_name='annotation',
            constraint=models.UniqueConstraint(condition=models.Q(('place__isnull', False)), fields=('place',), name='annotation_once_per_place'),
        ),
        migrations.AddConstraint(
            model_name='annotation',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('kind', 'types'), ('place__isnull', False)), models.Q(models.Q(('kind', 'types'), _negated=True), ('place', None)), _connector='OR'), name='annotation_type_has_place'),
        ),
        migrations.AddConstraint(
            model_name='annotation',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('denominator', None), ('numerator', None)), models.Q(('denominator__gt', 0), ('kind', 'baseline'), ('numerator__lte', models.F('denominator'))), _connector='OR'), name='annotation_mean_is_a_share'),
        ),
        migrations.AddConstraint(
            model_name='annotation',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('kind', 'baseline'), _negated=True), models.Q(('final_at', None), ('numerator', None)), models.Q(('final_at__isnull', False), ('numerator__isnull', False)), _connector='OR'), name='annotation_final_baseline_has_mean'),
        ),
        migrations.AddConstraint(
            model_name='judgement',
            constraint=models.UniqueConstraint(fields=('annotation', 'worker'), name='judgement_once_per_worker'),
        ),
        migrations.AddConstraint(
            model_name='judgement',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('denominator', None), ('numerator', None)), models.Q(('denominator__gt', 0), ('numerator__lte', models.F('denominator'))), _connector='OR'), name='judgement_is_a_share'),
        ),
    ]

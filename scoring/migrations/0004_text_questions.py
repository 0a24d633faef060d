import django.db.models.deletion
from django.db import migrations, models

from hits.identity.roles import extend_roles


def extend(apps, schema_editor):
    """Operators see what waits for the language models, and have what failed answered again."""
    extend_roles(apps)


class Migration(migrations.Migration):

    dependencies = [
        ('scoring', '0003_sealed_verdicts'),
        ('auth', '0012_alter_user_first_name_max_length'),
        ('contenttypes', '0002_remove_content_type_name'),
    ]

    operations = [
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
                'indexes': [models.Index(fields=['status', 'try_at', 'id'], name='text_question_in_turn')],
                'constraints': [models.UniqueConstraint(fields=('rival', 'key'), name='text_question_once_per_rival'), models.CheckConstraint(condition=models.Q(models.Q(('answered_at__isnull', False), ('output__isnull', False), ('status', 'answered')), models.Q(models.Q(('status', 'answered'), _negated=True), ('answered_at', None), ('output__isnull', True)), _connector='OR'), name='text_question_answered_has_an_output'), models.CheckConstraint(condition=models.Q(models.Q(('status', 'failed'), _negated=True), models.Q(('problem', ''), _negated=True), _connector='OR'), name='text_question_failed_says_why')],
            },
        ),
        migrations.RunPython(extend, migrations.RunPython.noop),
    ]

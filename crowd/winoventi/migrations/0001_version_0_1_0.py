import crowd.winoventi.models.projects
import django.core.validators
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('hits', '0001_version_0_1_0'),
        ('scoring', '0001_version_0_1_0'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Noun',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveIntegerField()),
                ('word', models.CharField(max_length=64)),
            ],
            options={
                'ordering': ('number',),
            },
        ),
        migrations.CreateModel(
            name='Generic',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('word', models.CharField(max_length=64)),
                ('k', models.PositiveSmallIntegerField()),
                ('rank', models.PositiveIntegerField(null=True)),
                ('perplexity', models.FloatField(null=True)),
                ('state', models.CharField(choices=[('found', 'Found'), ('stopped', 'On the stop list'), ('cut', 'Cut by its perplexity'), ('posted', 'Posted'), ('nonsense', 'The statement makes no sense'), ('answered', 'Answered')], default='found', max_length=16)),
                ('reason', models.CharField(blank=True, max_length=200)),
                ('assignment', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='hits.assignment')),
                ('item', models.OneToOneField(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='generic', to='hits.item')),
                ('worker', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='hits.worker')),
                ('noun', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='generics', to='winoventi.noun')),
            ],
        ),
        migrations.CreateModel(
            name='Alternative',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('word', models.CharField(max_length=64)),
                ('position', models.PositiveSmallIntegerField()),
                ('key', models.CharField(editable=False, max_length=32)),
                ('state', models.CharField(choices=[('given', 'Given'), ('repeated', 'Given before for the same words'), ('filtered', 'The model does not favor the generic'), ('passed', 'Passed the filter'), ('withdrawn', 'The answer it came from does not count')], default='given', max_length=16)),
                ('reason', models.CharField(blank=True, max_length=200)),
                ('has_premise', models.BooleanField(default=False, editable=False)),
                ('assignment', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='hits.assignment')),
                ('item', models.OneToOneField(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='alternative', to='hits.item')),
                ('worker', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='hits.worker')),
                ('generic', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='alternatives', to='winoventi.generic')),
            ],
        ),
        migrations.CreateModel(
            name='Project',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('ks', models.JSONField(default=crowd.winoventi.models.projects.default_ks)),
                ('stop_list', models.TextField(blank=True, help_text='Words that are never posted as generics, one on a line.')),
                ('cut_by', models.CharField(choices=[('bend', 'at the bend of the curve'), ('hand', 'at a value that you choose for each k'), ('nothing', 'nothing is cut')], default='bend', max_length=8)),
                ('cuts', models.JSONField(blank=True, default=dict)),
                ('most_posted', models.PositiveIntegerField(blank=True, help_text='If more pairs are left than these, they are cut once more.', null=True)),
                ('way', models.CharField(choices=[('properly', 'over all of its pieces, normalized by their number'), ('one_token', 'as if it were one token, as the authors did')], default='properly', max_length=16, verbose_name='a word of several pieces is scored')),
                ('answers_wanted', models.PositiveSmallIntegerField(default=3, validators=[django.core.validators.MinValueValidator(1)], verbose_name='workers who validate a pair')),
                ('fails_by', models.CharField(choices=[('question', 'enough workers say yes to one question'), ('worker', 'enough workers object to anything')], default='worker', max_length=8, verbose_name='a pair fails if')),
                ('fails_at', models.PositiveSmallIntegerField(default=2, validators=[django.core.validators.MinValueValidator(1)], verbose_name='so many')),
                ('judges', models.CharField(choices=[('others', 'all but the author of the premise'), ('strangers', 'only people who have not worked on the pair'), ('anybody', 'all, the author of the premise too')], default='others', max_length=16, verbose_name='who validates')),
                ('choices_wanted', models.PositiveSmallIntegerField(default=1, validators=[django.core.validators.MinValueValidator(1)], verbose_name='people who choose, for each prompt')),
                ('is_stale', models.BooleanField(default=False, editable=False)),
                ('filter_model', models.ForeignKey(blank=True, help_text='Step 3.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='scoring.registeredrival')),
                ('generics_model', models.ForeignKey(blank=True, help_text='Step 1.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='scoring.registeredrival')),
                ('perplexity_model', models.ForeignKey(blank=True, help_text='A causal model that ranks the statements of step 1. None: they are not ranked.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='scoring.registeredrival')),
                ('study', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='winoventi', to='hits.study')),
            ],
            options={
                'verbose_name': 'exception procedure',
            },
        ),
        migrations.CreateModel(
            name='Premise',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('sentence', models.CharField(max_length=1000)),
                ('generic_word', models.CharField(blank=True, max_length=200)),
                ('exception_word', models.CharField(blank=True, max_length=200)),
                ('is_na', models.BooleanField(default=False)),
                ('warnings', models.JSONField(default=list)),
                ('state', models.CharField(choices=[('malformed', 'Not available, or not one bracket with two words'), ('waiting', 'Waits for validation'), ('valid', 'Valid'), ('failed', 'Failed its validation'), ('withdrawn', 'Something it depends on does not count')], default='waiting', max_length=16)),
                ('reason', models.CharField(blank=True, max_length=200)),
                ('is_kept', models.BooleanField(default=True, editable=False)),
                ('settled_at', models.DateTimeField(editable=False, null=True)),
                ('is_prompted', models.BooleanField(default=False, editable=False)),
                ('alternative', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='premises', to='winoventi.alternative')),
                ('assignment', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='hits.assignment')),
                ('item', models.OneToOneField(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='premise', to='hits.item')),
                ('worker', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='hits.worker')),
                ('project', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='premises', to='winoventi.project')),
            ],
        ),
        migrations.AddField(
            model_name='noun',
            name='project',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='nouns', to='winoventi.project'),
        ),
        migrations.CreateModel(
            name='ModelRun',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('purpose', models.CharField(choices=[('reading', 'Words that the model ties to the nouns'), ('ranking', 'Perplexity of the generics'), ('filter', 'Adversarial filter')], max_length=8)),
                ('is_open', models.BooleanField(default=True)),
                ('upto', models.BigIntegerField(default=0)),
                ('waiting', models.PositiveIntegerField(default=0)),
                ('failed', models.PositiveIntegerField(default=0)),
                ('problem', models.CharField(blank=True, max_length=500)),
                ('looks', models.PositiveSmallIntegerField(default=0)),
                ('look_at', models.DateTimeField(null=True)),
                ('started_at', models.DateTimeField()),
                ('done_at', models.DateTimeField(null=True)),
                ('rival', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='scoring.registeredrival')),
                ('project', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='model_runs', to='winoventi.project')),
            ],
            options={
                'verbose_name_plural': 'model_runs',
            },
        ),
        migrations.AddField(
            model_name='generic',
            name='project',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='generics', to='winoventi.project'),
        ),
        migrations.CreateModel(
            name='Evaluation',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=64)),
                ('way', models.CharField(blank=True, choices=[('properly', 'over all of its pieces, normalized by their number'), ('one_token', 'as if it were one token, as the authors did')], max_length=16, verbose_name='words of several pieces')),
                ('is_open', models.BooleanField(default=False)),
                ('waiting', models.PositiveIntegerField(default=0)),
                ('failed', models.PositiveIntegerField(default=0)),
                ('problem', models.CharField(blank=True, max_length=500)),
                ('provenance', models.JSONField(default=dict)),
                ('added_at', models.DateTimeField()),
                ('added_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('rival', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='scoring.registeredrival')),
                ('project', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='evaluations', to='winoventi.project')),
            ],
            options={
                'ordering': ('name',),
            },
        ),
        migrations.AddField(
            model_name='alternative',
            name='project',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='alternatives', to='winoventi.project'),
        ),
        migrations.CreateModel(
            name='Prompt',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('generic', 'Generic'), ('exception', 'Exception')], max_length=16)),
                ('is_answered', models.BooleanField(default=False, editable=False)),
                ('item', models.OneToOneField(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='prompt', to='hits.item')),
                ('premise', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='prompts', to='winoventi.premise')),
            ],
        ),
        migrations.CreateModel(
            name='Choice',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('word', models.CharField(max_length=64)),
                ('is_right', models.BooleanField()),
                ('assignment', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='hits.assignment')),
                ('worker', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='hits.worker')),
                ('prompt', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='choices', to='winoventi.prompt')),
            ],
        ),
        migrations.CreateModel(
            name='Reading',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('template', models.CharField(choices=[('is', 'The {noun} is {word}.'), ('is_not', 'The {noun} is not {word}.'), ('is_comma', 'The {noun} is {word},'), ('is_not_comma', 'The {noun} is not {word},')], max_length=16)),
                ('words', models.JSONField()),
                ('provenance', models.JSONField(default=dict)),
                ('read_at', models.DateTimeField()),
                ('noun', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='readings', to='winoventi.noun')),
                ('rival', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='scoring.registeredrival')),
            ],
        ),
        migrations.CreateModel(
            name='Step',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('generics', '1. Generic associations'), ('exceptions', '2. Exceptions'), ('filter', '3. Adversarial filter'), ('premises', '4. Premises'), ('validations', '5. Validation'), ('choices', 'Human performance')], max_length=16)),
                ('by_itself', models.BooleanField(default=False, help_text='On: whatever passes the step before enters this one at once. Off: on a click.', verbose_name='goes on by itself')),
                ('most_per_worker', models.PositiveIntegerField(blank=True, null=True, validators=[django.core.validators.MinValueValidator(1)], verbose_name='answers of one worker, at most')),
                ('problem', models.TextField(blank=True, editable=False)),
                ('batch', models.ForeignKey(blank=True, help_text='The launched batch that does this step. It grows with what goes on by itself.', null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='hits.batch')),
                ('project', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='steps', to='winoventi.project')),
            ],
        ),
        migrations.CreateModel(
            name='Walk',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('noun', models.CharField(max_length=64)),
                ('generic', models.CharField(max_length=64)),
                ('given_generic', models.CharField(max_length=64)),
                ('given_exception', models.CharField(max_length=64)),
                ('given_sentence', models.CharField(max_length=1000)),
                ('model_answer', models.JSONField()),
                ('item', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='walk', to='hits.item')),
            ],
        ),
        migrations.CreateModel(
            name='FilterScore',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('way', models.CharField(choices=[('properly', 'over all of its pieces, normalized by their number'), ('one_token', 'as if it were one token, as the authors did')], max_length=16)),
                ('p_generic', models.FloatField()),
                ('p_exception', models.FloatField()),
                ('pieces_generic', models.PositiveSmallIntegerField(null=True)),
                ('pieces_exception', models.PositiveSmallIntegerField(null=True)),
                ('passes', models.BooleanField()),
                ('provenance', models.JSONField(default=dict)),
                ('scored_at', models.DateTimeField()),
                ('alternative', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='scores', to='winoventi.alternative')),
                ('rival', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='scoring.registeredrival')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('alternative', 'rival', 'way'), name='winoventi_filter_score_once'), models.UniqueConstraint(condition=models.Q(('rival', None)), fields=('alternative', 'way'), name='winoventi_filter_score_recorded_once'), models.CheckConstraint(condition=models.Q(models.Q(('p_generic__gt', models.F('p_exception')), ('passes', True)), models.Q(('p_generic__lte', models.F('p_exception')), ('passes', False)), _connector='OR'), name='winoventi_filter_score_passes_strictly')],
            },
        ),
        migrations.CreateModel(
            name='ModelAnswer',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('generic', 'generic'), ('exception', 'exception'), ('alone', 'alone')], max_length=16)),
                ('p_target', models.FloatField(null=True)),
                ('p_incorrect', models.FloatField(null=True)),
                ('is_right', models.BooleanField()),
                ('evaluation', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='answers', to='winoventi.evaluation')),
                ('premise', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='model_answers', to='winoventi.premise')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('evaluation', 'premise', 'kind'), name='winoventi_model_answer_once')],
            },
        ),
        migrations.CreateModel(
            name='Judgement',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('generic_synonym', models.BooleanField()),
                ('exception_synonym', models.BooleanField()),
                ('exception_fits_generic', models.BooleanField()),
                ('generic_fits_exception', models.BooleanField()),
                ('assignment', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='hits.assignment')),
                ('worker', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='hits.worker')),
                ('premise', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='judgements', to='winoventi.premise')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('premise', 'worker'), name='winoventi_judgement_once')],
            },
        ),
        migrations.AddIndex(
            model_name='project',
            index=models.Index(condition=models.Q(('is_stale', True)), fields=['id'], name='winoventi_project_stale'),
        ),
        migrations.AddConstraint(
            model_name='project',
            constraint=models.CheckConstraint(condition=models.Q(('answers_wanted__gt', 0), ('choices_wanted__gt', 0), ('fails_at__gt', 0)), name='winoventi_project_wants_answers'),
        ),
        migrations.AddIndex(
            model_name='premise',
            index=models.Index(fields=['project', 'state', 'id'], name='winoventi_premise_by_state'),
        ),
        migrations.AddIndex(
            model_name='premise',
            index=models.Index(condition=models.Q(('is_prompted', False), ('state', 'valid')), fields=['project', 'id'], name='winoventi_premise_to_prompt'),
        ),
        migrations.AddConstraint(
            model_name='premise',
            constraint=models.UniqueConstraint(fields=('alternative', 'worker'), name='winoventi_premise_once'),
        ),
        migrations.AddConstraint(
            model_name='premise',
            constraint=models.UniqueConstraint(condition=models.Q(('is_kept', True)), fields=('alternative',), name='winoventi_premise_one_for_its_triplet'),
        ),
        migrations.AddConstraint(
            model_name='premise',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('state__in', ('valid', 'failed')), ('settled_at__isnull', False)), models.Q(models.Q(('state__in', ('valid', 'failed')), _negated=True), ('settled_at', None)), _connector='OR'), name='winoventi_premise_settled_has_a_moment'),
        ),
        migrations.AddConstraint(
            model_name='premise',
            constraint=models.CheckConstraint(condition=models.Q(('is_kept', True), ('state', 'withdrawn'), _connector='OR'), name='winoventi_premise_kept_or_withdrawn'),
        ),
        migrations.AddIndex(
            model_name='noun',
            index=models.Index(fields=['project', 'word'], name='winoventi_noun_by_word'),
        ),
        migrations.AddConstraint(
            model_name='noun',
            constraint=models.UniqueConstraint(fields=('project', 'number'), name='winoventi_noun_once'),
        ),
        migrations.AddIndex(
            model_name='modelrun',
            index=models.Index(fields=['is_open', 'id'], name='winoventi_model_run_open'),
        ),
        migrations.AddConstraint(
            model_name='modelrun',
            constraint=models.UniqueConstraint(fields=('project', 'rival', 'purpose'), name='winoventi_model_run_once'),
        ),
        migrations.AddConstraint(
            model_name='modelrun',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('done_at', None), ('is_open', True)), models.Q(('done_at__isnull', False), ('is_open', False)), _connector='OR'), name='winoventi_model_run_open_or_done'),
        ),
        migrations.AddIndex(
            model_name='generic',
            index=models.Index(fields=['project', 'state', 'id'], name='winoventi_generic_by_state'),
        ),
        migrations.AddIndex(
            model_name='generic',
            index=models.Index(fields=['project', 'k', 'rank'], name='winoventi_generic_by_rank'),
        ),
        migrations.AddConstraint(
            model_name='generic',
            constraint=models.UniqueConstraint(fields=('noun', 'word'), name='winoventi_generic_once'),
        ),
        migrations.AddConstraint(
            model_name='generic',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('state__in', ('nonsense', 'answered')), ('worker__isnull', False)), models.Q(models.Q(('state__in', ('nonsense', 'answered')), _negated=True), ('assignment', None), ('worker', None)), _connector='OR'), name='winoventi_generic_taken_has_worker'),
        ),
        migrations.AddConstraint(
            model_name='generic',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('state__in', ('found', 'stopped', 'cut')), _negated=True), ('item', None), _connector='OR'), name='winoventi_generic_item_is_posted'),
        ),
        migrations.AddIndex(
            model_name='evaluation',
            index=models.Index(fields=['is_open', 'id'], name='winoventi_evaluation_open'),
        ),
        migrations.AddConstraint(
            model_name='evaluation',
            constraint=models.UniqueConstraint(fields=('project', 'name', 'way'), name='winoventi_evaluation_once'),
        ),
        migrations.AddConstraint(
            model_name='evaluation',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('is_open', False), ('rival', None), ('way', '')), models.Q(('rival__isnull', False), models.Q(('way', ''), _negated=True)), _connector='OR'), name='winoventi_evaluation_asks_registered_models'),
        ),
        migrations.AddIndex(
            model_name='alternative',
            index=models.Index(fields=['project', 'state', 'id'], name='winoventi_alternative_by_state'),
        ),
        migrations.AddIndex(
            model_name='alternative',
            index=models.Index(fields=['project', 'key'], name='winoventi_alternative_by_key'),
        ),
        migrations.AddIndex(
            model_name='alternative',
            index=models.Index(condition=models.Q(('has_premise', False), ('state', 'passed')), fields=['project', 'id'], name='winoventi_alternative_lacking'),
        ),
        migrations.AddConstraint(
            model_name='alternative',
            constraint=models.UniqueConstraint(fields=('generic', 'word', 'worker'), name='winoventi_alternative_once'),
        ),
        migrations.AddConstraint(
            model_name='alternative',
            constraint=models.UniqueConstraint(condition=models.Q(('state__in', ('given', 'filtered', 'passed'))), fields=('project', 'key'), name='winoventi_alternative_one_for_its_words'),
        ),
        migrations.AddIndex(
            model_name='prompt',
            index=models.Index(condition=models.Q(('is_answered', False), ('item__isnull', False)), fields=['id'], name='winoventi_prompt_asked'),
        ),
        migrations.AddConstraint(
            model_name='prompt',
            constraint=models.UniqueConstraint(fields=('premise', 'kind'), name='winoventi_prompt_once'),
        ),
        migrations.AddConstraint(
            model_name='choice',
            constraint=models.UniqueConstraint(fields=('prompt', 'worker'), name='winoventi_choice_once'),
        ),
        migrations.AddConstraint(
            model_name='reading',
            constraint=models.UniqueConstraint(fields=('noun', 'rival', 'template'), name='winoventi_reading_once'),
        ),
        migrations.AddConstraint(
            model_name='step',
            constraint=models.UniqueConstraint(fields=('project', 'kind'), name='winoventi_step_once'),
        ),
    ]

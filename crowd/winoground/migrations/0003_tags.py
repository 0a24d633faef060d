from django.db import migrations

# The fine-grained tags of swaps that the paper names.
NAMES = (
    "Adjective-Age",
    "Adjective-Animate",
    "Adjective-Color",
    "Adjective-Color (3-way swap)",
    "Adjective-Height",
    "Adjective-Manner",
    "Adjective-Manner Phrase",
    "Adjective-Shape",
    "Adjective-Size",
    "Adjective-Spatial",
    "Adjective-Speed",
    "Adjective-Speed Phrase, Verb-Intransitive",
    "Adjective-Temperature",
    "Adjective-Temporal",
    "Adjective-Texture",
    "Adjective-Weight",
    "Adverb-Animate",
    "Adverb-Spatial",
    "Adverb-Spatial Phrase",
    "Adverb-Temporal",
    "Altered POS",
    "Altered POS, Determiner-Numerical",
    "Determiner-Numerical",
    "Determiner-Numerical Phrase",
    "Determiner-Numerical, Noun Phrase",
    "Determiner-Possessive",
    "Negation, Noun Phrase, Preposition Phrase",
    "Negation, Scope",
    "Noun",
    "Noun Phrase",
    "Noun Phrase, Adjective-Animate",
    "Noun Phrase, Adjective-Color",
    "Noun Phrase, Determiner-Numerical",
    "Noun Phrase, Determiner-Possessive",
    "Noun, Adjective-Color",
    "Noun, Adjective-Size",
    "Noun, Preposition Phrase, Scope",
    "Noun, Verb-Intransitive",
    "Preposition",
    "Preposition Phrase",
    "Preposition Phrase, Scope",
    "Pronoun, Noun Phrase",
    "Pronoun, Verb-Intransitive",
    "Relative Clause, Scope",
    "Scope",
    "Scope, Adjective-Manner",
    "Scope, Adjective-Texture",
    "Scope, Altered POS, Verb-Intransitive, Verb-Transitive",
    "Scope, Conjunction",
    "Scope, Conjunction Phrase",
    "Scope, Noun, Preposition",
    "Scope, Preposition",
    "Scope, Preposition Phrase",
    "Scope, Preposition Phrase, Adjective-Color",
    "Scope, Preposition, Verb-Intransitive",
    "Scope, Relative Clause",
    "Scope, Verb-Transitive",
    "Sentence",
    "Verb-Intransitive",
    "Verb-Intransitive Phrase",
    "Verb-Intransitive Phrase, Adverb-Animate",
    "Verb-Intransitive Phrase, Preposition",
    "Verb-Intransitive, Adjective-Manner",
    "Verb-Intransitive, Determiner-Numerical",
    "Verb-Intransitive, Noun",
    "Verb-Intransitive, Verb-Transitive Phrase",
    "Verb-Transitive",
    "Verb-Transitive Phrase",
    "Verb-Transitive Phrase, Verb-Intransitive, Preposition Phrase",
    "Verb-Transitive, Noun",
)


def seed(apps, schema_editor):
    """Those that somebody has added by the same name become the paper's."""
    tag = apps.get_model("winoground", "Tag").objects
    known = set(tag.filter(name__in=NAMES).values_list("name", flat=True))
    tag.filter(name__in=known).update(is_first=True)
    tag.bulk_create(tag.model(name=name, is_first=True) for name in NAMES if name not in known)


class Migration(migrations.Migration):
    dependencies = [("winoground", "0002_roles")]

    operations = [migrations.RunPython(seed, migrations.RunPython.noop)]

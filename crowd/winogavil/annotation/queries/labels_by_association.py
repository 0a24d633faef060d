"""Labels of associations as releases carry them."""

from collections import defaultdict
from collections.abc import Collection

from crowd.winogavil.annotation.models import Annotation, Kind
from crowd.winogavil.given_labels import GivenLabels


def labels_by_association(associations: Collection[int]) -> dict[int, GivenLabels]:
    """Return what most annotators have named, of the final questions about these associations."""
    rows = Annotation.objects.filter(
        association__in=associations, kind__in=[Kind.TYPES, Kind.SKILLS], final_at__isnull=False
    )
    found: defaultdict[int, GivenLabels] = defaultdict(GivenLabels)
    names = ("association_id", "kind", "place__position", "labels")
    for association, kind, position, labels in rows.values_list(*names):
        if kind == Kind.SKILLS:
            found[association].skills = labels
        elif labels:  # one at most: each annotator names one type
            found[association].types[position] = labels[0]
    return dict(found)

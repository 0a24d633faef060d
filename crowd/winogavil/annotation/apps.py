from django.apps import AppConfig


class AnnotationConfig(AppConfig):
    name = "crowd.winogavil.annotation"
    label = "winogavil_annotation"
    verbose_name = "Association game: annotation"

    def ready(self) -> None:
        from crowd.winogavil import given_labels, humans
        from crowd.winogavil.annotation.queries.labels_by_association import labels_by_association
        from crowd.winogavil.annotation.queries.newcomers import newcomers_of
        from crowd.winogavil.annotation.services.annotation_withdrawal import follow_associations, items_about
        from crowd.winogavil.services import withdrawal

        humans.register_baseline(newcomers_of)
        given_labels.register_labels(labels_by_association)
        withdrawal.on_change(follow_associations, items=items_about)

from django.apps import AppConfig

from crowd.marketplace.checks import refuse_exposed_control


class MarketplaceConfig(AppConfig):
    name = "crowd.marketplace"
    label = "marketplace"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        refuse_exposed_control()

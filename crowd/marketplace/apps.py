from django.apps import AppConfig


class MarketplaceConfig(AppConfig):
    name = "crowd.marketplace"
    label = "marketplace"
    default_auto_field = "django.db.models.BigAutoField"

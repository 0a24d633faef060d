from crowd.pictures.admin import imports, picture_reports, pool

__all__ = ["imports", "picture_reports", "pool"]

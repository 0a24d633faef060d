from crowd.pictures.admin import imports, pool, reports

__all__ = ["imports", "pool", "reports"]

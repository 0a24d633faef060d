from crowd.releases.admin.releases import ReleaseAdmin

__all__ = ["ReleaseAdmin"]

from crowd.benchmarks.admin.benchmark_pages import BenchmarkAdmin

__all__ = ["BenchmarkAdmin"]

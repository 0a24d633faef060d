"""Rules of who may work: consent, tests and gates. See docs/architecture.md."""

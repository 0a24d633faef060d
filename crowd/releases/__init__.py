"""Releases: the data of a study, frozen at one moment, in files that can be published."""

"""Mixins of resources that programs write through the forms of the admin."""

"""Releases and predictions for notebooks. Everything needs the scope `export`, since data leave the site."""

"""Releases and predictions for notebooks. Everything here needs the scope `export`: it is data that leave."""

"""What hostile people would try, against every page, file and door at once."""

"""What staff are told without asking: e-mails, posts to a lab's own address, and a list on the home page."""

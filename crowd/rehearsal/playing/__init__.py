"""What plays a rehearsal. All of it runs in a process of its own, on a database that is thrown away."""

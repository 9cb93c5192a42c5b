"""Jobs of the app: work that runs in a process of its own, one file for each kind."""

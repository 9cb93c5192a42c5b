"""The server of the app: its routes behind guards, its pages, its workspaces."""

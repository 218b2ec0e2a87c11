"""Where prompts come from: files, folders, standard input and git revisions."""

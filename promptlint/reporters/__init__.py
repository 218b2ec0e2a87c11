"""One module a format; each turns a report into text and knows nothing else."""

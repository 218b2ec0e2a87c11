"""A chat template tried with conversations of many shapes: where a later request stops continuing an earlier one."""

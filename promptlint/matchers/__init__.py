"""Ways to detect, few and general. A rule names one: the module's name is the matcher's name.

A matcher has `Params` (a dataclass of typed parameters), `FACTS` (what it gives to a rule's message) and one function:
`match(change, params) -> Match | None` for divergences, `notes(pair, params)` or `notes(single, params)` otherwise.
Modules whose name begins with an underscore are shared helpers.
"""

"""Living with findings: comments that silence one, and the file of known findings and accepted breaks."""

from __future__ import annotations

from promptlint.suppressions.baseline import Accepted, Baseline, Known, load, save
from promptlint.suppressions.comments import Comment, comments, names

__all__ = ["Accepted", "Baseline", "Comment", "Known", "comments", "load", "names", "save"]

"""The plots of a replayed log: hit rate over time, divergence positions, cache sizes, the tree of prefixes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from promptlint.model.traced import Branch, CurvePoint, Traced
from promptlint.reporters.amounts import count, scaled
from promptlint.reporters.svg import (
    Caption,
    Mark,
    Plot,
    Shape,
    area,
    box,
    line,
    percent_of,
    powers_of_ten,
    rate_marks,
    round_up,
    steps,
)
from promptlint.reporters.trace_words import branch_facts, few_bins, merged, moment, percent, shown_rate, warming

_MOST_MOMENTS = 240
_MOST_BINS = 24
_LEAST_CAPTION = 0.055  # of the height: a label in less would be cut
_LEAST_WIDTH = 0.06
_LEAST_BRANCH = 0.004
_MARKS = 6


def over_time(result: Traced) -> Plot | None:
    if len(result.moments) < 2:
        return None
    moments = merged(result.moments, _MOST_MOMENTS)
    own = [shown_rate(each.hits, result.replayed) for each in moments]
    shapes = [Shape("area", area(steps(own))), Shape("edge", line(steps(own)))]
    legend = [("cached", "simulated" if result.replayed else "as reported")]
    reported = [each.hits.reported_rate for each in moments]
    if result.replayed and any(each is not None for each in reported):
        shapes += [Shape("reported", line(part)) for part in _known(reported)]
        legend.append(("reported", "as the provider reported it"))
    labels = [moment(result.moments, each.start) for each in moments]
    shapes += [
        Shape("hover", box(index / len(moments), 0, (index + 1) / len(moments), 1), f"{label}: {percent(rate)}")
        for index, (label, rate) in enumerate(zip(labels, own, strict=True))
    ]
    low, high = min(own), max(own)
    every = max(1, math.ceil(len(moments) / _MARKS))
    return Plot(
        name="time",
        title="Hit rate over time",
        said=f"From {labels[0]} to {labels[-1]} the hit rate lies between {percent(low)} and {percent(high)}.",
        shapes=tuple(shapes),
        x=tuple(Mark(percent_of(n / len(moments)), labels[n]) for n in range(0, len(moments), every)),
        y=rate_marks(),
        head=("From", "Requests", "Tokens", "Simulated", "Reported"),
        rows=tuple(
            (
                label,
                f"{each.hits.requests:,}",
                f"{each.hits.tokens if result.replayed else each.hits.reported_tokens:,}",
                percent(each.hits.rate) if result.replayed else "–",
                percent(each.hits.reported_rate),
            )
            for label, each in zip(labels, moments, strict=True)
        ),
        legend=tuple(legend),
    )


def _known(rates: Sequence[float | None]) -> Iterator[list[tuple[float, float]]]:
    """The stretches of a step line in which a rate is known."""
    part: list[tuple[float, float]] = []
    for index, rate in enumerate(rates):
        if rate is not None:
            part += [(index / len(rates), rate), ((index + 1) / len(rates), rate)]
        elif part:
            yield part
            part = []
    if part:
        yield part


def positions(result: Traced) -> Plot | None:
    bins = few_bins([each for each in result.bins if each.end > each.start], _MOST_BINS)
    if not any(each.requests for each in bins):
        return None
    top = round_up(max(each.lost for each in bins), (1, 2, 3, 4, 6, 8))
    most = max(bins, key=lambda each: each.lost)
    every = max(1, math.ceil(len(bins) / 8))
    return Plot(
        name="positions",
        title="Where prompts part from the one before",
        said=f"Most is lost by prompts that part between token {most.start:,} and {most.end:,}: "
        f"{count(most.lost, 'token')} in {count(most.requests, 'request')}.",
        shapes=tuple(
            Shape(
                "lost",
                box((n + 0.08) / len(bins), 1 - each.lost / top, (n + 0.92) / len(bins), 1),
                f"token {each.start:,} to {each.end:,}: {each.lost:,} lost in {count(each.requests, 'request')}",
            )
            for n, each in enumerate(bins)
        ),
        x=tuple(Mark(percent_of(n / len(bins)), f"{bins[n].start:,}") for n in range(0, len(bins), every)),
        y=tuple(Mark(percent_of(share), scaled(top * share, "")) for share in (0.0, 0.5, 1.0)),
        x_name="parts at token",
        y_name="tokens lost behind it",
        head=("From token", "To token", "Requests", "Tokens lost"),
        rows=tuple((f"{e.start:,}", f"{e.end:,}", f"{e.requests:,}", f"{e.lost:,}") for e in bins),
    )


def sizes(points: Sequence[CurvePoint]) -> Plot | None:
    known = [each for each in points if each.tokens > 0]
    if len(known) < 2:
        return None
    low, high = math.log10(known[0].tokens), math.log10(known[-1].tokens)

    def at(tokens: float) -> float:
        return (math.log10(tokens) - low) / (high - low)

    curve = [(at(each.tokens), each.rate) for each in known]
    half = next(each for each in known if each.rate >= known[-1].rate * 0.95)
    return Plot(
        name="sizes",
        title="Hit rate against cache size",
        said=f"{count(half.tokens, 'token')} of cache reach {percent(half.rate)}, "
        f"at least 95 % of what {count(known[-1].tokens, 'token')} reach ({percent(known[-1].rate)}).",
        shapes=(
            Shape("area", area(curve)),
            Shape("edge", line(curve)),
            *(
                Shape(
                    "dot",
                    box(x - 0.004, 0.983 - y, x + 0.004, 1.017 - y),
                    f"{count(e.tokens, 'token')}: {percent(e.rate)}",
                )
                for e, (x, y) in zip(known, curve, strict=True)
            ),
        ),
        x=tuple(
            Mark(percent_of(at(each)), scaled(each, "")) for each in powers_of_ten(known[0].tokens, known[-1].tokens)
        ),
        y=rate_marks(),
        x_name="tokens held, least recently used, log scale",
        head=("Tokens held", "Hit rate"),
        rows=tuple((f"{each.tokens:,}", percent(each.rate)) for each in known),
    )


def prefixes(tree: Branch | None) -> Plot | None:
    """An icicle: to the right the tokens from token 0, downwards the requests that share them with others."""
    if tree is None or not tree.requests or not tree.children:
        return None
    depth = max(1, _deepest(tree))
    shapes: list[Shape] = []
    captions: list[Caption] = []
    for branch, start, top, bottom, level in _laid_out(tree):
        left, right = start / depth, branch.depth / depth
        if right <= left:
            continue
        warm = " warm" if branch.warm else ""
        facts = ", ".join(filter(None, (branch_facts(branch), warming(branch))))
        what = f"tokens {start:,} to {branch.depth:,}{f', to {branch.label}' if branch.label else ''}"
        shapes.append(Shape(f"branch level-{level % 3}{warm}", box(left, top, right, bottom), f"{what}: {facts}"))
        if bottom - top >= _LEAST_CAPTION and right - left >= _LEAST_WIDTH:
            text = f"{branch.label or format(branch.depth, ',')} · {count(branch.requests, 'request')}"
            corner, size = (percent_of(left), percent_of(top)), (percent_of(right - left), percent_of(bottom - top))
            captions.append(Caption(*corner, *size, text))
    step = round_up(depth / _MARKS)
    return Plot(
        name="prefixes",
        title="Prefixes that requests share",
        said=f"To the right the tokens from the first one, {depth:,} at most; "
        f"downwards the {_sharing(tree):,} of {count(tree.requests, 'request')} that share the largest prefixes.",
        shapes=tuple(shapes),
        x=tuple(Mark(percent_of(n * step / depth), f"{n * step:,.0f}") for n in range(int(depth / step) + 1)),
        y=(),
        x_name="tokens from token 0",
        head=(),
        rows=(),
        legend=(
            ("branch", "shared prefix"),
            *((("warm", "worth warming"),) if any("warm" in e.kind for e in shapes) else ()),
        ),
        captions=tuple(captions),
    )


def _sharing(root: Branch) -> int:
    """Requests that are drawn: those of the branches that the root lists."""
    return sum(child.requests for child in root.children)


def _deepest(branch: Branch) -> int:
    return max([branch.depth, *map(_deepest, branch.children)])


def _laid_out(
    branch: Branch, start: int = 0, top: float = 0.0, bottom: float = 1.0, level: int = 0
) -> Iterator[tuple[Branch, int, float, float, int]]:
    """Each branch with the token where it begins and the share of the height it has; the thinnest are left out."""
    yield branch, start, top, bottom, level
    height = bottom - top
    requests = branch.requests if branch.depth else _sharing(branch)
    for child in branch.children:
        high = height * child.requests / max(1, requests)
        if high >= _LEAST_BRANCH:
            yield from _laid_out(child, branch.depth, top, min(bottom, top + high), level + 1)
        top += high

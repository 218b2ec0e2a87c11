"""The cost of a comparison's lost tokens, once per run's model and traffic."""

from __future__ import annotations

from functools import cached_property

from promptlint import cost
from promptlint.model.cost import CostEstimate
from promptlint.model.finding import Scope
from promptlint.model.policy import CachePolicy
from promptlint.model.tokens import TokenSequence
from promptlint.pipeline.options import Options


class Pricing:
    """Estimates for one prompt; prices and model shapes are looked up when the first one is asked for."""

    def __init__(self, options: Options, policy: CachePolicy, model: str, tokens: TokenSequence, scope: Scope) -> None:
        self.options = options
        self.policy = policy
        self.model = model
        self.prompt_tokens = len(tokens)
        self.exact = tokens.exact
        self.scope = scope

    @cached_property
    def prices(self) -> cost.Prices | None:
        return cost.prices_for(self.policy, self.model, self.prompt_tokens) if self.policy.hosted else None

    @cached_property
    def shape(self) -> cost.ModelShape | None:
        if self.options.model_config:
            return cost.shape_from_config(self.options.model_config)
        return None if self.policy.hosted else cost.shape_for(self.model)

    def of(self, tokens: int) -> CostEstimate | None:
        """What losing this many cached tokens costs: once per warm entry after a release, else on each request."""
        if tokens <= 0:
            return None
        if self.scope is Scope.RELEASE:
            return cost.one_off(
                self.policy,
                self.model,
                self.prompt_tokens,
                tokens,
                warm_entries=self.options.warm_entries,
                prices=self.prices,
                exact=self.exact,
                shape=self.shape,
                tokens_per_second=self.options.tokens_per_second,
            )
        return cost.recurring(
            self.policy,
            self.model,
            self.prompt_tokens,
            tokens,
            requests_per_day=self.options.requests_per_day,
            prices=self.prices,
            exact=self.exact,
            shape=self.shape,
            tokens_per_second=self.options.tokens_per_second,
        )

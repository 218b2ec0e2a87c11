"""Where two prompts part: the first divergent token, the first differing character, the regions behind them."""

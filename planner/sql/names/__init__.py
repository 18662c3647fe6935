"""What names mean: scopes, stars, and the catalog behind them."""

"""`reeval.toml` to typed settings, and the cascade config → profile → group → eval."""

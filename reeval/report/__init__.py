"""What a person sees: live progress, verbose lines, `summary.md`, `show`. From events and records alone."""

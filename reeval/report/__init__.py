"""What a person sees: live progress, `summary.md`, `show`. From events and records alone."""

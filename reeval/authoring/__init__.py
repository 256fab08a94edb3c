"""The SDK behind `import reeval`: declare, options, context, expect, asserts. Stdlib only."""

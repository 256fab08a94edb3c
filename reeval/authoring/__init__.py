"""The SDK behind `import reeval`: declare, options, the context, expect, asserts. Standard library only."""

"""Programs of separators in exact rationals: values, and planes that rival fitted ones."""

"""Selection under clustering constraints."""

"""GFX's framework-neutral graphs: types, operations, graphs, and what is computed from them."""

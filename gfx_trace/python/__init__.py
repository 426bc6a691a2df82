"""Python's own data in captured code: sequences, texts, iterators, numbers, faults."""

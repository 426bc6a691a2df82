"""What frameworks bring: gradient modes and rules, loops written as calls, calls without a row, trees, recorded calls."""

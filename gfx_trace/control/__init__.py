"""Control flow: tests, loops, iteration, what is raised, and the state that each leaves."""

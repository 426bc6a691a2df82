"""The Tracer, composed of the parts below it, and the arguments that it begins with."""

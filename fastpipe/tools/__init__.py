"""Command-line tools. `python -m fastpipe` runs them; importing fastpipe does not import them."""

"""Other libraries' vocabulary on top of fastpipe."""

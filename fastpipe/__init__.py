"""fastpipe: the input pipeline that training jobs deserve."""

from fastpipe.dataset import Dataset

__all__ = ["Dataset"]

"""Kernels on audio: `tf.audio`, on symbols and on real values."""

# Annotations are not postponed: in a NamedTuple they could not be resolved from another module.
from typing import Any, NamedTuple

from fastpipe.tracing import call, convert

__all__ = ["DecodedWav", "decode_wav", "encode_wav"]


class DecodedWav(NamedTuple):
    """What `decode_wav` returns.

    Attributes:
        audio: float32 [samples, channels].
        sample_rate: Samples a second, an int32 scalar.
    """

    audio: Any
    sample_rate: Any


def decode_wav(contents: Any, desired_channels: int = -1, desired_samples: int = -1) -> DecodedWav:
    """The samples of a WAV file of 16-bit PCM.

    Args:
        contents: The file, a scalar string.
        desired_channels: How many channels the result has: those beyond the file's repeat its last
            one. -1 for those of the file.
        desired_samples: How many samples the result has: those beyond the file's are zero. -1 for
            those of the file.

    Returns:
        `DecodedWav(audio, sample_rate)`: float32 [samples, channels] with values from -1 to below
        1, and an int32 scalar.

    Raises:
        InvalidArgumentError: `contents` are no such file, or are damaged or truncated.

    >>> import numpy as np
    >>> wav = encode_wav(np.array([[0.5], [-1.0]], np.float32), 8000)
    >>> audio, sample_rate = decode_wav(wav, desired_samples=3)
    >>> audio[:, 0].tolist(), int(sample_rate)
    ([0.5, -1.0, 0.0], 8000)
    """
    audio, sample_rate = call(
        "decode_wav",
        [contents],
        desired_channels=desired_channels,
        desired_samples=desired_samples,
    )
    return DecodedWav(audio, sample_rate)


def encode_wav(audio: Any, sample_rate: Any) -> Any:
    """Samples as a WAV file of 16-bit PCM.

    Args:
        audio: float32 [samples, channels]; values are rounded, and clipped to -1 and 1.
        sample_rate: Samples a second, a scalar integer.

    Returns:
        A scalar string.

    Raises:
        InvalidArgumentError: There are no channels, too many samples for the format, or the rate is
            not positive.

    >>> import numpy as np
    >>> len(encode_wav(np.zeros((10, 2), np.float32), 44100))
    84
    """
    return call("encode_wav", [convert(audio, "float32"), sample_rate])

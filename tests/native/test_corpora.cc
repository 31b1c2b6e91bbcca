// Each fuzz target on its corpus, but for those of tests/native/kernels.

#include "corpora.h"

FASTPIPE_REPLAY("bmp")
FASTPIPE_REPLAY("checkpoint")
FASTPIPE_REPLAY("compressed")
FASTPIPE_REPLAY("csv")
FASTPIPE_REPLAY("example")
FASTPIPE_REPLAY("fixed_length")
FASTPIPE_REPLAY("gif")
FASTPIPE_REPLAY("jpeg")
FASTPIPE_REPLAY("jpeg_crop")
FASTPIPE_REPLAY("jpeg_resize")
FASTPIPE_REPLAY("json_example")
FASTPIPE_REPLAY("lines")
FASTPIPE_REPLAY("png")
FASTPIPE_REPLAY("saved_dataset")
FASTPIPE_REPLAY("tensor")
FASTPIPE_REPLAY("tf_record")
FASTPIPE_REPLAY("wav")
FASTPIPE_REPLAY("webp")

// The fuzz targets of kernels on their corpora.

#include "../corpora.h"

FASTPIPE_REPLAY("decode_csv")
FASTPIPE_REPLAY("parse_example")

// Products once more with every wait for copies leaving one group more outstanding: the tests must notice.
#define HEADWAY_WAITING_LESS
#include "../../main/cuda/linear_tiles.cu"
#include "../../main/cuda/linear_mxfp4.cu"

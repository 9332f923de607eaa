// Norm and products once more with every __syncthreads() removed: the tests must notice.
#define HEADWAY_WITHOUT_BARRIERS
#include "../../main/cuda/norm.cu"
#include "../../main/cuda/linear_tiles.cu"
#include "../../main/cuda/linear_mxfp4.cu"

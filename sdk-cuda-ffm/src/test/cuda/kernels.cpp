// All kernels, compiled by g++ for the fake driver.
#include "../../main/cuda/kernels.cu"
#include "planted.cu"

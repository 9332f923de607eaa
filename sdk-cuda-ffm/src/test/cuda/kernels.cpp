// All kernels, compiled by g++ for the fake driver.
#include "../../main/cuda/kernels.cu"
#include "../../main/cuda/kernels_e4m3.cu"
#include "planted.cu"

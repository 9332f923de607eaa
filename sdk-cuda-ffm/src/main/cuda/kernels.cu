// All kernels as one unit: what config/kernels.sh compiles to PTX.
#include "dev.cuh"

// The kernels that need compute capability 8.9, as a unit of their own: loaded where inputs are rounded, and nowhere else.
#include "round_e4m3.cu"
#include "linear_codes.cu"

// All kernels as one unit: what scripts/kernels.sh compiles to PTX.
#include "norm.cu"
#include "elementwise.cu"
#include "linear_vector.cu"
#include "linear_tiles.cu"
#include "attention_reference.cu"
#include "attention_decode.cu"
#include "attention_prefill.cu"
#include "sampling.cu"

// The types of cuda.h that the fake driver's signatures name. With -DHEADWAY_CUDA_H the real header
// takes this one's place, and the compiler compares every signature with it.
#pragma once
#ifdef HEADWAY_CUDA_H
#include <cuda.h>
#else
#include <cstddef>
enum CUresult : int {};
typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
typedef struct CUctx_st* CUcontext;
typedef struct CUmod_st* CUmodule;
typedef struct CUfunc_st* CUfunction;
typedef struct CUstream_st* CUstream;
typedef struct CUevent_st* CUevent;
typedef struct CUgraph_st* CUgraph;
typedef struct CUgraphExec_st* CUgraphExec;
enum CUdevice_attribute : int {};
enum CUfunction_attribute : int {};
enum CUjit_option : unsigned {};
enum CUstreamCaptureMode : int {};
#endif

package dev.headway.cuda.driver;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemoryLayout;
import java.lang.invoke.MethodHandle;

/**
 * Every function of the driver that is called, with the symbol it is bound by and its parameters.
 * All return a {@code CUresult}, an {@code int}. Any thread.
 *
 * <p>libcuda exports several ABIs of one name: plain {@code cuMemAlloc} is that of CUDA 3, with
 * sizes of 32 bits. The symbol here is the oldest with the ABI of today's {@code cuda.h}, so that
 * older drivers have it. Handles (streams, contexts, device addresses) travel as {@code long};
 * {@code ADDRESS} is memory that Java reads or writes.
 */
public enum DriverFunction {
  /** Loads the driver. */
  INIT("cuInit", JAVA_INT),
  /** Version of CUDA the driver supports. */
  DRIVER_GET_VERSION("cuDriverGetVersion", ADDRESS),
  /** Identifier of a result. */
  GET_ERROR_NAME("cuGetErrorName", JAVA_INT, ADDRESS),
  /** Sentence about a result. */
  GET_ERROR_STRING("cuGetErrorString", JAVA_INT, ADDRESS),

  /** Number of devices. */
  DEVICE_GET_COUNT("cuDeviceGetCount", ADDRESS),
  /** Device of an ordinal. */
  DEVICE_GET("cuDeviceGet", ADDRESS, JAVA_INT),
  /** Marketing name. */
  DEVICE_GET_NAME("cuDeviceGetName", ADDRESS, JAVA_INT, JAVA_INT),
  /** One number about a device. */
  DEVICE_GET_ATTRIBUTE("cuDeviceGetAttribute", ADDRESS, JAVA_INT, JAVA_INT),
  /** Memory of a device. */
  DEVICE_TOTAL_MEM("cuDeviceTotalMem_v2", ADDRESS, JAVA_INT),
  /** Where a device is on the bus. */
  DEVICE_GET_PCI_BUS_ID("cuDeviceGetPCIBusId", ADDRESS, JAVA_INT, JAVA_INT),
  /** Takes the context that the whole process shares. */
  PRIMARY_CTX_RETAIN("cuDevicePrimaryCtxRetain", ADDRESS, JAVA_INT),
  /** Gives it back. */
  PRIMARY_CTX_RELEASE("cuDevicePrimaryCtxRelease_v2", JAVA_INT),
  /** Binds a context to the calling thread. */
  CTX_SET_CURRENT("cuCtxSetCurrent", JAVA_LONG),
  /** Waits for everything. */
  CTX_SYNCHRONIZE("cuCtxSynchronize"),

  /** Compiles or loads an image. */
  MODULE_LOAD_DATA_EX("cuModuleLoadDataEx", ADDRESS, ADDRESS, JAVA_INT, ADDRESS, ADDRESS),
  /** Unloads it. */
  MODULE_UNLOAD("cuModuleUnload", JAVA_LONG),
  /** Finds a kernel. */
  MODULE_GET_FUNCTION("cuModuleGetFunction", ADDRESS, JAVA_LONG, ADDRESS),
  /** Sets an attribute of a kernel. */
  FUNC_SET_ATTRIBUTE("cuFuncSetAttribute", JAVA_LONG, JAVA_INT, JAVA_INT),
  /** Launches a kernel. */
  LAUNCH_KERNEL(
      "cuLaunchKernel",
      JAVA_LONG,
      JAVA_INT,
      JAVA_INT,
      JAVA_INT,
      JAVA_INT,
      JAVA_INT,
      JAVA_INT,
      JAVA_INT,
      JAVA_LONG,
      ADDRESS,
      ADDRESS),

  /** Allocates device memory. */
  MEM_ALLOC("cuMemAlloc_v2", ADDRESS, JAVA_LONG),
  /** Frees it. */
  MEM_FREE("cuMemFree_v2", JAVA_LONG),
  /** Free and total device memory. */
  MEM_GET_INFO("cuMemGetInfo_v2", ADDRESS, ADDRESS),
  /** Allocates host memory that the device reads and writes directly. */
  MEM_HOST_ALLOC("cuMemHostAlloc", ADDRESS, JAVA_LONG, JAVA_INT),
  /** Frees it. */
  MEM_FREE_HOST("cuMemFreeHost", JAVA_LONG),
  /** Copies from host to device. */
  MEMCPY_HTOD_ASYNC("cuMemcpyHtoDAsync_v2", JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG),
  /** Copies from device to host. */
  MEMCPY_DTOH_ASYNC("cuMemcpyDtoHAsync_v2", JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG),
  /** Copies on the device. */
  MEMCPY_DTOD_ASYNC("cuMemcpyDtoDAsync_v2", JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG),
  /** Fills with one byte. */
  MEMSET_D8_ASYNC("cuMemsetD8Async", JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG),

  /** Makes a stream. */
  STREAM_CREATE("cuStreamCreate", ADDRESS, JAVA_INT),
  /** Destroys it. */
  STREAM_DESTROY("cuStreamDestroy_v2", JAVA_LONG),
  /** Waits for it. */
  STREAM_SYNCHRONIZE("cuStreamSynchronize", JAVA_LONG),
  /** Whether all of it is done. */
  STREAM_QUERY("cuStreamQuery", JAVA_LONG),
  /** Makes it wait for an event. */
  STREAM_WAIT_EVENT("cuStreamWaitEvent", JAVA_LONG, JAVA_LONG, JAVA_INT),
  /** From here calls are recorded. */
  STREAM_BEGIN_CAPTURE("cuStreamBeginCapture_v2", JAVA_LONG, JAVA_INT),
  /** Until here. */
  STREAM_END_CAPTURE("cuStreamEndCapture", JAVA_LONG, ADDRESS),
  /** Makes a recording executable. */
  GRAPH_INSTANTIATE("cuGraphInstantiateWithFlags", ADDRESS, JAVA_LONG, JAVA_LONG),
  /** Brings what it needs to the device. */
  GRAPH_UPLOAD("cuGraphUpload", JAVA_LONG, JAVA_LONG),
  /** Launches it. */
  GRAPH_LAUNCH("cuGraphLaunch", JAVA_LONG, JAVA_LONG),
  /** Destroys a recording. */
  GRAPH_DESTROY("cuGraphDestroy", JAVA_LONG),
  /** Destroys an executable graph. */
  GRAPH_EXEC_DESTROY("cuGraphExecDestroy", JAVA_LONG),
  /** Makes an event. */
  EVENT_CREATE("cuEventCreate", ADDRESS, JAVA_INT),
  /** Destroys it. */
  EVENT_DESTROY("cuEventDestroy_v2", JAVA_LONG),
  /** Puts it into a stream. */
  EVENT_RECORD("cuEventRecord", JAVA_LONG, JAVA_LONG),
  /** Whether it has passed. */
  EVENT_QUERY("cuEventQuery", JAVA_LONG),
  /** Waits for it. */
  EVENT_SYNCHRONIZE("cuEventSynchronize", JAVA_LONG),
  /** Milliseconds between two. */
  EVENT_ELAPSED_TIME("cuEventElapsedTime", ADDRESS, JAVA_LONG, JAVA_LONG);

  private final String symbol;

  @SuppressWarnings("ImmutableEnumChecker") // descriptors are immutable, and not annotated as such
  private final FunctionDescriptor descriptor;

  DriverFunction(String symbol, MemoryLayout... parameters) {
    this.symbol = symbol;
    this.descriptor = FunctionDescriptor.of(JAVA_INT, parameters);
  }

  /** The exported name, version suffix included. */
  public String symbol() {
    return symbol;
  }

  FunctionDescriptor descriptor() {
    return descriptor;
  }

  /** The handle; called once each, to initialise a {@code static final}. */
  MethodHandle bind() {
    return CudaLibrary.bind(symbol, descriptor);
  }
}

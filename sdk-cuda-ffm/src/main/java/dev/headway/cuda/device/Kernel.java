package dev.headway.cuda.device;

import dev.headway.cuda.CudaException;
import dev.headway.cuda.driver.CudaResult;
import dev.headway.cuda.driver.DriverFunction;
import dev.headway.cuda.driver.ModuleCalls;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/**
 * A kernel and the block its arguments are written to, in order, before each launch:
 *
 * <pre>{@code
 * kernel.pointer(out.address()).pointer(in.address()).i32(n).launch(stream, blocks, 1, 1, 256, 0);
 * }</pre>
 *
 * <p>Kinds and number are checked against the declaration. The driver copies the arguments, so the
 * block is free again when {@code launch} returns. Lives as long as its module. Owner thread only;
 * allocates nothing.
 */
public final class Kernel {
  private static final int ATTRIBUTE_MAX_DYNAMIC_SHARED_BYTES = 8;
  private static final int ATTRIBUTE_PREFERRED_SHARED_CARVEOUT = 9;
  private static final int MAX_SHARED_CARVEOUT = 100; // percent
  private static final int ARGUMENT_BYTES = 8;

  private final CudaModule module;
  private final String name;
  private final long function;
  private final KernelParameter[] parameters;
  private final MemorySegment arguments;
  private final MemorySegment pointers;
  private int written;

  Kernel(CudaModule module, String name, long function, KernelParameter[] parameters) {
    this.module = module;
    this.name = name;
    this.function = function;
    this.parameters = parameters.clone();
    final Arena arena = Arena.ofAuto(); // a launch must never see freed arguments
    final long bytes = (long) ARGUMENT_BYTES * Math.max(1, parameters.length);
    this.arguments = arena.allocate(bytes, ARGUMENT_BYTES);
    this.pointers = arena.allocate(bytes, ARGUMENT_BYTES);
    for (int i = 0; i < parameters.length; i++) {
      pointers.setAtIndex(
          ValueLayout.JAVA_LONG, i, arguments.address() + (long) ARGUMENT_BYTES * i);
    }
  }

  /** The exported name. */
  public String name() {
    return name;
  }

  /**
   * Lets launches have up to {@code bytes} of dynamic shared memory, beyond the default 48 KiB, and
   * gives shared memory all it can get of what a multiprocessor divides between that and its cache,
   * so that as many blocks fit as there is room for.
   */
  public Kernel allowSharedBytes(int bytes) {
    module.requireOpen();
    setAttribute(ATTRIBUTE_MAX_DYNAMIC_SHARED_BYTES, bytes, bytes);
    setAttribute(ATTRIBUTE_PREFERRED_SHARED_CARVEOUT, MAX_SHARED_CARVEOUT, bytes);
    return this;
  }

  private void setAttribute(int attribute, int value, int bytes) {
    final int result = ModuleCalls.cuFuncSetAttribute(function, attribute, value);
    if (result != CudaResult.SUCCESS) {
      throw CudaResult.exception(
          DriverFunction.FUNC_SET_ATTRIBUTE,
          result,
          "kernel="
              + name
              + ", sharedBytes="
              + bytes
              + ", maxSharedBytesPerBlock="
              + module.device.info().maxSharedBytesPerBlock());
    }
  }

  /** Writes the next argument, a device address. */
  public Kernel pointer(long address) {
    arguments.set(ValueLayout.JAVA_LONG, offset(KernelParameter.POINTER), address);
    return this;
  }

  /** Writes the next argument. */
  public Kernel i32(int value) {
    arguments.set(ValueLayout.JAVA_INT, offset(KernelParameter.I32), value);
    return this;
  }

  /** Writes the next argument. */
  public Kernel f32(float value) {
    arguments.set(ValueLayout.JAVA_FLOAT, offset(KernelParameter.F32), value);
    return this;
  }

  private long offset(KernelParameter kind) {
    if (written >= parameters.length || parameters[written] != kind) {
      throw misuse("argument " + written + " must be as declared: written=" + kind);
    }
    return (long) ARGUMENT_BYTES * written++;
  }

  /**
   * Enqueues the kernel with the arguments written since the last launch. Blocks while the driver's
   * queue is full.
   *
   * @param gridX blocks, at least 1
   * @param gridY blocks, in [1, 65535]
   * @param gridZ blocks, in [1, 65535]
   * @param threads per block, in [1, 1024]
   * @param sharedBytes dynamic shared memory per block
   * @throws IllegalStateException if not all arguments were written
   * @throws CudaException with the shape if the driver refuses
   */
  public void launch(
      CudaStream stream, int gridX, int gridY, int gridZ, int threads, int sharedBytes) {
    module.requireOpen();
    if (written != parameters.length) {
      throw misuse("all arguments must be written: count=" + written);
    }
    written = 0;
    final int result =
        ModuleCalls.cuLaunchKernel(
            function,
            gridX,
            gridY,
            gridZ,
            threads,
            1,
            1,
            sharedBytes,
            stream.handle(),
            pointers,
            MemorySegment.NULL);
    if (result != CudaResult.SUCCESS) {
      throw CudaResult.exception(
          DriverFunction.LAUNCH_KERNEL,
          result,
          "kernel="
              + name
              + ", grid="
              + gridX
              + "x"
              + gridY
              + "x"
              + gridZ
              + ", threads="
              + threads
              + ", sharedBytes="
              + sharedBytes);
    }
  }

  private IllegalStateException misuse(String rule) {
    written = 0;
    return new IllegalStateException(
        "kernel " + name + ": " + rule + ", declared=" + Arrays.toString(parameters));
  }
}

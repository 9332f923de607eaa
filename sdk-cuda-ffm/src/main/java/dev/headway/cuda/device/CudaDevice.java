package dev.headway.cuda.device;

import static dev.headway.cuda.driver.CudaResult.check;

import dev.headway.cuda.CudaException;
import dev.headway.cuda.CudaUnavailableException;
import dev.headway.cuda.driver.CudaLibrary;
import dev.headway.cuda.driver.CudaResult;
import dev.headway.cuda.driver.DeviceCalls;
import dev.headway.cuda.driver.DriverFunction;
import dev.headway.cuda.driver.MemoryCalls;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.LinkedHashSet;
import java.util.Optional;

/**
 * A device with the process's primary context on it, owned by the thread that opened it.
 *
 * <p>A thread may own several: each call binds the device it is for, if another was used last.
 *
 * <p>It makes buffers, streams, events and modules and remembers them: {@link #close} gives back
 * whatever is still open, newest first, then the context. Owner thread only.
 */
public final class CudaDevice implements AutoCloseable {
  /** Compute capability that the kernels need at least: tensor cores with bf16. */
  static final int MIN_COMPUTE_MAJOR = 8;

  private static final int SCRATCH_BYTES = 256;

  private final Thread owner;
  private final Arena arena;
  final MemorySegment scratch;
  private final MemorySegment secondScratch; // of a step that asks for free memory: not made there
  private final DeviceInfo info;
  private final int handle;
  private final long context;
  private final CurrentDevice current;
  private final LinkedHashSet<DeviceResource> open = new LinkedHashSet<>(); // oldest first
  private boolean closed;

  private CudaDevice(Arena arena, MemorySegment scratch, int handle, long context, DeviceInfo i) {
    this.owner = Thread.currentThread();
    this.current = CurrentDevice.ofThread();
    this.arena = arena;
    this.scratch = scratch;
    this.secondScratch = scratch.asSlice(Long.BYTES);
    this.handle = handle;
    this.context = context;
    this.info = i;
  }

  /**
   * Opens a device; the calling platform thread owns it from now on.
   *
   * @param ordinal the driver's number of the device, from 0
   * @throws CudaUnavailableException if there is no driver, no such device, or it is too old for
   *     the kernels; the message says which, and what to do
   * @throws IllegalStateException on a virtual thread, which cannot hold a context
   */
  public static CudaDevice open(int ordinal) {
    final Thread owner = Thread.currentThread();
    if (owner.isVirtual()) {
      throw new IllegalStateException(
          "a device must be opened on a platform thread, since contexts are bound to those: thread="
              + owner);
    }
    CudaLibrary.require();
    final Arena arena = Arena.ofConfined();
    try {
      return open(arena, ordinal);
    } catch (RuntimeException | Error e) {
      arena.close();
      throw e;
    }
  }

  /**
   * Why a device cannot be opened, in the words of {@link #open}'s exception; empty if it can. Any
   * thread; takes no context.
   */
  public static Optional<String> unavailableBecause(int ordinal) {
    try (Arena arena = Arena.ofConfined()) {
      CudaLibrary.require();
      final MemorySegment scratch = arena.allocate(SCRATCH_BYTES, 16);
      usable(scratch, ordinal, Devices.find(scratch, ordinal));
      return Optional.empty();
    } catch (CudaUnavailableException | CudaException e) {
      return Optional.of(String.valueOf(e.getMessage()));
    }
  }

  private static DeviceInfo usable(MemorySegment scratch, int ordinal, int handle) {
    final DeviceInfo info = new DeviceInfoReader(scratch).read(ordinal, handle);
    if (info.computeMajor() < MIN_COMPUTE_MAJOR) {
      throw new CudaUnavailableException(
          "the device must have compute capability >= 8.0 (Ampere or newer), since the kernels use"
              + " bf16 tensor cores: device="
              + info.name()
              + ", computeCapability="
              + info.computeCapability());
    }
    return info;
  }

  private static CudaDevice open(Arena arena, int ordinal) {
    final MemorySegment scratch = arena.allocate(SCRATCH_BYTES, 16);
    final int handle = Devices.find(scratch, ordinal);
    final DeviceInfo info = usable(scratch, ordinal, handle);
    check(DeviceCalls.cuDevicePrimaryCtxRetain(scratch, handle), DriverFunction.PRIMARY_CTX_RETAIN);
    final long context = scratch.get(ValueLayout.JAVA_LONG, 0);
    final CudaDevice device = new CudaDevice(arena, scratch, handle, context, info);
    final int result = device.current.bind(device, context);
    if (result != CudaResult.SUCCESS) {
      DeviceCalls.cuDevicePrimaryCtxRelease(handle);
      throw CudaResult.exception(DriverFunction.CTX_SET_CURRENT, result, "ordinal=" + ordinal);
    }
    return device;
  }

  /** Number of devices the driver shows; any thread. */
  public static int count() {
    CudaLibrary.require();
    try (Arena arena = Arena.ofConfined()) {
      return Devices.count(arena.allocate(SCRATCH_BYTES, 16));
    }
  }

  /** What the device is; any thread. */
  public DeviceInfo info() {
    return info;
  }

  /** Free device memory, in bytes. */
  public long freeBytes() {
    requireOwner();
    check(MemoryCalls.cuMemGetInfo(scratch, secondScratch), DriverFunction.MEM_GET_INFO);
    return scratch.get(ValueLayout.JAVA_LONG, 0);
  }

  /**
   * Allocates device memory; its content is undefined.
   *
   * @param use what for, and which option makes it smaller: part of the message when memory runs
   *     out
   * @param bytes at least 1
   * @throws CudaException with the numbers if there is not enough
   */
  public DeviceBuffer allocate(MemoryUse use, long bytes) {
    requireOwner();
    return DeviceBuffer.allocate(this, use, bytes);
  }

  /** Allocates host memory that copies read and write without staging; same rules. */
  public PinnedBuffer allocatePinned(MemoryUse use, long bytes) {
    requireOwner();
    return PinnedBuffer.allocate(this, use, bytes);
  }

  /** Makes a stream that is not ordered with the default stream. */
  public CudaStream newStream() {
    requireOwner();
    return CudaStream.create(this);
  }

  /** Makes an event that also takes the time. */
  public CudaEvent newEvent() {
    requireOwner();
    return CudaEvent.create(this);
  }

  /**
   * Loads a module.
   *
   * @param name for messages
   * @param image PTX text or a binary image
   * @throws CudaUnavailableException if the driver is too old for this PTX
   * @throws CudaException if the image is refused; the message ends with the compiler's own words
   */
  public CudaModule loadModule(String name, byte[] image) {
    requireOwner();
    return ModuleLoader.load(this, name, image);
  }

  /** Waits for all work on the device. */
  public void synchronize() {
    requireOwner();
    check(DeviceCalls.cuCtxSynchronize(), DriverFunction.CTX_SYNCHRONIZE);
  }

  /**
   * Waits for all work on the device, before resources that it uses are given back; never throws,
   * since what failed is reported by the close that follows.
   */
  public void settle() {
    requireOwner();
    DeviceCalls.cuCtxSynchronize();
  }

  /** Resources that are open; they are closed with the device. */
  public int openResources() {
    requireOwner();
    return open.size();
  }

  /**
   * Closes what is still open, newest first, and gives the context back. A lost context (see {@link
   * CudaException#isSticky}) is given back in silence: the failure was reported when it was found.
   *
   * @throws IllegalStateException on another thread than the owner, or if closed already
   */
  @Override
  public void close() {
    requireOwnerThread();
    current.bind(this, context); // if it fails, so does what follows
    int failure = DeviceCalls.cuCtxSynchronize();
    DriverFunction failed = DriverFunction.CTX_SYNCHRONIZE;
    for (DeviceResource resource : open.reversed()) {
      final int result = resource.releaseQuietly();
      if (failure == CudaResult.SUCCESS) {
        failure = result;
        failed = resource.releaseCall();
      }
    }
    open.clear();
    closed = true;
    current.unbind();
    DeviceCalls.cuDevicePrimaryCtxRelease(handle);
    arena.close();
    if (failure != CudaResult.SUCCESS && !CudaResult.isSticky(failure)) {
      throw CudaResult.exception(failed, failure, "device=" + info.name());
    }
  }

  void adopt(DeviceResource resource) {
    open.add(resource);
  }

  void forget(DeviceResource resource) {
    open.remove(resource);
  }

  /** Checks the caller, and binds this device to its thread if another one is. */
  void requireOwner() {
    requireOwnerThread();
    final int result = current.bind(this, context);
    if (result != CudaResult.SUCCESS) {
      throw CudaResult.exception(
          DriverFunction.CTX_SET_CURRENT, result, "ordinal=" + info.ordinal());
    }
  }

  private void requireOwnerThread() {
    if (!owner.equals(Thread.currentThread())) {
      throw new IllegalStateException(
          "a device must be used by the thread that opened it: owner="
              + owner.getName()
              + ", caller="
              + Thread.currentThread().getName());
    }
    if (closed) {
      throw new IllegalStateException("device " + info.ordinal() + " must be open: it was closed");
    }
  }
}

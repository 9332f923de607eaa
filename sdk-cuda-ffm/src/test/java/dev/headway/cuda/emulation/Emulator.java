package dev.headway.cuda.emulation;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.headway.cuda.driver.CudaLibrary;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.invoke.MethodHandle;
import java.util.List;

/** What tests set on the fake driver and ask of it; on a real driver only the defaults exist. */
public final class Emulator {
  private static final long TOTAL_BYTES = 4L << 30;
  private static final int LONGEST_PATH = 4096;
  private static final String ONLY =
      "a test that sets or asks the emulator must be marked @EmulatorOnly, with the reason: call=";

  private Emulator() {}

  /** Orders of threads to try: forward, backward, shuffled; only one on a real device. */
  public static List<ThreadOrder> orders(int seed) {
    return isActive()
        ? List.of(ThreadOrder.FORWARD, ThreadOrder.BACKWARD, ThreadOrder.shuffled(seed))
        : List.of(ThreadOrder.FORWARD);
  }

  /** The turn that threads get. */
  public record ThreadOrder(int value) {
    /** By rising index. */
    public static final ThreadOrder FORWARD = new ThreadOrder(0);

    /** By falling index. */
    public static final ThreadOrder BACKWARD = new ThreadOrder(1);

    /** Another one each time, repeatable. */
    public static ThreadOrder shuffled(int seed) {
      return new ThreadOrder(2 + Math.floorMod(seed, 1_000_000_000));
    }
  }

  /** When streams do their work. */
  public enum Streams {
    /** At the call. */
    EAGER,
    /** When somebody waits for it. */
    LAZY
  }

  /** Whether the driver is the fake one. */
  public static boolean isActive() {
    return CudaLibrary.library()
        .symbols()
        .flatMap(s -> s.find("headway_emulation_schedule"))
        .isPresent();
  }

  /** Back to what tests expect to find. */
  public static void reset() {
    if (isActive()) {
      schedule(ThreadOrder.FORWARD, Streams.EAGER);
      new Device().install();
      failNext("", 0);
      final MethodHandle relaunch = bind("headway_emulation_relaunch");
      invoke(() -> (int) relaunch.invokeExact());
    }
  }

  /** Sets the order of threads and when streams work. */
  public static void schedule(ThreadOrder order, Streams streams) {
    if (isActive()) {
      final MethodHandle handle = bind("headway_emulation_schedule", JAVA_INT, JAVA_INT);
      invoke(() -> (int) handle.invokeExact(order.value(), streams.ordinal()));
    }
  }

  /** The next call of this name answers {@code result}; 700 and above lose the context. */
  public static void failNext(String symbol, int result) {
    final MethodHandle handle = bind("headway_emulation_fail", ADDRESS, JAVA_INT);
    try (Arena arena = Arena.ofConfined()) {
      final var name = arena.allocateFrom(symbol);
      invoke(() -> (int) handle.invokeExact(name, result));
    }
  }

  /** Everything that somebody made and nobody gave back. */
  public static int alive() {
    return count(0);
  }

  /** Kernels launched since the library was loaded. */
  public static int launches() {
    return count(3);
  }

  /** Kernels whose code came to the device with a launch, since the library was loaded. */
  public static int lazyLoads() {
    return count(4);
  }

  /** Device memory in use, in KiB: by buffers, recordings and the code of kernels. */
  public static int usedKib() {
    return count(5);
  }

  /** Recordings that came to the device with their first launch, since the library was loaded. */
  public static int lateUploads() {
    return count(6);
  }

  /** How often a function of the driver was called since the library was loaded. */
  public static int calls(String symbol) {
    final MethodHandle handle = bind("headway_emulation_calls", ADDRESS);
    try (Arena arena = Arena.ofConfined()) {
      final var name = arena.allocateFrom(symbol);
      return invoke(() -> (int) handle.invokeExact(name));
    }
  }

  /** Products for which the fake cuBLASLt made a plan since it was loaded. */
  public static int plannedProducts() {
    final MethodHandle handle = bind("headway_emulation_blas_planned");
    return invoke(() -> (int) handle.invokeExact());
  }

  /** Whether the fake cuBLASLt knows modes of scales, as those since CUDA 12.8 do. */
  public static void knowScaleModes(boolean known) {
    final MethodHandle handle = bind("headway_emulation_blas_modes", JAVA_INT);
    invoke(() -> (int) handle.invokeExact(known ? 1 : 0));
  }

  /** What CUDA_CACHE_PATH was when the driver was initialised last; empty if it was not set. */
  public static String cacheFolder() {
    final MethodHandle handle = bind("headway_emulation_cache_folder", ADDRESS, JAVA_INT);
    try (Arena arena = Arena.ofConfined()) {
      final var text = arena.allocate(LONGEST_PATH);
      invoke(() -> (int) handle.invokeExact(text, LONGEST_PATH));
      return text.getString(0);
    }
  }

  /** What the fake cuBLASLt made and nobody gave back. */
  public static int blasHandlesAlive() {
    final MethodHandle handle = bind("headway_emulation_blas_alive");
    return invoke(() -> (int) handle.invokeExact());
  }

  private static int count(int what) {
    final MethodHandle handle = bind("headway_emulation_count", JAVA_INT);
    return invoke(() -> (int) handle.invokeExact(what));
  }

  /** What the fake device claims to be. */
  public static final class Device {
    private long totalBytes = TOTAL_BYTES;
    private int computeMajor = 8;
    private int computeMinor;
    private int newestPtx = 90;
    private int count = 1;

    /** Sets its memory. */
    public Device totalBytes(long value) {
      totalBytes = value;
      return this;
    }

    /** Sets its compute capability, x.5 below 8 and x.0 from there. */
    public Device computeMajor(int value) {
      return compute(value, value < 8 ? 5 : 0);
    }

    /** Sets its compute capability. */
    public Device compute(int major, int minor) {
      computeMajor = major;
      computeMinor = minor;
      return this;
    }

    /** Sets the newest PTX its driver reads, 10 * major + minor. */
    public Device newestPtx(int value) {
      newestPtx = value;
      return this;
    }

    /** Sets how many there are. */
    public Device count(int value) {
      count = value;
      return this;
    }

    /** Makes it so. */
    public void install() {
      final MethodHandle handle =
          bind(
              "headway_emulation_device",
              JAVA_LONG,
              JAVA_INT,
              JAVA_INT,
              JAVA_INT,
              JAVA_INT,
              JAVA_INT);
      invoke(
          () ->
              (int)
                  handle.invokeExact(
                      totalBytes, computeMajor, computeMinor, newestPtx, 13000, count));
    }
  }

  private interface Downcall {
    int call() throws Throwable;
  }

  private static int invoke(Downcall call) {
    try {
      return call.call();
    } catch (Throwable t) {
      throw new IllegalStateException(t);
    }
  }

  private static MethodHandle bind(String symbol, MemoryLayout... parameters) {
    return Linker.nativeLinker()
        .downcallHandle(
            CudaLibrary.library()
                .symbols()
                .orElseThrow()
                .find(symbol)
                .orElseThrow(() -> new IllegalStateException(ONLY + symbol)),
            FunctionDescriptor.of(JAVA_INT, parameters));
  }
}

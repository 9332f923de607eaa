package dev.headway.cuda.driver;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;

/**
 * The driver library of this JVM, looked for once: the system property {@value #PROPERTY}, else
 * {@value #DEFAULT_NAME}. Any thread.
 */
public final class CudaLibrary {
  /** System property that names another library, by path or file name. */
  public static final String PROPERTY = "headway.cuda.library";

  /** What the NVIDIA driver installs. */
  public static final String DEFAULT_NAME = "libcuda.so.1";

  private static final NativeLibrary LIBRARY =
      NativeLibrary.open(System.getProperty(PROPERTY, DEFAULT_NAME));

  private CudaLibrary() {}

  /** What was found, present or not. */
  public static NativeLibrary library() {
    return LIBRARY;
  }

  /**
   * Returns if the library is there. Every use of CUDA begins with this call, so that a missing
   * driver is one clear message and not a failed class initialisation.
   *
   * @throws CudaUnavailableException if the library was not loaded
   */
  public static void require() {
    if (!LIBRARY.isLoaded()) {
      throw new CudaUnavailableException(missing(LIBRARY));
    }
  }

  static String missing(NativeLibrary library) {
    final String step =
        library.failure().startsWith("native access")
            ? ""
            : "; install the NVIDIA driver, or name its library with -D" + PROPERTY + "=PATH";
    return "CUDA is not available: " + library.failure() + step;
  }

  static MethodHandle bind(String symbol, FunctionDescriptor descriptor) {
    final SymbolLookup symbols =
        LIBRARY.symbols().orElseThrow(() -> new CudaUnavailableException(missing(LIBRARY)));
    final MemorySegment address =
        symbols
            .find(symbol)
            .orElseThrow(
                () ->
                    new CudaUnavailableException(
                        "the CUDA driver must export "
                            + symbol
                            + ", which drivers since 470 do:"
                            + " library="
                            + LIBRARY.name()
                            + "; update the NVIDIA driver"));
    return Linker.nativeLinker().downcallHandle(address, descriptor);
  }
}

package dev.headway.cuda.driver;

import dev.headway.cuda.CudaUnavailableException;
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
   * Returns if the library is there and exports all that is called. Every use of CUDA begins with
   * this call, so that a missing or old driver is one clear message and not a failed class
   * initialisation.
   *
   * @throws CudaUnavailableException if not
   */
  public static void require() {
    final String problem = problem(LIBRARY);
    if (!problem.isEmpty()) {
      throw new CudaUnavailableException(problem);
    }
  }

  /** What is wrong with a library, empty if nothing is. Cold: looks every symbol up. */
  static String problem(NativeLibrary library) {
    if (!library.isLoaded()) {
      final String step =
          library.failure().startsWith("native access")
              ? ""
              : "; install the NVIDIA driver, or name its library with the JVM option -D"
                  + PROPERTY
                  + "=PATH";
      return "CUDA is not available: " + library.failure() + step;
    }
    final SymbolLookup symbols = library.symbols().orElseThrow();
    for (DriverFunction function : DriverFunction.values()) {
      if (symbols.find(function.symbol()).isEmpty()) {
        return "the CUDA driver must export "
            + function.symbol()
            + ", as drivers since 470 do: library="
            + library.name()
            + "; update the NVIDIA driver";
      }
    }
    return "";
  }

  static MethodHandle bind(String symbol, FunctionDescriptor descriptor) {
    final MemorySegment address =
        LIBRARY
            .symbols()
            .flatMap(symbols -> symbols.find(symbol))
            .orElseThrow(() -> new CudaUnavailableException(problem(LIBRARY)));
    return Linker.nativeLinker().downcallHandle(address, descriptor);
  }
}

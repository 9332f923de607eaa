package dev.headway.cuda.blas;

import dev.headway.cuda.device.CudaDevice;
import dev.headway.cuda.device.CudaStream;
import dev.headway.cuda.device.DeviceBuffer;
import dev.headway.cuda.device.MemoryUse;
import dev.headway.cuda.driver.NativeLibrary;
import java.util.NoSuchElementException;

/**
 * {@code y = x * transpose(w) + bias + residual} on cuBLASLt, or not at all: without the library
 * {@link #multiply} does nothing and says so.
 *
 * <p>Device thread only; closed before the device. A shape that comes for the first time is
 * planned, which takes the library some microseconds and allocates; then nothing is allocated.
 */
public final class BlasLt implements AutoCloseable {
  /** System property that names another library, by path or file name. */
  public static final String PROPERTY = "headway.cublaslt.library";

  private static final String[] NAMES = {"libcublasLt.so.13", "libcublasLt.so.12"};

  private final Products products;
  private final String absentBecause;

  private BlasLt(Products products, String absentBecause) {
    this.products = products;
    this.absentBecause = absentBecause;
  }

  /**
   * Looks for the library; never throws because of what it finds.
   *
   * @param workspaceBytes device memory that it may use; 32 MiB is what NVIDIA recommends on Hopper
   */
  public static BlasLt open(CudaDevice device, long workspaceBytes) {
    final String chosen = System.getProperty(PROPERTY);
    if (chosen != null) {
      return open(NativeLibrary.open(chosen), device, workspaceBytes);
    }
    NativeLibrary library = NativeLibrary.open(NAMES[0]);
    for (int i = 1; i < NAMES.length && !library.isLoaded(); i++) {
      library = NativeLibrary.open(NAMES[i]);
    }
    return open(library, device, workspaceBytes);
  }

  static BlasLt open(NativeLibrary library, CudaDevice device, long workspaceBytes) {
    if (!library.isLoaded()) {
      return new BlasLt(Products.NONE, library.failure());
    }
    final BlasLtCalls calls;
    try {
      calls = new BlasLtCalls(library.symbols().orElseThrow());
    } catch (NoSuchElementException e) {
      return new BlasLt(Products.NONE, library.name() + " is no cuBLASLt: " + e.getMessage());
    }
    final DeviceBuffer workspace =
        device.allocate(MemoryUse.of("cuBLASLt workspace"), workspaceBytes);
    try {
      return new BlasLt(new LoadedProducts(calls, workspace), "");
    } catch (BlasLtException e) {
      workspace.close();
      return new BlasLt(Products.NONE, String.valueOf(e.getMessage()));
    }
  }

  /** Whether the library is there. */
  public boolean isPresent() {
    return absentBecause.isEmpty();
  }

  /** Why it is not; empty if it is. */
  public String absentBecause() {
    return absentBecause;
  }

  /**
   * Enqueues a product, if the library is there and has a way to do it.
   *
   * @param y {@code [m][n]}
   * @param x {@code [m][k]}, bf16
   * @param w {@code [n][k]}, bf16
   * @param bias {@code [n]}, bf16, or 0; only with a bf16 {@code y}
   * @param residual {@code [m][n]} of the type of {@code y}, may be {@code y}; or 0
   * @return whether it was enqueued; if not, nothing happened
   * @throws BlasLtException if the library fails
   */
  public boolean multiply(
      CudaStream stream,
      BlasOutput output,
      long y,
      long x,
      long w,
      long bias,
      long residual,
      int m,
      int n,
      int k) {
    if (bias != 0 && output == BlasOutput.FP32) {
      return false; // the library wants a bias of another type there
    }
    return products.multiply(stream.handle(), output, y, x, w, bias, residual, m, n, k);
  }

  /** Gives plans, handle and workspace back. */
  @Override
  public void close() {
    products.close();
  }
}

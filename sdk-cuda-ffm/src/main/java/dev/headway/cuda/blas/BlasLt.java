package dev.headway.cuda.blas;

import dev.headway.cuda.device.CudaDevice;
import dev.headway.cuda.device.CudaStream;
import dev.headway.cuda.device.DeviceBuffer;
import dev.headway.cuda.device.MemoryUse;
import dev.headway.cuda.device.WeightMatrix;
import dev.headway.cuda.driver.NativeLibrary;
import java.nio.file.Path;
import java.util.NoSuchElementException;

/**
 * {@code y = x * transpose(w) + bias + residual} on cuBLASLt, or not at all: without the library
 * {@link #multiply} does nothing and says so. Sums are in fp32 however the library cuts them.
 *
 * <p>Device thread only; closed before the device. A shape that comes for the first time is
 * planned, which takes the library some microseconds and allocates; then nothing is allocated.
 */
public final class BlasLt implements AutoCloseable {
  /** System property that names another library, by path or file name. */
  public static final String PROPERTY = "headway.cublaslt.library";

  private final Products products;
  private final String name;
  private final String absentBecause;
  private boolean closed;

  private BlasLt(Products products, String name, String absentBecause) {
    this.products = products;
    this.name = name;
    this.absentBecause = absentBecause;
  }

  /**
   * Looks for the library; never throws because of what it finds.
   *
   * @param workspaceBytes device memory that it may use; 32 MiB is what NVIDIA recommends on Hopper
   */
  public static BlasLt open(CudaDevice device, long workspaceBytes) {
    final String chosen = System.getProperty(PROPERTY);
    final NativeLibrary library =
        chosen == null
            ? new LibrarySearch(Path.of("/"), System.getenv()).open()
            : NativeLibrary.open(chosen);
    return open(library, device, workspaceBytes);
  }

  static BlasLt open(NativeLibrary library, CudaDevice device, long workspaceBytes) {
    if (!library.isLoaded()) {
      return absent(library.failure());
    }
    final BlasLtCalls calls;
    try {
      calls = new BlasLtCalls(library.symbols().orElseThrow());
    } catch (NoSuchElementException e) {
      return absent(library.name() + " is no cuBLASLt: " + e.getMessage());
    }
    final DeviceBuffer workspace =
        device.allocate(MemoryUse.of("cuBLASLt workspace"), workspaceBytes);
    try {
      return new BlasLt(new LoadedProducts(calls, workspace), library.name(), "");
    } catch (BlasLtException e) {
      workspace.close();
      return absent(String.valueOf(e.getMessage()));
    }
  }

  private static BlasLt absent(String because) {
    return new BlasLt(Products.NONE, "", because);
  }

  /** Whether the library is there. */
  public boolean isPresent() {
    return absentBecause.isEmpty();
  }

  /** The library that is there, by the name or path it was opened with; empty if none is. */
  public String name() {
    return name;
  }

  /** Why it is not; empty if it is. */
  public String absentBecause() {
    return absentBecause;
  }

  /**
   * Enqueues a product, if the library is there and has a way to do it.
   *
   * @param y {@code [m][outputs]}
   * @param x {@code [m][inputs]}, bf16
   * @param w with a bias only where {@code y} is bf16
   * @param residual {@code [m][outputs]} of the type of {@code y}, may be {@code y}; or 0
   * @return whether it was enqueued; if not, nothing happened
   * @throws BlasLtException if the library fails
   */
  public boolean multiply(
      CudaStream stream, BlasOutput output, long y, long x, WeightMatrix w, long residual, int m) {
    if (w.bias() != 0 && output == BlasOutput.FP32) {
      return false; // the library wants a bias of another type there
    }
    requireOpen();
    return products.multiply(stream.handle(), output, y, x, w, residual, m);
  }

  /**
   * The first product that the library was asked for and has no way to do, with the status of its
   * heuristic: {@code m=2, n=3, k=9: status=15}; empty if it has done all.
   */
  public String refused() {
    return products.refused();
  }

  /**
   * How many shapes of products have been planned so far; 0 without the library. A step during
   * which it rises waited for the library's search.
   */
  public int plans() {
    return products.plans();
  }

  private void requireOpen() {
    if (closed) {
      throw new IllegalStateException("cuBLASLt must be open: it was closed before");
    }
  }

  /** Gives plans, handle and workspace back; once, further calls do nothing. */
  @Override
  public void close() {
    if (!closed) {
      closed = true;
      products.close();
    }
  }
}

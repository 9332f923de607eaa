package dev.headway.cuda.blas;

import dev.headway.cuda.device.CudaDevice;
import dev.headway.cuda.device.CudaStream;
import dev.headway.cuda.device.DeviceBuffer;
import dev.headway.cuda.device.MemoryUse;
import dev.headway.cuda.device.RoundedInputs;
import dev.headway.cuda.device.WeightMatrix;
import dev.headway.cuda.device.WeightScales;
import dev.headway.cuda.driver.NativeLibrary;
import java.nio.file.Path;
import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;

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

  private final @Nullable LoadedProducts products;
  private final String name;
  private final String absentBecause;
  private boolean closed;

  private BlasLt(@Nullable LoadedProducts products, String name, String absentBecause) {
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
    return new BlasLt(null, "", because);
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
    requireOpen();
    if (products == null || (w.bias() != 0 && output == BlasOutput.FP32)) {
      return false; // the library wants a bias of another type there
    }
    final BlasScales none = BlasScales.NONE;
    return products.multiply(stream.handle(), output, none, y, x, 0, w, residual, m);
  }

  /**
   * Enqueues a product of inputs and weights that are e4m3 codes, if the library is there and has a
   * way to do it: with one scale for all weights and a fixed one for all inputs, with one for each
   * row of both, or for blocks of 128 x 128 weights and 128 inputs. The library's fast accumulation
   * stays off: it keeps long sums in fewer bits than fp32 has.
   *
   * @param y {@code [m][outputs]}, bf16
   * @param codes of the inputs, {@code byte[m][inputs]}
   * @param inputScales {@code float[scales of a row][m]}
   * @param w codes with scales, and how its inputs are rounded
   * @param residual {@code [m][outputs]}, bf16, may be {@code y}; or 0
   * @return whether it was enqueued; if not, nothing happened
   * @throws BlasLtException if the library fails
   */
  public boolean multiplyRounded(
      CudaStream stream,
      long y,
      long codes,
      long inputScales,
      WeightMatrix w,
      long residual,
      int m) {
    final BlasScales scales = scalesOf(w, m);
    requireOpen();
    return products != null
        && scales != BlasScales.NONE
        && products.multiply(
            stream.handle(), BlasOutput.BF16, scales, y, codes, inputScales, w, residual, m);
  }

  /** None if the library has no scales like these. */
  private static BlasScales scalesOf(WeightMatrix w, int m) {
    final WeightScales scales = w.scales();
    final RoundedInputs rounded = w.rounded();
    if (scales == null || rounded == null || scales.columns() != rounded.columns()) {
      return BlasScales.NONE;
    }
    if (scales.columns() == w.inputs()) {
      if (rounded.fixedScale() != 0 && (w.outputs() - 1) >> scales.rowShift() == 0) {
        return BlasScales.ONE_EACH;
      }
      return scales.rowShift() == 0 ? BlasScales.OF_ROWS : BlasScales.NONE;
    }
    final int blocks = (w.inputs() - 1) / BlasScales.BLOCK + 1;
    final boolean fits =
        scales.columns() == BlasScales.BLOCK
            && 1 << scales.rowShift() == BlasScales.BLOCK
            && blocks % BlasScales.MULTIPLE == 0
            && m % BlasScales.MULTIPLE == 0;
    return fits ? BlasScales.OF_BLOCKS : BlasScales.NONE;
  }

  /**
   * The first product that the library was asked for and has no way to do, with the status of its
   * heuristic: {@code m=2, n=3, k=9: status=15}; empty if it has done all. Those of codes aside.
   */
  public String refused() {
    return products == null ? "" : products.refused(false);
  }

  /** The same of {@link #multiplyRounded}. */
  public String refusedRounded() {
    return products == null ? "" : products.refused(true);
  }

  /**
   * How many shapes of products have been planned so far; 0 without the library. A step during
   * which it rises waited for the library's search.
   */
  public int plans() {
    return products == null ? 0 : products.plans();
  }

  private void requireOpen() {
    if (closed) {
      throw new IllegalStateException("cuBLASLt must be open: it was closed before");
    }
  }

  /** Gives plans, handle and workspace back; once, further calls do nothing. */
  @Override
  public void close() {
    if (!closed && products != null) {
      products.close();
    }
    closed = true;
  }
}

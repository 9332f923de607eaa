package dev.headway.cuda.driver;

/** A driver call that failed: which, with what result, and the numbers that matter. */
public final class CudaException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final DriverFunction call;
  private final int result;

  private CudaException(DriverFunction call, int result, String message) {
    super(message);
    this.call = call;
    this.result = result;
  }

  /**
   * Describes a failure. Cold; asks the driver for the result's name.
   *
   * @param details {@code name=value} pairs, or empty
   */
  public static CudaException of(DriverFunction call, int result, String details) {
    return new CudaException(call, result, text(call.symbol(), result, details));
  }

  /** Throws if {@code result} is not success. Allocates nothing otherwise. */
  public static void check(int result, DriverFunction call) {
    if (result != CudaResult.SUCCESS) {
      throw of(call, result, "");
    }
  }

  private static String text(String symbol, int result, String details) {
    final String name = InitCalls.errorName(result);
    final String sentence = InitCalls.errorString(result);
    return symbol
        + " failed: result="
        + result
        + " ("
        + name
        + (sentence.isEmpty() || sentence.equals(name) ? "" : ", " + sentence)
        + ")"
        + (details.isEmpty() ? "" : ", " + details);
  }

  /**
   * The call that reported it; asynchronous work that failed earlier is reported by a later call.
   */
  public DriverFunction call() {
    return call;
  }

  /** The {@code CUresult}. */
  public int result() {
    return result;
  }

  /** Whether the context is lost, see {@link CudaResult#isSticky}. */
  public boolean isSticky() {
    return CudaResult.isSticky(result);
  }
}

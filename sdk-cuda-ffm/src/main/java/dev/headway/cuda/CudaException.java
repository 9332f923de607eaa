package dev.headway.cuda;

/** A driver call that failed: which, with what result, and the numbers that matter. */
public final class CudaException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final String call;
  private final int result;
  private final boolean sticky;

  /**
   * Describes a failure.
   *
   * @param call the driver function, for example {@code cuMemAlloc_v2}
   * @param result its {@code CUresult}
   * @param sticky whether the context is lost
   * @param message the whole message
   */
  public CudaException(String call, int result, boolean sticky, String message) {
    super(message);
    this.call = call;
    this.result = result;
    this.sticky = sticky;
  }

  /**
   * The driver function that reported it; asynchronous work that failed earlier is reported by a
   * later call.
   */
  public String call() {
    return call;
  }

  /** The {@code CUresult}. */
  public int result() {
    return result;
  }

  /** Whether the context is lost: every later call of the process on it fails the same way. */
  public boolean isSticky() {
    return sticky;
  }
}

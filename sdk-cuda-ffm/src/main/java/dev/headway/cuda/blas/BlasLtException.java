package dev.headway.cuda.blas;

/** A call of cuBLASLt that failed. */
public final class BlasLtException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  BlasLtException(String call, int status, String details) {
    super(
        call
            + " failed: status="
            + status
            + " (cublasStatus_t)"
            + (details.isEmpty() ? "" : ", " + details));
  }
}

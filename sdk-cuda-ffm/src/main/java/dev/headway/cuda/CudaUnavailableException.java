package dev.headway.cuda;

/** CUDA cannot be used here; the message says what is missing and what to do about it. */
public final class CudaUnavailableException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** Makes one with a message that names the missing thing and the next step. */
  public CudaUnavailableException(String message) {
    super(message);
  }

  /** Makes one for a failed driver call. */
  public CudaUnavailableException(String message, Throwable cause) {
    super(message, cause);
  }
}

package dev.headway.api.executor;

/**
 * No step can run on an executor any more, such as after its device was lost: the engine ends every
 * request and stops, whatever it does after other failures, so that its health calls for a new
 * process.
 */
public class ExecutorLostException extends IllegalStateException {
  private static final long serialVersionUID = 1L;

  /**
   * Says what was lost.
   *
   * @param message what was lost, and the next step
   * @param cause why
   */
  public ExecutorLostException(String message, Throwable cause) {
    super(message, cause);
  }
}

package dev.headway.probes.otel.run;

/** vLLM's words for the ways in which a request ends; ours are finer. */
public final class FinishWords {

  private FinishWords() {}

  /** {@code finish.status} of a {@code journey.FINISHED} event. */
  public static String status(String reason) {
    return switch (reason) {
      case "stop", "repetition" -> "stopped";
      case "length" -> "length";
      case "abort", "deadline", "shutdown" -> "aborted";
      case "rejected_by_policy" -> "ignored";
      default -> "error";
    };
  }

  /** {@code finished_reason} of {@code vllm:request_success}. */
  public static String finishedReason(String reason) {
    return switch (reason) {
      case "stop", "length", "abort", "repetition" -> reason;
      case "deadline", "shutdown" -> "abort";
      default -> "error";
    };
  }

  /** Whether the caller got an answer that is complete. */
  public static boolean isSuccess(String reason) {
    return switch (reason) {
      case "stop", "length", "repetition" -> true;
      default -> false;
    };
  }

  /** Whether it is a failure of the system, and not the caller's wish; a passed deadline is. */
  public static boolean isError(String reason) {
    return !isSuccess(reason) && !reason.equals("abort") && !reason.equals("shutdown");
  }
}

package dev.headway.serving.reply;

import dev.headway.api.engine.RequestOutcome.Finished;
import dev.headway.api.engine.RequestOutcome.Rejected;
import dev.headway.grammar.ConstraintException;
import dev.headway.serving.reply.ReplyException.Kind;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/** Ends of requests that are no replies. Stateless. */
final class ReplyFailures {

  private ReplyFailures() {}

  /** The engine refused a request at submission. */
  static ReplyException refused(Rejected refused) {
    final String message = refused.message();
    return switch (refused.reason()) {
      case QUEUE_FULL, QUEUED_TOKENS -> new ReplyException(Kind.OVERLOADED, message);
      case ENGINE_CLOSED -> new ReplyException(Kind.CLOSED, message);
      case UNSUPPORTED -> new ReplyException(Kind.UNSUPPORTED, message);
      case DUPLICATE_ID -> new ReplyException(Kind.FAILED, message);
      case MIN_TOKENS_UNREACHABLE,
          CONTEXT_LENGTH_LIMIT,
          KV_CACHE_TOO_SMALL,
          TOKEN_OUT_OF_VOCABULARY,
          ENCODER_TOO_SMALL ->
          new ReplyException(Kind.INVALID, message);
    };
  }

  /**
   * Throws unless the end of a request is that of a reply.
   *
   * @throws ReplyException that says how it ended, and what it has waited for
   */
  static void requireReply(Finished end, ReplyNames names) {
    final Throwable cause = end.cause();
    switch (end.reason()) {
      case STOP, REPETITION, LENGTH, KV_CACHE_EXHAUSTED -> {}
      case ABORTED -> throw new ReplyException(Kind.CANCELLED, message("was cancelled", end));
      case DEADLINE ->
          throw new ReplyException(Kind.TIMED_OUT, message("must end within its timeout", end));
      case RUN_TIMEOUT ->
          throw new ReplyException(Kind.TIMED_OUT, message("must end within its run timeout", end));
      case QUEUE_TIMEOUT ->
          throw new ReplyException(
              Kind.TIMED_OUT, message("must be begun within its queue timeout", end));
      case HOLD_TIMEOUT ->
          throw new ReplyException(
              Kind.TIMED_OUT, message("was held for longer than it may be", end));
      case QUEUE_EVICTED ->
          throw new ReplyException(
              Kind.OVERLOADED,
              message("gave its place in a full queue to a more important one", end));
      case REJECTED_BY_POLICY ->
          throw new ReplyException(
              Kind.OVERLOADED, message("was turned away by an admission policy", end));
      case SHUTDOWN ->
          throw new ReplyException(
              Kind.CLOSED, message("was alive when the engine was closed", end));
      case HOLD_FAILED -> throw held(end, cause, names);
      case LISTENER_FAILED, EXECUTOR_FAILED, KV_LOAD_FAILED, GRAMMAR_REFUSED ->
          throw new ReplyException(Kind.FAILED, message("has failed: cause=" + cause, end), cause);
    }
  }

  /** It was held for its constraint to be compiled. */
  private static ReplyException held(Finished end, @Nullable Throwable failure, ReplyNames names) {
    final Throwable cause =
        failure instanceof CompletionException && failure.getCause() != null
            ? failure.getCause()
            : failure;
    if (!(cause instanceof ConstraintException reason)) {
      return new ReplyException(Kind.FAILED, message("has failed: cause=" + cause, end), cause);
    }
    final String text = String.valueOf(reason.getMessage());
    if (reason.kind() == ConstraintException.Kind.BUSY) {
      return new ReplyException(Kind.OVERLOADED, text, reason);
    }
    final String at = reason.path().isEmpty() ? "" : " at " + reason.path();
    return new ReplyException(
        Kind.INVALID,
        "the schema of " + names.format() + " or of a tool cannot be kept" + at + ": " + text,
        reason);
  }

  private static String message(String what, Finished end) {
    return "the request "
        + what
        + ": id="
        + end.id()
        + ", outputTokens="
        + end.outputTokens()
        + ", tookNs="
        + (end.finishedNs() - end.arrivalNs())
        + ", waited="
        + end.waits();
  }
}

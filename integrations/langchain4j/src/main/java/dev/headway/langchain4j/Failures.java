package dev.headway.langchain4j;

import dev.headway.api.engine.RequestOutcome.Finished;
import dev.headway.api.engine.RequestOutcome.Rejected;
import dev.headway.grammar.ConstraintException;
import dev.langchain4j.exception.InternalServerException;
import dev.langchain4j.exception.InvalidRequestException;
import dev.langchain4j.exception.LangChain4jException;
import dev.langchain4j.exception.NonRetriableException;
import dev.langchain4j.exception.RateLimitException;
import dev.langchain4j.exception.TimeoutException;
import dev.langchain4j.exception.UnsupportedFeatureException;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/** Ends of requests that are no answers, as LangChain4j's exceptions. Stateless. */
final class Failures {

  private Failures() {}

  /** The engine refused a request at submission. */
  static LangChain4jException refused(Rejected refused) {
    final String message = refused.message();
    return switch (refused.reason()) {
      case QUEUE_FULL, QUEUED_TOKENS -> new RateLimitException(message);
      case ENGINE_CLOSED -> new NonRetriableException(message);
      case UNSUPPORTED -> new UnsupportedFeatureException(message);
      case DUPLICATE_ID -> new InternalServerException(message);
      case MIN_TOKENS_UNREACHABLE,
          CONTEXT_LENGTH_LIMIT,
          KV_CACHE_TOO_SMALL,
          TOKEN_OUT_OF_VOCABULARY,
          ENCODER_TOO_SMALL ->
          new InvalidRequestException(message);
    };
  }

  /**
   * Throws unless the end of a request is that of an answer.
   *
   * @throws LangChain4jException that says how it ended, and what it has waited for
   */
  static void requireAnswer(Finished end) {
    final Throwable cause = end.cause();
    switch (end.reason()) {
      case STOP, REPETITION, LENGTH, KV_CACHE_EXHAUSTED -> {}
      case ABORTED -> throw new LangChain4jException(message("was cancelled", end));
      case DEADLINE -> throw new TimeoutException(message("must end within its timeout", end));
      case RUN_TIMEOUT ->
          throw new TimeoutException(message("must end within its run timeout", end));
      case QUEUE_TIMEOUT ->
          throw new TimeoutException(message("must be begun within its queue timeout", end));
      case HOLD_TIMEOUT ->
          throw new TimeoutException(message("was held for longer than it may be", end));
      case QUEUE_EVICTED ->
          throw new RateLimitException(
              message("gave its place in a full queue to a more important one", end));
      case REJECTED_BY_POLICY ->
          throw new RateLimitException(message("was turned away by an admission policy", end));
      case SHUTDOWN ->
          throw new NonRetriableException(message("was alive when the engine was closed", end));
      case HOLD_FAILED -> throw held(end, cause);
      case LISTENER_FAILED, EXECUTOR_FAILED, KV_LOAD_FAILED, GRAMMAR_REFUSED ->
          throw new InternalServerException(message("has failed: cause=" + cause, end), cause);
    }
  }

  /** It was held for its constraint to be compiled. */
  private static LangChain4jException held(Finished end, @Nullable Throwable failure) {
    final Throwable cause =
        failure instanceof CompletionException && failure.getCause() != null
            ? failure.getCause()
            : failure;
    if (!(cause instanceof ConstraintException reason)) {
      return new InternalServerException(message("has failed: cause=" + cause, end), cause);
    }
    final String text = String.valueOf(reason.getMessage());
    if (reason.kind() == ConstraintException.Kind.BUSY) {
      return new RateLimitException(text, reason);
    }
    final String at = reason.path().isEmpty() ? "" : " at " + reason.path();
    return new InvalidRequestException(
        "the schema of responseFormat or of a tool cannot be kept" + at + ": " + text, reason);
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

package dev.headway.langchain4j;

import dev.headway.serving.reply.ReplyException;
import dev.langchain4j.exception.InternalServerException;
import dev.langchain4j.exception.InvalidRequestException;
import dev.langchain4j.exception.LangChain4jException;
import dev.langchain4j.exception.NonRetriableException;
import dev.langchain4j.exception.RateLimitException;
import dev.langchain4j.exception.TimeoutException;
import dev.langchain4j.exception.UnsupportedFeatureException;
import java.util.function.Supplier;

/** Replies, or LangChain4j's exceptions where there is none. Stateless. */
final class Replies {

  private Replies() {}

  /**
   * Returns what is asked for.
   *
   * @throws LangChain4jException if there is no reply; its kind says why
   */
  static <T> T of(Supplier<T> asked) {
    try {
      return asked.get();
    } catch (ReplyException e) {
      throw exception(e);
    }
  }

  private static LangChain4jException exception(ReplyException e) {
    final String message = e.getMessage();
    final Throwable cause = e.getCause() == null ? e : e.getCause();
    return switch (e.kind()) {
      case UNSUPPORTED -> new UnsupportedFeatureException(message);
      case INVALID -> new InvalidRequestException(message, cause);
      case OVERLOADED -> new RateLimitException(message, cause);
      case TIMED_OUT -> new TimeoutException(message, cause);
      case CLOSED -> new NonRetriableException(message, cause);
      case CANCELLED -> new LangChain4jException(message, cause);
      case FAILED -> new InternalServerException(message, cause);
    };
  }
}

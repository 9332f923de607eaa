package dev.headway.server;

import dev.headway.api.engine.RequestOutcome.Rejected;
import dev.headway.api.request.FinishReason;
import dev.headway.api.request.RejectReason;
import dev.headway.http.BodyBudget;
import dev.headway.http.HttpFailure;
import dev.headway.serving.ServedModel;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A request that is answered with an error, in OpenAI's shape. */
final class ApiException extends RuntimeException {

  private static final String INVALID = "invalid_request_error";
  private static final int MAX_SHOWN_CHARS = 80;
  private static final int NO_RETRY = -1;
  private static final int RETRY_AFTER_SECONDS = 1;

  final int status;
  final String type;
  final @Nullable String param;
  final @Nullable String code;
  final int retryAfterSeconds;

  private ApiException(
      int status,
      String type,
      String message,
      @Nullable String param,
      @Nullable String code,
      int retryAfterSeconds) {
    super(message, null, false, false); // for the client; where it was found is of no interest
    this.status = status;
    this.type = type;
    this.param = param;
    this.code = code;
    this.retryAfterSeconds = retryAfterSeconds;
  }

  /** 400: a field is not as it must be. */
  static ApiException invalid(@Nullable String param, String message) {
    return new ApiException(400, INVALID, message, param, null, NO_RETRY);
  }

  /** 400: prompt and answer do not fit the context; with the code that OpenAI's clients know. */
  static ApiException tooLong(String param, String message) {
    return new ApiException(400, INVALID, message, param, "context_length_exceeded", NO_RETRY);
  }

  /** An error of no particular field. */
  static ApiException of(int status, String code, String message) {
    final String type = status < 500 ? INVALID : "server_error";
    return new ApiException(status, type, message, null, code, NO_RETRY);
  }

  /** What did not arrive as it must, or found no room. */
  static ApiException of(HttpFailure failure) {
    return new ApiException(
        failure.status(),
        failure.status() < 500 ? INVALID : "server_error",
        String.valueOf(failure.getMessage()),
        null,
        failure.code(),
        failure.code().equals(BodyBudget.BODIES_FULL) ? RETRY_AFTER_SECONDS : NO_RETRY);
  }

  /** 404: another model is served. */
  static ApiException unknownModel(String asked, ServedModel served) {
    final String names =
        served.adapters().stream()
            .map(adapter -> "', '" + adapter.name())
            .collect(Collectors.joining());
    return new ApiException(
        404,
        INVALID,
        "model must be "
            + (names.isEmpty() ? "" : "one of ")
            + "'"
            + served.name()
            + names
            + "', which "
            + (names.isEmpty() ? "is" : "are")
            + " served here: model='"
            + shown(asked)
            + "'",
        "model",
        "model_not_found",
        NO_RETRY);
  }

  private static String shown(String asked) {
    return asked.length() <= MAX_SHOWN_CHARS ? asked : asked.substring(0, MAX_SHOWN_CHARS) + "...";
  }

  /**
   * What journals, spans and logs keep of it: status, code and field. The message is for the client
   * alone, whose own words it can repeat.
   */
  String recorded() {
    return "status="
        + status
        + ", code="
        + (code == null ? type : code)
        + (param == null ? "" : ", field=" + param);
  }

  /** 501: what is asked for needs log-probabilities, and there are none. */
  static ApiException withoutLogprobs(String param) {
    return new ApiException(
        501,
        "server_error",
        "the executor must report log-probabilities for " + param + ", and this one reports none",
        param,
        RejectReason.UNSUPPORTED.label(),
        NO_RETRY);
  }

  /** 503: come back when another server is there. */
  static ApiException draining() {
    return unavailable("the server is draining and takes no more requests");
  }

  private static ApiException unavailable(String message) {
    return new ApiException(503, "server_error", message, null, "unavailable", RETRY_AFTER_SECONDS);
  }

  /** 503: the chat template is being run for others. */
  static ApiException templatesBusy(String message) {
    return new ApiException(
        503, "server_error", message, null, "chat_template_busy", RETRY_AFTER_SECONDS);
  }

  /** 503: other constraints are being compiled. */
  static ApiException constraintsBusy(String message) {
    return new ApiException(
        503, "server_error", message, null, "constraints_busy", RETRY_AFTER_SECONDS);
  }

  /** The engine refused a request at submission. */
  static ApiException refused(Rejected refused) {
    final String code = refused.reason().label();
    return switch (refused.reason()) {
      case QUEUE_FULL, QUEUED_TOKENS -> tooMany(refused.message(), code);
      case ENGINE_CLOSED -> unavailable(refused.message());
      case UNSUPPORTED -> of(501, code, refused.message());
      case DUPLICATE_ID -> of(500, code, refused.message());
      case MIN_TOKENS_UNREACHABLE ->
          new ApiException(400, INVALID, refused.message(), "min_tokens", code, NO_RETRY);
      case CONTEXT_LENGTH_LIMIT, KV_CACHE_TOO_SMALL, TOKEN_OUT_OF_VOCABULARY, ENCODER_TOO_SMALL ->
          new ApiException(400, INVALID, refused.message(), "prompt", code, NO_RETRY);
    };
  }

  /** A request ended in a way that is no answer; null if it is one. */
  static @Nullable ApiException ended(FinishReason reason, @Nullable Throwable cause) {
    return switch (reason) {
      case STOP, REPETITION, LENGTH, KV_CACHE_EXHAUSTED, ABORTED -> null;
      case DEADLINE -> of(504, reason.label(), "the request's deadline has passed");
      case RUN_TIMEOUT ->
          of(504, reason.label(), "the request has run longer than the server's run timeout");
      case QUEUE_TIMEOUT ->
          new ApiException(
              503,
              "server_error",
              "the request was not begun within the server's queue timeout; retry later",
              null,
              reason.label(),
              RETRY_AFTER_SECONDS);
      case HOLD_TIMEOUT ->
          of(504, reason.label(), "what the request was held for did not happen in time");
      case QUEUE_EVICTED ->
          tooMany("the queue was full, and a more important request came", reason.label());
      case REJECTED_BY_POLICY ->
          tooMany("an admission policy turned the request away", reason.label());
      case SHUTDOWN -> unavailable("the server was shut down before the answer was complete");
      case LISTENER_FAILED, EXECUTOR_FAILED, HOLD_FAILED, KV_LOAD_FAILED, GRAMMAR_REFUSED ->
          of(
              500,
              reason.label(),
              "the answer could not be made" + (cause == null ? "" : ": " + cause));
    };
  }

  private static ApiException tooMany(String message, String code) {
    return new ApiException(429, "rate_limit_error", message, null, code, RETRY_AFTER_SECONDS);
  }
}

package dev.headway.router.span;

import static io.opentelemetry.api.common.AttributeKey.doubleKey;
import static io.opentelemetry.api.common.AttributeKey.longKey;
import static io.opentelemetry.api.common.AttributeKey.stringArrayKey;
import static io.opentelemetry.api.common.AttributeKey.stringKey;

import io.opentelemetry.api.common.AttributeKey;
import java.util.List;

/**
 * Every name that a router's spans carry: OpenTelemetry's semantic conventions of HTTP and of
 * generative AI where they have one, ours under {@code headway.routing.}. A rename is a change of
 * this file.
 */
public final class RoutingSpanNames {

  public static final String SCOPE = "headway.router";
  public static final String NO_WORKER_SPAN = "route";

  // events of an attempt

  public static final String SENT = "headway.routing.sent";
  public static final String HEAD = "headway.routing.head";
  public static final String FIRST_BYTE = "headway.routing.first_byte";

  // HTTP

  public static final AttributeKey<String> METHOD = stringKey("http.request.method");
  public static final AttributeKey<String> METHOD_ORIGINAL =
      stringKey("http.request.method_original");
  public static final AttributeKey<Long> RESEND_COUNT = longKey("http.request.resend_count");
  public static final AttributeKey<Long> STATUS = longKey("http.response.status_code");
  public static final AttributeKey<Long> BODY_SIZE = longKey("http.response.body.size");
  public static final AttributeKey<String> ROUTE = stringKey("http.route");
  public static final AttributeKey<String> SERVER_ADDRESS = stringKey("server.address");
  public static final AttributeKey<Long> SERVER_PORT = longKey("server.port");
  public static final AttributeKey<String> URL_FULL = stringKey("url.full");
  public static final AttributeKey<String> URL_PATH = stringKey("url.path");
  public static final AttributeKey<String> URL_SCHEME = stringKey("url.scheme");
  public static final AttributeKey<String> ERROR_TYPE = stringKey("error.type");
  public static final AttributeKey<String> SERVICE_NAME = stringKey("service.name");

  // generative AI; the id as the engine's spans name it

  public static final AttributeKey<String> OPERATION = stringKey("gen_ai.operation.name");
  public static final AttributeKey<String> MODEL = stringKey("gen_ai.request.model");
  public static final AttributeKey<Long> MAX_TOKENS = longKey("gen_ai.request.max_tokens");
  public static final AttributeKey<String> REQUEST_ID = stringKey("gen_ai.request.id");

  // the request

  public static final AttributeKey<Long> ATTEMPTS = longKey("headway.routing.attempts");

  // an attempt

  public static final AttributeKey<String> POLICY = stringKey("headway.routing.policy");
  public static final AttributeKey<String> BRANCH = stringKey("headway.routing.branch");
  public static final AttributeKey<String> WORKER = stringKey("headway.routing.worker");
  public static final AttributeKey<Long> CANDIDATES = longKey("headway.routing.candidates");
  public static final AttributeKey<List<String>> REFUSED =
      stringArrayKey("headway.routing.refused");
  public static final AttributeKey<Long> DECISION_NS = longKey("headway.routing.decision_ns");
  public static final AttributeKey<Long> SIGNAL_AGE_NS = longKey("headway.routing.signal_age_ns");
  public static final AttributeKey<Long> LOAD = longKey("headway.routing.load");
  public static final AttributeKey<Long> MIN_LOAD = longKey("headway.routing.min_load");
  public static final AttributeKey<Long> MAX_LOAD = longKey("headway.routing.max_load");
  public static final AttributeKey<Long> PROMPT_UNITS = longKey("headway.routing.prompt_units");
  public static final AttributeKey<Long> MATCHED_UNITS = longKey("headway.routing.matched_units");
  public static final AttributeKey<String> OUTCOME = stringKey("headway.routing.outcome");
  public static final AttributeKey<Double> TOTAL = doubleKey("headway.routing.total");
  public static final AttributeKey<String> OTHER = stringKey("headway.routing.best_other.worker");
  public static final AttributeKey<Double> OTHER_TOTAL =
      doubleKey("headway.routing.best_other.total");
  private static final String SCORE_PREFIX = "headway.routing.score.";
  private static final String OTHER_SCORE_PREFIX = "headway.routing.best_other.score.";

  private RoutingSpanNames() {}

  /** What the chosen worker scored. */
  public static AttributeKey<Double> score(String scorer) {
    return doubleKey(SCORE_PREFIX + scorer);
  }

  /** What the best of the other candidates scored. */
  public static AttributeKey<Double> otherScore(String scorer) {
    return doubleKey(OTHER_SCORE_PREFIX + scorer);
  }
}

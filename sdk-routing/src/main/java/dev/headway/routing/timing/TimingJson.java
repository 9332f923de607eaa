package dev.headway.routing.timing;

import static dev.headway.api.Absent.ABSENT;

import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Instants on the wire. A client asks for them with {@code "return_timing": true}. The server
 * answers with an object {@code timing} beside {@code usage} (in a stream with the last event
 * before {@code [DONE]}, whose {@code choices} are empty), the router with a header, because it
 * passes bodies on as they are.
 *
 * <p>Instants are whole nanoseconds of the sender's monotonic clock under {@code LABEL_ns}; those
 * that are not known are left out. Any thread.
 */
public final class TimingJson {

  /** The field of a request that asks for instants. */
  public static final String REQUEST_FIELD = "return_timing";

  /** The field of an answer that holds the server's. */
  public static final String SERVER_FIELD = "timing";

  /** The header of an answer that holds the router's, as JSON. */
  public static final String ROUTER_HEADER = "x-headway-router-timing";

  private static final String CLOCK = "clock";

  private TimingJson() {}

  /** Writes what a server says. */
  public static ObjectNode write(ServerTiming timing) {
    final ObjectNode json = JsonNodeFactory.instance.objectNode().put(CLOCK, timing.clock());
    writeInstants(json, timing.at(), TimingActor.SERVER);
    json.put("prompt_tokens", timing.promptTokens())
        .put("cached_tokens", timing.cachedTokens())
        .put("output_tokens", timing.outputTokens())
        .put("preemptions", timing.preemptions());
    if (timing.queueTotalNs() != ABSENT) {
      json.put("queue_total_ns", timing.queueTotalNs());
    }
    if (timing.waitReason() != null) {
      json.put("wait_reason", timing.waitReason());
    }
    if (timing.finishReason() != null) {
      json.put("finish_reason", timing.finishReason());
    }
    return json;
  }

  /** Writes what a router says. */
  public static ObjectNode write(RouterTiming timing) {
    final ObjectNode json = JsonNodeFactory.instance.objectNode().put(CLOCK, timing.clock());
    writeInstants(json, timing.at(), TimingActor.ROUTER);
    json.put("head_ns", timing.headNs())
        .put("worker", timing.worker())
        .put("url", timing.url())
        .put("policy", timing.policy())
        .put("branch", timing.branch())
        .put("candidates", timing.candidates())
        .put("attempt", timing.attempt())
        .put("pick_cost_ns", timing.pickCostNs())
        .put("load", timing.load())
        .put("min_load", timing.minLoad())
        .put("max_load", timing.maxLoad())
        .put("prompt_units", timing.promptUnits())
        .put("matched_units", timing.matchedUnits());
    final ClockOffset.Estimate server = timing.serverClock();
    if (server != null) {
      json.put("server_offset_ns", server.offsetNs()).put("server_error_ns", server.errorNs());
    }
    return json;
  }

  /**
   * Reads what a server said; unknown fields are passed over, figures that are missing are 0.
   *
   * @throws IllegalArgumentException if it is not what {@link #write(ServerTiming)} writes
   */
  public static ServerTiming readServer(JsonNode json) {
    return new ServerTiming(
        clock(json),
        readInstants(json, TimingActor.SERVER),
        json.path("prompt_tokens").asInt(0),
        json.path("cached_tokens").asInt(0),
        json.path("output_tokens").asInt(0),
        json.path("preemptions").asInt(0),
        json.path("queue_total_ns").asLong(ABSENT),
        text(json, "wait_reason"),
        text(json, "finish_reason"));
  }

  /**
   * Reads what a router said; unknown fields are passed over, figures that are missing are 0.
   *
   * @throws IllegalArgumentException if it is not what {@link #write(RouterTiming)} writes
   */
  public static RouterTiming readRouter(JsonNode json) {
    return new RouterTiming(
        clock(json),
        readInstants(json, TimingActor.ROUTER),
        json.path("head_ns").asLong(ABSENT),
        json.path("worker").asString(""),
        json.path("url").asString(""),
        json.path("policy").asString(""),
        json.path("branch").asString(""),
        json.path("candidates").asInt(0),
        json.path("attempt").asInt(0),
        json.path("pick_cost_ns").asLong(0),
        json.path("load").asInt(0),
        json.path("min_load").asInt(0),
        json.path("max_load").asInt(0),
        json.path("prompt_units").asInt(0),
        json.path("matched_units").asInt(0),
        json.has("server_error_ns")
            ? new ClockOffset.Estimate(
                json.path("server_offset_ns").asLong(0), json.path("server_error_ns").asLong(0))
            : null);
  }

  private static String clock(JsonNode json) {
    final String clock = text(json, CLOCK);
    if (clock == null) {
      throw new IllegalArgumentException("a timing must have the id of its clock: timing=" + json);
    }
    return clock;
  }

  private static @Nullable String text(JsonNode json, String name) {
    return json.path(name).isString() ? json.path(name).stringValue() : null;
  }

  private static void writeInstants(ObjectNode json, RequestTiming at, TimingActor actor) {
    for (TimingStage stage : TimingStage.values()) {
      if (stage.actor() == actor && at.has(stage)) {
        json.put(stage.column(), at.ns(stage));
      }
    }
  }

  private static RequestTiming readInstants(JsonNode json, TimingActor actor) {
    final RequestTiming at = new RequestTiming();
    for (TimingStage stage : TimingStage.values()) {
      final JsonNode instant = json.path(stage.column());
      if (stage.actor() != actor || instant.isMissingNode()) {
        continue;
      }
      if (!instant.canConvertToExactIntegral()) {
        throw new IllegalArgumentException(
            "an instant must be whole nanoseconds: " + stage.column() + "=" + instant);
      }
      at.set(stage, instant.longValue());
    }
    return at;
  }
}

package dev.headway.server;

import dev.headway.api.config.EngineLimits;
import dev.headway.api.config.QueueLimits;
import dev.headway.api.engine.Engine;
import dev.headway.http.BodyBudget;
import dev.headway.http.server.ServerExchange;
import java.io.IOException;
import java.util.List;
import tools.jackson.databind.node.ObjectNode;

/** The engine's limits: as they are, and others. Any thread. */
final class LimitRoutes {

  private final Engine engine;
  private final Bodies bodies;

  LimitRoutes(Engine engine, Bodies bodies) {
    this.engine = engine;
    this.bodies = bodies;
  }

  /** What holds from the next step on; 0 for no limit of its own. */
  ObjectNode limits() {
    final EngineLimits now = engine.limits();
    return Json.object()
        .put("max_num_active_seqs", now.maxNumActiveSeqs())
        .put("max_num_scheduled_tokens", now.maxNumScheduledTokens())
        .put("long_prefill_token_threshold", now.longPrefillTokenThreshold())
        .put("max_num_partial_prefills", now.maxNumPartialPrefills())
        .put("max_long_partial_prefills", now.maxLongPartialPrefills())
        .put("max_num_queued_reqs", now.queueLimits().maxNumQueuedReqs())
        .put("max_num_queued_tokens", now.queueLimits().maxNumQueuedTokens())
        .put("watermark", now.watermark());
  }

  /**
   * Sets the limits that the body names, and leaves the others as they are.
   *
   * @return all of them
   * @throws ApiException 400 if the engine cannot have them; none is changed
   */
  ObjectNode setLimits(ServerExchange exchange) throws IOException {
    final Fields fields;
    try (BodyBudget.Claim claim = bodies.claim(exchange)) {
      fields = new Fields(bodies.object(bodies.read(exchange, claim), claim));
    }
    final EngineLimits changed = changed(engine.limits(), fields);
    final List<String> unknown = fields.unread();
    if (!unknown.isEmpty()) {
      throw ApiException.invalid(
          unknown.getFirst(), "a limit must be one that GET /limits has: field=" + unknown);
    }
    try {
      engine.setLimits(changed);
    } catch (IllegalArgumentException e) {
      throw ApiException.invalid(null, String.valueOf(e.getMessage()));
    } catch (UnsupportedOperationException e) {
      throw ApiException.of(501, "unsupported", String.valueOf(e.getMessage()));
    }
    return limits();
  }

  private static EngineLimits changed(EngineLimits now, Fields fields) {
    final QueueLimits queue = now.queueLimits();
    return now.toBuilder()
        .maxNumActiveSeqs(count(fields, "max_num_active_seqs", now.maxNumActiveSeqs()))
        .maxNumScheduledTokens(
            count(fields, "max_num_scheduled_tokens", now.maxNumScheduledTokens()))
        .longPrefillTokenThreshold(
            count(fields, "long_prefill_token_threshold", now.longPrefillTokenThreshold()))
        .maxNumPartialPrefills(
            count(fields, "max_num_partial_prefills", now.maxNumPartialPrefills()))
        .maxLongPartialPrefills(
            count(fields, "max_long_partial_prefills", now.maxLongPartialPrefills()))
        .queueLimits(
            new QueueLimits(
                count(fields, "max_num_queued_reqs", queue.maxNumQueuedReqs()),
                fields
                    .whole("max_num_queued_tokens", 0, Long.MAX_VALUE)
                    .orElse(queue.maxNumQueuedTokens())))
        .watermark(watermark(fields, now.watermark()))
        .build();
  }

  private static double watermark(Fields fields, double now) {
    if (!fields.has("watermark")) {
      return now;
    }
    fields.number("watermark", 0, 0, 1); // in range, but no more exact than a float
    return fields.get("watermark").doubleValue();
  }

  private static int count(Fields fields, String name, int now) {
    return fields.integer(name, now, 0, Integer.MAX_VALUE);
  }
}

package dev.headway.server;

import dev.headway.api.engine.Engine;
import dev.headway.api.probe.JourneyEvent;
import dev.headway.api.probe.JourneyStage;
import java.util.ArrayList;
import java.util.List;

/**
 * Reports the server's part of a request to the engine's probes, so that journals and traces hold
 * the whole way and not only the engine's part of it. What happens before the engine's ids are
 * known is reported once they are: each request of several has the whole journey. Ends exactly
 * once. One thread.
 */
final class Journey {

  /** Something that happened before the ids were known. */
  private record Stamp(JourneyStage stage, long atNs) {}

  private final Engine engine;
  private final String id;
  private final List<Stamp> untold = new ArrayList<>();
  private List<String> ids = List.of();
  private boolean answered;
  private boolean ended;

  /**
   * Begins: the request was read.
   *
   * @param id of the whole, used for a request that never gets to the engine
   */
  Journey(Engine engine, String id, long arrivedNs) {
    this.engine = engine;
    this.id = id;
    report(JourneyStage.ARRIVED, arrivedNs);
  }

  /** The engine will know the request by these ids. */
  void knownAs(List<String> engineIds) {
    ids = engineIds;
    untold.forEach(stamp -> report(stamp.stage, stamp.atNs));
    untold.clear();
  }

  void reached(JourneyStage stage) {
    report(stage, now());
  }

  /** An output has come; only the first is reported. */
  void answered() {
    if (!answered) {
      answered = true;
      reached(JourneyStage.FIRST_RESPONSE_FROM_CORE);
    }
  }

  /** The whole answer was handed to the transport. */
  void departed() {
    if (!ended) {
      ended = true;
      reached(JourneyStage.DEPARTED);
    }
  }

  /** The answer was not completed. */
  void aborted(String reason, String error) {
    if (ended) {
      return;
    }
    ended = true;
    if (ids.isEmpty()) {
      knownAs(List.of(id));
    }
    final long nowNs = now();
    for (String each : ids) {
      engine.report(JourneyEvent.aborted(each, nowNs, reason, error));
    }
  }

  private void report(JourneyStage stage, long atNs) {
    if (ids.isEmpty()) {
      untold.add(new Stamp(stage, atNs));
    }
    for (String each : ids) {
      engine.report(JourneyEvent.of(each, stage, atNs));
    }
  }

  private long now() {
    return engine.clock().nanoTime();
  }
}

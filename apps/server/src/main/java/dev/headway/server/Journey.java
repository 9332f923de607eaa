package dev.headway.server;

import dev.headway.api.engine.Engine;
import dev.headway.api.probe.JourneyEvent;
import dev.headway.api.probe.JourneyStage;
import dev.headway.routing.timing.RequestTiming;
import dev.headway.routing.timing.TimingStage;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

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
  private final RequestTiming timing = new RequestTiming();
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
    untold.forEach(stamp -> tell(stamp.stage, stamp.atNs));
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

  /** What the engine calls it; empty before it is known. */
  List<String> ids() {
    return ids;
  }

  /** The server's own instants so far, on the engine's clock. */
  RequestTiming timing() {
    return timing;
  }

  private static @Nullable TimingStage timingStage(JourneyStage stage) {
    return switch (stage) {
      case ARRIVED -> TimingStage.SERVER_RECEIVED;
      case TOKENIZE_STARTED -> TimingStage.TOKENIZE_STARTED;
      case TOKENIZE_ENDED -> TimingStage.TOKENIZE_ENDED;
      case HANDOFF_TO_CORE -> TimingStage.DISPATCH_ENDED;
      case FIRST_RESPONSE_FROM_CORE -> TimingStage.FIRST_OUT;
      case DEPARTED, ABORTED -> null;
    };
  }

  private void report(JourneyStage stage, long atNs) {
    final TimingStage same = timingStage(stage);
    if (same != null) {
      timing.set(same, atNs);
    }
    tell(stage, atNs);
  }

  private void tell(JourneyStage stage, long atNs) {
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

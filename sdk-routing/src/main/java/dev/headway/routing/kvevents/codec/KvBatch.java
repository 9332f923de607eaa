package dev.headway.routing.kvevents.codec;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Events that an engine published at once, in causal order.
 *
 * @param timestampSeconds when, in Unix seconds, on the engine's clock
 * @param events copied
 * @param dataParallelRank the engine's rank; null if it has none
 */
public record KvBatch(
    double timestampSeconds, List<KvEvent> events, @Nullable Integer dataParallelRank) {

  /** Copies the events. */
  public KvBatch {
    events = List.copyOf(events);
  }
}

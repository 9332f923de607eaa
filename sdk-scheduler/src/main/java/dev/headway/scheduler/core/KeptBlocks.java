package dev.headway.scheduler.core;

import dev.headway.scheduler.state.RequestState;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Requests that have ended and whose blocks a transfer still reads or writes: they are free once
 * the connector has reported that. Engine thread only.
 */
final class KeptBlocks {

  private final SchedulerState state;
  private final Map<Long, RequestState> requests = new LinkedHashMap<>();

  KeptBlocks(SchedulerState state) {
    this.state = state;
  }

  /** Keeps the blocks of a request that has just ended. */
  void keep(RequestState request) {
    requests.put(request.number(), request);
  }

  /** The request of that number, or null. */
  @Nullable RequestState find(long number) {
    return requests.get(number);
  }

  /** Frees the blocks of a request. */
  void free(RequestState request) {
    requests.remove(request.number());
    state.kv.release(request.kv(), Integer.MAX_VALUE, state.fenceOf(request));
    state.kv.close(request.kv());
  }

  boolean isEmpty() {
    return requests.isEmpty();
  }

  void forEach(Consumer<? super RequestState> visitor) {
    requests.values().forEach(visitor);
  }
}

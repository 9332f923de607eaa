package dev.headway.scheduler.core;

import dev.headway.api.request.LoraAdapter;
import dev.headway.api.request.RequestStatus;
import dev.headway.api.schedule.AdapterLoad;
import dev.headway.scheduler.state.AdapterCount;
import dev.headway.scheduler.state.RequestState;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Running and waiting requests of each LoRA adapter that has any: counted where a request changes
 * its state, so that a snapshot costs O(adapters) and a step nothing. Engine thread, but for {@link
 * #loads}.
 */
final class AdapterCounts {

  private final Map<String, AdapterCount> byName = new ConcurrentHashMap<>();

  /** A request with an adapter arrived. */
  void queued(RequestState request, LoraAdapter adapter) {
    request.adapterCount = byName.computeIfAbsent(adapter.name(), AdapterCount::new);
    request.adapterCount.add(0, 1);
  }

  /** A request of an adapter ends; its status is still that of before. */
  void ended(RequestState request, AdapterCount count) {
    final boolean ran = request.status == RequestStatus.RUNNING;
    count.add(ran ? -1 : 0, ran ? 0 : -1);
    if (count.isEmpty()) {
      byName.remove(count.name());
    }
    request.adapterCount = null;
  }

  /** By name. Any thread. */
  List<AdapterLoad> loads() {
    return byName.values().stream()
        .map(count -> new AdapterLoad(count.name(), count.running(), count.waiting()))
        .filter(load -> load.running() + load.waiting() > 0)
        .sorted(Comparator.comparing(AdapterLoad::name))
        .toList();
  }
}

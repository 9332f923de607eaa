package dev.headway.events.model;

import dev.headway.api.schedule.AdapterLoad;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Requests that run and wait, by LoRA adapter; adapters without any are forgotten. */
final class AdapterRequests {

  private static final class Count {

    private int running;
    private int waiting;
  }

  private final Map<String, Count> byName = new TreeMap<>();

  /** Adds one request, or with -1 takes one away; O(log adapters), nothing without an adapter. */
  void add(@Nullable String adapter, Phase phase, int requests) {
    if (adapter == null) {
      return;
    }
    final Count count = byName.computeIfAbsent(adapter, name -> new Count());
    if (phase.isWaiting()) {
      count.waiting += requests;
    } else {
      count.running += requests;
    }
    if (count.running == 0 && count.waiting == 0) {
      byName.remove(adapter);
    }
  }

  /** By name. O(adapters). */
  List<AdapterLoad> loads() {
    final List<AdapterLoad> loads = new ArrayList<>(byName.size());
    byName.forEach((name, count) -> loads.add(new AdapterLoad(name, count.running, count.waiting)));
    return loads;
  }
}

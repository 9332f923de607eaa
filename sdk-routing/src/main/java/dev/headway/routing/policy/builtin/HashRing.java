package dev.headway.routing.policy.builtin;

import dev.headway.api.internal.SplitMix64;
import dev.headway.routing.policy.Worker;
import dev.headway.routing.policy.WorkerSet;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Iterator;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Consistent hashing: each worker owns several points of a ring, a key belongs to the next point's
 * worker. A worker that comes or goes moves only the keys between its points and those before them.
 */
final class HashRing {

  private final int pointsPerWorker;
  private final TreeMap<Long, Worker> points = new TreeMap<>();
  private final Set<Worker> known = new HashSet<>();

  HashRing(int pointsPerWorker) {
    this.pointsPerWorker = pointsPerWorker;
  }

  /** The first worker from {@code key} on that is a candidate and accepted; null if none is. */
  @Nullable Worker find(long key, WorkerSet candidates, Predicate<Worker> accepted) {
    for (Worker worker : candidates) {
      add(worker);
    }
    final Worker after = first(points.tailMap(key, true), candidates, accepted);
    return after != null ? after : first(points.headMap(key, false), candidates, accepted);
  }

  private static @Nullable Worker first(
      Map<Long, Worker> part, WorkerSet candidates, Predicate<Worker> accepted) {
    final Set<Worker> refused = new HashSet<>();
    final Iterator<Worker> workers = part.values().iterator();
    while (workers.hasNext() && refused.size() < candidates.size()) {
      final Worker worker = workers.next();
      if (candidates.indexOf(worker) >= 0) {
        if (accepted.test(worker)) {
          return worker;
        }
        refused.add(worker);
      }
    }
    return null;
  }

  void remove(Worker worker) {
    if (known.remove(worker)) {
      points.values().removeIf(other -> other.equals(worker));
    }
  }

  private void add(Worker worker) {
    if (known.add(worker)) {
      for (int i = 0; i < pointsPerWorker; i++) {
        points.putIfAbsent(hash(worker.id() + '#' + i), worker);
      }
    }
  }

  /** A key for a text, the same in every run. */
  static long hash(String text) {
    long hash = 0;
    for (byte each : text.getBytes(StandardCharsets.UTF_8)) {
      hash = mix(hash + each);
    }
    return mix(hash + text.length());
  }

  /** A key for the first values of a sequence, the same in every run. */
  static long hash(int[] values, int count) {
    long hash = count;
    for (int i = 0; i < count; i++) {
      hash = mix(hash + values[i]);
    }
    return hash;
  }

  /** One step. */
  private static long mix(long value) {
    return SplitMix64.mix(value + SplitMix64.GOLDEN_GAMMA);
  }
}

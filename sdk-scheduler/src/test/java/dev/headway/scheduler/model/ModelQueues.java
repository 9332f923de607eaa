package dev.headway.scheduler.model;

import dev.headway.api.config.QueuePolicy;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** The two waiting queues: waiting requests and those passed over. */
final class ModelQueues {

  private static final Comparator<ModelRequest> IMPORTANCE =
      Comparator.comparingInt(ModelRequest::priority)
          .thenComparingLong(r -> r.arrivalNs)
          .thenComparing(ModelRequest::id);

  final List<ModelRequest> waiting = new ArrayList<>();
  final List<ModelRequest> skipped = new ArrayList<>();
  private final List<ModelRequest> aside = new ArrayList<>();
  private final boolean fcfs;

  ModelQueues(QueuePolicy policy) {
    fcfs = policy == QueuePolicy.FCFS;
  }

  void add(ModelRequest request) {
    waiting.add(request);
    sort();
  }

  void addPreempted(ModelRequest request) {
    waiting.addFirst(request);
    sort();
  }

  void remove(ModelRequest request) {
    waiting.remove(request);
    skipped.remove(request);
  }

  ModelRequest head() {
    if (skipped.isEmpty() || waiting.isEmpty()) {
      return !skipped.isEmpty()
          ? skipped.getFirst()
          : waiting.isEmpty() ? null : waiting.getFirst();
    }
    return fcfs || IMPORTANCE.compare(skipped.getFirst(), waiting.getFirst()) < 0
        ? skipped.getFirst()
        : waiting.getFirst();
  }

  void passOver(ModelRequest request) {
    remove(request);
    aside.add(request);
  }

  /** Those passed over go in front of those passed over before. */
  void endAdmissions() {
    skipped.addAll(0, aside);
    aside.clear();
    sort();
  }

  List<ModelRequest> all() {
    final List<ModelRequest> all = new ArrayList<>(waiting);
    all.addAll(skipped);
    all.addAll(aside);
    return all;
  }

  private void sort() {
    if (!fcfs) {
      waiting.sort(IMPORTANCE);
      skipped.sort(IMPORTANCE);
    }
  }
}

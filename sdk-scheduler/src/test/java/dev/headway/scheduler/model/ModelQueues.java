package dev.headway.scheduler.model;

import dev.headway.api.config.QueuePolicy;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;

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

  /** It is passed over until it is held no longer. */
  void addHeld(ModelRequest request) {
    skipped.add(request);
    sort();
  }

  void addPreempted(ModelRequest request) {
    waiting.addFirst(request);
    sort();
  }

  void remove(ModelRequest request) {
    waiting.remove(request);
    skipped.remove(request);
    aside.remove(request);
  }

  /** The first of those passed over that {@code wanted} says, or null. */
  ModelRequest firstPassedOver(Predicate<ModelRequest> wanted) {
    return skipped.stream().filter(wanted).findFirst().orElse(null);
  }

  /** The next one, but for those passed over that {@code isHeldBack} says. */
  ModelRequest head(Predicate<ModelRequest> isHeldBack) {
    final ModelRequest passed =
        skipped.stream()
            .filter(request -> !aside.contains(request))
            .filter(request -> !request.isHeld())
            .filter(isHeldBack.negate())
            .findFirst()
            .orElse(null);
    final ModelRequest fresh = waiting.isEmpty() ? null : waiting.getFirst();
    if (passed == null || fresh == null) {
      return passed == null ? fresh : passed;
    }
    return fcfs || IMPORTANCE.compare(passed, fresh) < 0 ? passed : fresh;
  }

  /** It is not looked at again before {@link #endAdmissions}. */
  void passOver(ModelRequest request) {
    waiting.remove(request);
    aside.add(request);
  }

  /** Those passed over for the first time come behind those passed over before. */
  void endAdmissions() {
    aside.removeAll(skipped);
    skipped.addAll(aside);
    aside.clear();
    sort();
  }

  List<ModelRequest> all() {
    final List<ModelRequest> all = new ArrayList<>(waiting);
    all.addAll(skipped);
    aside.stream().filter(request -> !skipped.contains(request)).forEach(all::add);
    return all;
  }

  private void sort() {
    if (!fcfs) {
      waiting.sort(IMPORTANCE);
      skipped.sort(IMPORTANCE);
    }
  }
}

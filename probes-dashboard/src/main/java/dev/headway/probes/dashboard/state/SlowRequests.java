package dev.headway.probes.dashboard.state;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;

/**
 * Of the requests that ended within a period, the few that waited longest. Keeps a request only
 * while no {@value #KEPT} later ones waited longer, so memory is bounded. One thread.
 */
final class SlowRequests {

  static final int KEPT = 20;
  private static final int MOST = 400;

  private final long periodNs;
  private final Deque<RequestDigest> byEnd = new ArrayDeque<>();

  SlowRequests(long periodNs) {
    this.periodNs = periodNs;
  }

  void ended(RequestDigest request) {
    if (byEnd.size() >= MOST) {
      keepLongest();
    }
    byEnd.addLast(request);
  }

  /** The longest first. */
  List<RequestDigest> longest(long nowUnixNs) {
    while (!byEnd.isEmpty() && endOf(byEnd.peekFirst()) < nowUnixNs - periodNs) {
      byEnd.removeFirst();
    }
    return sorted();
  }

  private void keepLongest() {
    final List<RequestDigest> longest = sorted();
    byEnd.removeIf(request -> !longest.contains(request));
  }

  private List<RequestDigest> sorted() {
    final List<RequestDigest> all = new ArrayList<>(byEnd);
    all.sort(Comparator.comparingLong(SlowRequests::waitOf).reversed());
    return List.copyOf(all.subList(0, Math.min(KEPT, all.size())));
  }

  private static long waitOf(RequestDigest request) {
    return request.ingressNs() + request.waitedNs();
  }

  private static long endOf(RequestDigest request) {
    return request.arrivalUnixNs() + request.ageNs();
  }
}

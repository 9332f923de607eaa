package dev.headway.probes.csv.projection;

import java.util.Comparator;
import java.util.Iterator;
import java.util.Map;
import java.util.TreeSet;

/** The waiting queue as the scheduler orders it; iterates in that order. */
interface WaitingOrder extends Iterable<RequestTimeline> {

  /** A new request. */
  void queue(RequestTimeline request);

  /** A preempted request. */
  void putBack(RequestTimeline request);

  void remove(RequestTimeline request);

  /** Returns the order that a run's configuration names; first come, first served unless told. */
  static WaitingOrder of(Map<String, String> config) {
    return "PRIORITY".equalsIgnoreCase(config.get("queuePolicy")) ? new ByPriority() : new Fcfs();
  }

  /** Order of arrival; each victim goes in front of all. */
  final class Fcfs implements WaitingOrder {

    private final RequestList list = new RequestList();

    @Override
    public void queue(RequestTimeline request) {
      list.addLast(request);
    }

    @Override
    public void putBack(RequestTimeline request) {
      list.addFirst(request);
    }

    @Override
    public void remove(RequestTimeline request) {
      list.remove(request);
    }

    @Override
    public Iterator<RequestTimeline> iterator() {
      return list.iterator();
    }
  }

  /** Smallest priority, then arrival, then id; the number settles equal ids. */
  final class ByPriority implements WaitingOrder {

    private static final Comparator<RequestIdentity> ORDER =
        Comparator.comparingInt(RequestIdentity::priority)
            .thenComparingLong(RequestIdentity::arrivalNs)
            .thenComparing(RequestIdentity::id)
            .thenComparingLong(RequestIdentity::number);

    private final TreeSet<RequestTimeline> set =
        new TreeSet<>((a, b) -> ORDER.compare(a.identity(), b.identity()));

    @Override
    public void queue(RequestTimeline request) {
      set.add(request);
    }

    @Override
    public void putBack(RequestTimeline request) {
      set.add(request);
    }

    @Override
    public void remove(RequestTimeline request) {
      set.remove(request);
    }

    @Override
    public Iterator<RequestTimeline> iterator() {
      return set.iterator();
    }
  }
}

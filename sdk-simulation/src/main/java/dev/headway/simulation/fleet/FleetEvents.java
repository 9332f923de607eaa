package dev.headway.simulation.fleet;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.routing.core.RouteLease;
import dev.headway.routing.policy.RoutingOutcome;
import java.util.PriorityQueue;
import java.util.function.Consumer;

/**
 * First tokens and ends that instances have run ahead to, until their time comes: a router must not
 * see them before. One thread.
 */
final class FleetEvents {

  private final PriorityQueue<Event> coming = new PriorityQueue<>();
  private long nextNumber;

  private enum Kind {
    FIRST_TOKEN,
    ENDED
  }

  private record Event(long atNs, long number, Kind kind, FleetRequest request)
      implements Comparable<Event> {
    @Override
    public int compareTo(Event other) {
      final int byTime = Long.compare(atNs, other.atNs);
      return byTime != 0 ? byTime : Long.compare(number, other.number);
    }
  }

  void firstToken(FleetRequest request, long atNs) {
    coming.add(new Event(atNs, nextNumber++, Kind.FIRST_TOKEN, request));
  }

  void ended(FleetRequest request, long atNs) {
    coming.add(new Event(atNs, nextNumber++, Kind.ENDED, request));
  }

  /**
   * Passes on what happened up to {@code nowNs}, in the order in which it happened.
   *
   * @param onComputed called with each request whose prompt is computed, or that will never be
   */
  void deliver(long nowNs, Consumer<FleetRequest> onComputed) {
    while (!coming.isEmpty() && coming.peek().atNs <= nowNs) {
      final Event event = coming.remove();
      final FleetRequest request = event.request;
      final RouteLease lease = request.lease;
      if (lease == null) {
        continue;
      }
      switch (event.kind) {
        case FIRST_TOKEN -> {
          onComputed.accept(request);
          lease.firstToken();
        }
        case ENDED -> {
          if (request.ttftNs() == ABSENT) {
            onComputed.accept(request);
            lease.ended(RoutingOutcome.FAILED);
          } else {
            lease.ended(RoutingOutcome.COMPLETED, request.cachedTokens);
          }
          request.lease = null; // so that decisions do not outlive their requests
        }
      }
    }
  }
}

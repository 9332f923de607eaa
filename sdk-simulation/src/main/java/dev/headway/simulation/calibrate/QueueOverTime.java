package dev.headway.simulation.calibrate;

import java.util.List;

/** How many requests waited for their first token, in equal spans of time. Stateless. */
final class QueueOverTime {

  static final int SPANS = 120;

  private QueueOverTime() {}

  /** Means over each span of {@code [0, endNs]}. */
  static double[] of(List<TimedRequest> requests, long endNs) {
    final double span = Math.max(1, (double) endNs / SPANS);
    final double[] waiting = new double[SPANS];
    for (TimedRequest request : requests) {
      final double from = (double) request.arrivalNs();
      final double to = from + request.ttftNs();
      for (int i = (int) (from / span); i < SPANS && i * span < to; i++) {
        final double overlap = Math.min(to, (i + 1) * span) - Math.max(from, i * span);
        waiting[i] += Math.max(0, overlap) / span;
      }
    }
    return waiting;
  }
}

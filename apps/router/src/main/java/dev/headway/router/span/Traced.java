package dev.headway.router.span;

import dev.headway.router.record.Attempt;
import dev.headway.router.record.RequestTrace;
import dev.headway.router.record.RoutedRequest;
import dev.headway.routing.timing.HostClock;
import io.opentelemetry.api.trace.SpanContext;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The ids of a request that is exported, and what happened to it. Its event loop only; what it
 * hands over at the end no longer changes.
 */
final class Traced implements RequestTrace {

  /**
   * A request that is over.
   *
   * @param context of its span
   * @param parent of its span, invalid for none
   * @param epochOffsetNs what to add to an instant of the host's clock for ns since the epoch
   * @param request the request
   * @param attempts its attempts, in their order
   */
  record Over(
      SpanContext context,
      SpanContext parent,
      long epochOffsetNs,
      RoutedRequest request,
      List<TracedAttempt> attempts) {

    /** Spans that it becomes. */
    int spans() {
      return 1 + attempts.size();
    }
  }

  /**
   * An attempt that is over.
   *
   * @param context of its span
   * @param attempt the attempt
   */
  record TracedAttempt(SpanContext context, Attempt attempt) {}

  private final SpanIds ids;
  private final SpanContext context;
  private final SpanContext parent;
  private final Consumer<Over> to;
  private final long epochOffsetNs = epochNs(Instant.now()) - HostClock.nanoTime();
  private final List<TracedAttempt> attempts = new ArrayList<>(1);
  private @Nullable SpanContext current;

  Traced(SpanIds ids, SpanContext context, SpanContext parent, Consumer<Over> to) {
    this.ids = ids;
    this.context = context;
    this.parent = parent;
    this.to = to;
  }

  private static long epochNs(Instant now) {
    return Math.addExact(Math.multiplyExact(now.getEpochSecond(), 1_000_000_000L), now.getNano());
  }

  @Override
  public String beginAttempt() {
    final SpanContext begun = ids.below(context);
    current = begun;
    return SpanIds.header(begun);
  }

  @Override
  public void onAttempt(Attempt attempt) {
    if (current == null) {
      throw new IllegalStateException(
          "an attempt must have begun: request=" + attempt.decision().request().requestId());
    }
    attempts.add(new TracedAttempt(current, attempt));
    current = null;
  }

  @Override
  public void onEnd(RoutedRequest request) {
    to.accept(new Over(context, parent, epochOffsetNs, request, List.copyOf(attempts)));
  }
}

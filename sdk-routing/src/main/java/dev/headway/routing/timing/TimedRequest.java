package dev.headway.routing.timing;

import static dev.headway.api.Absent.ABSENT;

import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A request with all its instants on one clock, the client's, counted from the start of its run.
 * Made by {@link TimingChain}.
 *
 * @param at the instants
 * @param router what the router said, or null; its instants are those of {@code at}
 * @param server what the server said, or null; its instants are those of {@code at}
 * @param routerClock the router's clock against the client's, or null if that is not known
 * @param serverClock the server's clock against the client's, or null if that is not known
 */
public record TimedRequest(
    RequestTiming at,
    @Nullable RouterTiming router,
    @Nullable ServerTiming server,
    ClockOffset.@Nullable Estimate routerClock,
    ClockOffset.@Nullable Estimate serverClock) {

  /** By how much an instant of another host may be wrong against one of the client's. */
  public long clockErrorNs() {
    return Math.max(errorNs(routerClock), errorNs(serverClock));
  }

  /** Whether every instant is at or behind the one before it, up to the clocks' error. */
  public boolean isInOrder() {
    return at.firstOutOfOrder(errorNs(routerClock) + errorNs(serverClock)) == null;
  }

  /**
   * What the time from arrival to the end is made of; adds up to it exactly. A part whose end is
   * not known counts with the next one whose end is. Empty if the request has no end.
   */
  public Map<TimingSegment, Long> segments() {
    final Map<TimingSegment, Long> segments = new EnumMap<>(TimingSegment.class);
    if (at.durationNs(TimingStage.ARRIVED, TimingStage.CLIENT_DONE) == ABSENT) {
      return segments;
    }
    TimingStage begin = TimingStage.ARRIVED;
    for (TimingSegment segment : TimingSegment.values()) {
      if (at.has(segment.end())) {
        segments.put(segment, at.durationNs(begin, segment.end()));
        begin = segment.end();
      }
    }
    return segments;
  }

  private static long errorNs(ClockOffset.@Nullable Estimate clock) {
    return clock == null ? 0 : clock.errorNs();
  }
}

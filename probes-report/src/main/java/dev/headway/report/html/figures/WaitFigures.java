package dev.headway.report.html.figures;

import dev.headway.events.model.Cause;
import dev.headway.events.model.RequestListener;
import dev.headway.events.model.RequestTimeline;
import dev.headway.events.model.WaitInterval;
import dev.headway.events.model.WaitListener;
import dev.headway.toolbox.stats.Distribution;
import dev.headway.toolbox.stats.SpreadTable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** What requests waited for. */
public final class WaitFigures implements RequestListener, WaitListener {

  private static final int BUCKETS = 400;
  private static final int FIRST_WIDTH_NS = 10_000;
  private static final int LONGEST = 20;

  private final List<Cause> causes;
  private final SpreadTable overTime = new SpreadTable(BUCKETS, FIRST_WIDTH_NS);
  private final Distribution stays = new Distribution();
  private final PriorityQueue<LongStay> longest =
      new PriorityQueue<>(Comparator.comparingLong(LongStay::lengthNs));
  private long[] endedNs = new long[0];
  private long[] openNs = new long[0];

  /** Takes every cause by its index, a list that grows. */
  WaitFigures(List<Cause> causes) {
    this.causes = causes;
  }

  /**
   * A stay in the queue, without the objects it was made of.
   *
   * @param breakdown time per {@link Cause#root()}, the longest first
   */
  public record LongStay(
      String id,
      @Nullable String tenant,
      int promptTokens,
      long fromNs,
      long toNs,
      Cause mainCause,
      List<Map.Entry<String, Long>> breakdown,
      @Nullable String blocker,
      boolean afterPreemption) {

    /** How long it was. */
    public long lengthNs() {
      return toNs - fromNs;
    }
  }

  @Override
  public void onWaited(Cause cause, long fromNs, long toNs, int requests) {
    overTime.add(cause.index(), fromNs, toNs, requests);
  }

  @Override
  public void onWaitEnded(WaitInterval stay) {
    stays.add(stay.lengthNs());
    if (longest.size() < LONGEST) {
      longest.add(copyOf(stay));
    } else if (longest.element().lengthNs() < stay.lengthNs()) {
      longest.remove();
      longest.add(copyOf(stay));
    }
  }

  @Override
  public void onSettled(RequestTimeline request) {
    endedNs = addTo(endedNs, request);
  }

  @Override
  public void onUnfinished(RequestTimeline request, long nowNs) {
    openNs = addTo(openNs, request);
  }

  /** Causes by index. */
  public List<Cause> causes() {
    return causes;
  }

  /** How many requests waited for each cause, over time. */
  public SpreadTable overTime() {
    return overTime;
  }

  /** The longest stays, the longest first. */
  public List<LongStay> longest() {
    final List<LongStay> sorted = new ArrayList<>(longest);
    sorted.sort(
        Comparator.comparingLong(LongStay::lengthNs)
            .reversed()
            .thenComparingLong(LongStay::fromNs));
    return sorted;
  }

  /** Time waited, by a key of the cause, the most first; ended requests and those alive. */
  public List<Map.Entry<String, Long>> by(Function<Cause, String> key) {
    return by(key, true);
  }

  /** Time waited by requests that ended, by the scheduler's word. */
  public List<Map.Entry<String, Long>> endedByReason() {
    return by(Cause::reason, false);
  }

  /** All waiting time. */
  public long totalNs() {
    return Arrays.stream(endedNs).sum() + Arrays.stream(openNs).sum();
  }

  /** That of requests alive at the end of the journal. */
  public long openTotalNs() {
    return Arrays.stream(openNs).sum();
  }

  private List<Map.Entry<String, Long>> by(Function<Cause, String> key, boolean withOpen) {
    final Map<String, Long> sums = new TreeMap<>();
    for (Cause cause : causes) {
      final long ns = at(endedNs, cause) + (withOpen ? at(openNs, cause) : 0);
      if (ns != 0) {
        sums.merge(key.apply(cause), ns, Long::sum);
      }
    }
    return descending(sums);
  }

  private LongStay copyOf(WaitInterval stay) {
    final Map<String, Long> parts = new TreeMap<>();
    for (int i = 0; i < stay.byCause().bound(); i++) {
      if (stay.byCause().ns(i) > 0) {
        parts.merge(causes.get(i).root(), stay.byCause().ns(i), Long::sum);
      }
    }
    final RequestTimeline request = stay.request();
    return new LongStay(
        request.id(),
        request.queued().tenant(),
        request.queued().promptTokens(),
        stay.fromNs(),
        stay.toNs(),
        stay.mainCause(),
        descending(parts),
        stay.blocker(),
        stay.afterPreemption());
  }

  private long[] addTo(long[] sums, RequestTimeline request) {
    final long[] grown = causes.size() > sums.length ? Arrays.copyOf(sums, causes.size()) : sums;
    for (int i = 0; i < causes.size(); i++) {
      grown[i] += request.waits().ns(causes.get(i));
    }
    return grown;
  }

  private static long at(long[] sums, Cause cause) {
    return cause.index() < sums.length ? sums[cause.index()] : 0;
  }

  private static List<Map.Entry<String, Long>> descending(Map<String, Long> sums) {
    final List<Map.Entry<String, Long>> entries = new ArrayList<>();
    sums.forEach((name, ns) -> entries.add(Map.entry(name, ns)));
    entries.sort(Map.Entry.<String, Long>comparingByValue().reversed());
    return entries;
  }
}

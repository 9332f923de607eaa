package dev.headway.events.model;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.events.record.RunStartedRecord;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A run as far as its records came: who waits, who runs, what was decided last. */
public final class ObservedRun {

  private static final String TOKEN_BUDGET = "maxNumBatchedTokens";

  private final int index;
  private final RunStartedRecord header;
  private final long tokenBudget;
  private final RequestTable<ObservedRequest> live = new RequestTable<>();
  private final Map<Long, ObservedRequest> waiting = new LinkedHashMap<>();
  private final Map<Long, ObservedRequest> running = new LinkedHashMap<>();
  private final Waits waits = new Waits();
  private int freeBlocks;
  private long latestDecisionNs = ABSENT;
  private @Nullable String sharedReason;
  private @Nullable ObservedRequest sharedBlocker;
  private long unknownRequests;

  ObservedRun(int index, RunStartedRecord header) {
    this.index = index;
    this.header = header;
    this.tokenBudget = number(header.config().get(TOKEN_BUDGET));
    this.freeBlocks = usableBlocks();
  }

  /**
   * Asks for every wait by its cause; to be called in {@link RunListener#onRun}. From then on
   * requests have {@link ObservedRequest#waits()}.
   *
   * @param listener who hears of them
   * @return every cause so far by its index; grows as records come
   * @throws IllegalStateException if that was asked for before
   */
  public List<Cause> bookWaits(WaitListener listener) {
    final WaitBook book = new WaitBook(this, listener);
    waits.keep(book);
    return book.causes();
  }

  /** Asks for {@link ObservedStep#waitReasons()}; to be called in {@link RunListener#onRun}. */
  public void countWaits() {
    waits.keep(new WaitCounts());
  }

  /** Which run of the stream it is, from 0. */
  public int index() {
    return index;
  }

  /** Its start record. */
  public RunStartedRecord header() {
    return header;
  }

  /** A name for it that other runs do not have: when it began, and its index. */
  public String id() {
    return unixNs(0) + "-" + index;
  }

  /** Calendar time of an instant of the run's clock, in nanoseconds since 1970. */
  public long unixNs(long instantNs) {
    return header.anchorUnixEpochNs() + (instantNs - header.anchorMonotonicNs());
  }

  /** Blocks that requests can hold: all but the null block. */
  public int usableBlocks() {
    return header.numBlocks() - 1;
  }

  /** Most tokens of a step, or absent. */
  public long tokenBudget() {
    return tokenBudget;
  }

  /** Requests in the queue, in the order in which they entered it. */
  public Collection<ObservedRequest> waiting() {
    return Collections.unmodifiableCollection(waiting.values());
  }

  /** Requests admitted, in the order in which they were. */
  public Collection<ObservedRequest> running() {
    return Collections.unmodifiableCollection(running.values());
  }

  /** Blocks free after the latest decision. */
  public int freeBlocks() {
    return freeBlocks;
  }

  /** When the latest decision was made; absent before the first. */
  public long latestDecisionNs() {
    return latestDecisionNs;
  }

  /** The reason shared by the waiting requests that were not examined last. */
  public @Nullable String sharedReason() {
    return sharedReason;
  }

  /** The request that stands in the way of those, if one does; it may have ended since. */
  public @Nullable ObservedRequest sharedBlocker() {
    return sharedBlocker;
  }

  /** Records that named a request which was never queued, or has ended. */
  public long unknownRequests() {
    return unknownRequests;
  }

  Waits waits() {
    return waits;
  }

  @Nullable ObservedRequest find(long number) {
    return live.get(number);
  }

  List<ObservedRequest> live() {
    return live.inOrder();
  }

  void queue(ObservedRequest request) {
    live.add(request.number(), request);
    waiting.put(request.number(), request);
  }

  /** A request went from a phase to another. */
  void move(ObservedRequest request, Phase left, Phase next) {
    final boolean ends = next == Phase.ENDED;
    if (ends) {
      live.remove(request.number());
    }
    if (ends || left.isWaiting() != next.isWaiting()) {
      placeOf(left).remove(request.number());
    }
    if (!ends && left.isWaiting() != next.isWaiting()) {
      placeOf(next).put(request.number(), request);
    }
  }

  void shareReason(String reason, @Nullable ObservedRequest blocker) {
    sharedReason = reason;
    sharedBlocker = blocker;
  }

  void decided(long atNs, int free) {
    latestDecisionNs = atNs;
    freeBlocks = free;
  }

  void countUnknown() {
    unknownRequests++;
  }

  private Map<Long, ObservedRequest> placeOf(Phase phase) {
    return phase.isWaiting() ? waiting : running;
  }

  private static long number(@Nullable String value) {
    try {
      return value == null ? ABSENT : Long.parseLong(value);
    } catch (NumberFormatException notANumber) {
      return ABSENT;
    }
  }
}

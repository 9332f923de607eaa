package dev.headway.probes.csv.observe;

import dev.headway.probes.chronicle.record.JournalVisitor;
import dev.headway.probes.chronicle.record.JournalVisitor.RunHeader;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A run as far as its records came: who waits, who runs, what was decided last. */
public final class ObservedRun {

  private static final String TOKEN_BUDGET = "maxNumBatchedTokens";

  private final int index;
  private final RunHeader header;
  private final long tokenBudget;
  private final Map<Long, LiveRequest> requests = new LinkedHashMap<>();
  private final Map<Long, LiveRequest> running = new LinkedHashMap<>();
  private final Map<Long, LiveRequest> waiting = new LinkedHashMap<>();
  private final WaitCounts waits = new WaitCounts();
  private int freeBlocks;
  private long latestDecisionNs = JournalVisitor.ABSENT;

  ObservedRun(int index, RunHeader header) {
    this.index = index;
    this.header = header;
    this.tokenBudget = number(header.config().get(TOKEN_BUDGET));
    this.freeBlocks = usableBlocks();
  }

  /** Which run of the stream it is, from 0. */
  public int index() {
    return index;
  }

  /** Its start record. */
  public RunHeader header() {
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
  public Collection<LiveRequest> waiting() {
    return Collections.unmodifiableCollection(waiting.values());
  }

  /** Requests admitted, in the order in which they were. */
  public Collection<LiveRequest> running() {
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
    return waits.shared();
  }

  WaitCounts waits() {
    return waits;
  }

  @Nullable LiveRequest find(long number) {
    return requests.get(number);
  }

  @Nullable String idOf(long number) {
    final LiveRequest request = number < 0 ? null : requests.get(number);
    return request == null ? null : request.queued().requestId();
  }

  void queue(LiveRequest request) {
    final long number = request.queued().number();
    requests.put(number, request);
    waiting.put(number, request);
  }

  void admit(LiveRequest request, int cachedTokens) {
    waits.remove(request);
    request.admit(cachedTokens);
    waiting.remove(request.queued().number());
    running.put(request.queued().number(), request);
  }

  void putBack(LiveRequest request, String reason) {
    waits.remove(request);
    request.preempt(reason);
    waits.add(request);
    running.remove(request.queued().number());
    waiting.put(request.queued().number(), request);
  }

  void explain(LiveRequest request, @Nullable String reason) {
    waits.remove(request);
    request.ownReason(reason);
    waits.add(request);
  }

  void remove(LiveRequest request) {
    waits.remove(request);
    final long number = request.queued().number();
    requests.remove(number);
    running.remove(number);
    waiting.remove(number);
  }

  void decided(long atNs, int free) {
    latestDecisionNs = atNs;
    freeBlocks = free;
  }

  private static long number(@Nullable String value) {
    try {
      return value == null ? JournalVisitor.ABSENT : Long.parseLong(value);
    } catch (NumberFormatException notANumber) {
      return JournalVisitor.ABSENT;
    }
  }
}

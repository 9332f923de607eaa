package dev.headway.events.model;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.api.schedule.AdapterLoad;
import dev.headway.events.record.AdmissionsClosedRecord;
import dev.headway.events.record.LimitsChangedRecord;
import dev.headway.events.record.PlannedStep;
import dev.headway.events.record.RunStartedRecord;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** State of a run as of its latest record: waiting and running requests, the latest decision. */
public final class RunTimeline {

  private static final String SUMMARY = "summary";
  private static final String TOKEN_BUDGET = "maxNumBatchedTokens";

  private final int index;
  private final RunStartedRecord header;
  private final long tokenBudget;
  private final RequestTable<RequestTimeline> live = new RequestTable<>();
  private final RequestList waiting = new RequestList();
  private final RequestList running = new RequestList();
  private final AdapterRequests adapters = new AdapterRequests();
  private final Waits waits = new Waits();
  private final QueueSums sums = new QueueSums();

  /** Its settings since each change of limits. */
  private final NavigableMap<Long, Map<String, String>> changedConfigs = new TreeMap<>();

  private int freeBlocks;
  private long latestDecisionNs = ABSENT;
  private long latestNs;
  private @Nullable String sharedReason;
  private @Nullable RequestTimeline sharedBlocker;
  private long sharedBlockerNumber = ABSENT;
  private long latestStep;
  private boolean entriesKnown;
  private long unknownRequests;
  private long inconsistentRecords;
  private long droppedRecords;
  private boolean believesPlans;
  private Runnable unknownListener = () -> {};
  private long droppedNs = ABSENT;
  private boolean endedCleanly;

  RunTimeline(int index, RunStartedRecord header) {
    this.index = index;
    this.header = header;
    this.tokenBudget = number(header.config().get(TOKEN_BUDGET));
    this.freeBlocks = usableBlocks();
    this.entriesKnown = !SUMMARY.equals(header.level());
  }

  /**
   * Asks for every wait by its cause; to be called in {@link RunListener#onRun}. From then on
   * requests have {@link RequestTimeline#waits()}.
   *
   * @param listener is notified of them
   * @return every cause so far by its index; grows as records come
   * @throws IllegalStateException if called before
   */
  public List<Cause> bookWaits(WaitListener listener) {
    final WaitAccounting book = new WaitAccounting(this, listener);
    waits.keep(book);
    return book.causes();
  }

  /** Asks for {@link StepTimeline#waitReasons()}; to be called in {@link RunListener#onRun}. */
  public void countWaits() {
    waits.keep(new WaitCounts());
  }

  /**
   * Lets plans take precedence once records were dropped; to be called in {@link
   * RunListener#onRun}. A request in the batch that waits according to the records is taken as
   * admitted by that plan, its cached tokens being those computed before; when a plan counts no
   * running and no waiting request, requests still alive are unfinished.
   */
  public void believePlans() {
    believesPlans = true;
  }

  /**
   * Reports all waits not reported yet, up to {@link #latestNs}, to the listener. O(causes),
   * independent of the number of waiting requests.
   */
  public void tellWaits() {
    waits.tell(latestNs);
  }

  /**
   * Requests that wait for a cause, as of the latest plan; those queued since wait for the first
   * cause.
   *
   * @throws IllegalStateException if no listener asked for waits
   */
  public int waitingFor(Cause cause) {
    return waits.waitingFor(cause);
  }

  /** Which run of the stream it is, from 0. */
  public int index() {
    return index;
  }

  /** Its start record. */
  public RunStartedRecord header() {
    return header;
  }

  /**
   * The settings of its start record as they were at an instant, changes of limits included; of the
   * instants so far.
   */
  public Map<String, String> configAt(long instantNs) {
    final Map.Entry<Long, Map<String, String>> latest = changedConfigs.floorEntry(instantNs);
    return latest == null ? header.config() : latest.getValue();
  }

  /** The engine plans with other limits from now on. */
  void limitsChanged(LimitsChangedRecord changed) {
    changedConfigs.put(changed.atNs(), changed.after().in(configAt(changed.atNs())));
  }

  /** A unique name of the run: its start time and its index. */
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

  /** Requests in the queue, in the order in which they entered it; unmodifiable, a live view. */
  public Collection<RequestTimeline> waiting() {
    return waiting;
  }

  /** Requests admitted, in the order of admission; unmodifiable, a live view. */
  public Collection<RequestTimeline> running() {
    return running;
  }

  /** Blocks free after the latest decision. */
  public int freeBlocks() {
    return freeBlocks;
  }

  /** When the latest decision was made; absent before the first. */
  public long latestDecisionNs() {
    return latestDecisionNs;
  }

  /** The latest instant recorded; 0 before the first. */
  public long latestNs() {
    return latestNs;
  }

  /** The reason shared by the waiting requests that were not examined last. */
  public @Nullable String sharedReason() {
    return sharedReason;
  }

  /** That reason, {@code head_of_line} resolved as {@link Cause#root()}; null without a reason. */
  public @Nullable String sharedRoot() {
    return sharedReason == null ? null : Causes.rootOf(sharedReason, sharedBlocker);
  }

  /** The request that blocks those, if there is one; it may have ended since. */
  public @Nullable RequestTimeline sharedBlocker() {
    return sharedBlocker;
  }

  /** The number of that request, known even if the record that names it is missing; or absent. */
  public long sharedBlockerNumber() {
    return sharedBlockerNumber;
  }

  /** The number of the latest planned step; 0 before the first. */
  public long latestStep() {
    return latestStep;
  }

  /** The LoRA adapters that requests run with or wait for, by name. O(adapters). */
  public List<AdapterLoad> adapters() {
    return adapters.loads();
  }

  /** Sums over the requests in the queue and over those admitted. */
  public QueueSums sums() {
    return sums;
  }

  /** Whether every step so far was recorded with its entries; not at level summary. */
  public boolean areEntriesKnown() {
    return entriesKnown;
  }

  /** Records that contradict what was recorded before. */
  public long inconsistentRecords() {
    return inconsistentRecords;
  }

  /** Records that the writer had to drop. */
  public long droppedRecords() {
    return droppedRecords;
  }

  /** The latest instant known when the writer last had to drop records; absent if it never had. */
  public long droppedNs() {
    return droppedNs;
  }

  /** Records that named a request which was never queued, or has ended. */
  public long unknownRequests() {
    return unknownRequests;
  }

  /** Whether its writer has closed it. */
  public boolean endedCleanly() {
    return endedCleanly;
  }

  Waits waits() {
    return waits;
  }

  @Nullable RequestTimeline find(long number) {
    return live.get(number);
  }

  List<RequestTimeline> live() {
    return live.inOrder();
  }

  /** Whether a plan takes precedence over the records before it. */
  boolean believesPlan() {
    return believesPlans && droppedRecords > 0;
  }

  void seen(long nowNs) {
    latestNs = Math.max(latestNs, nowNs);
  }

  void planned(long stepId) {
    latestStep = stepId;
  }

  void onUnknown(Runnable listener) {
    unknownListener = listener;
  }

  void queue(RequestTimeline request) {
    live.add(request.number(), request);
    waiting.append(request);
    adapters.add(request.queued().adapter(), Phase.WAITING, 1);
    sums.add(request);
  }

  /** A request is about to leave the queue or the batch. */
  void leave(RequestTimeline request) {
    sums.remove(request);
  }

  /** A waiting request has other figures than before {@link #leave}. */
  void join(RequestTimeline request) {
    sums.add(request);
  }

  /** A turn of a waiting session begins. */
  void beginTurn(RequestTimeline request, int promptTokens, long latestStepId) {
    sums.remove(request);
    request.beginTurn(promptTokens, latestStepId);
    sums.add(request);
  }

  /** Tokens of a request were produced; it may be in any phase by now. */
  void produced(RequestTimeline request, long stepId, int tokens, long outputNs) {
    sums.remove(request);
    request.produced(stepId, tokens, outputNs);
    sums.add(request);
  }

  /** A request changed its phase. */
  void move(RequestTimeline request, Phase left, Phase next) {
    final boolean ends = next == Phase.ENDED;
    if (ends) {
      live.remove(request.number());
    }
    if (ends || left.isWaiting() != next.isWaiting()) {
      placeOf(left).unlink(request);
      adapters.add(request.queued().adapter(), left, -1);
    }
    if (!ends && left.isWaiting() != next.isWaiting()) {
      placeOf(next).append(request);
      adapters.add(request.queued().adapter(), next, 1);
      sums.add(request);
    }
  }

  void shareReason(AdmissionsClosedRecord closed, @Nullable RequestTimeline blocker) {
    sharedReason = closed.reason();
    sharedBlocker = blocker;
    sharedBlockerNumber = closed.blockerNumber();
  }

  void decided(PlannedStep plan) {
    latestDecisionNs = plan.endNs();
    freeBlocks = plan.freeBlocks();
    if (!plan.hasEntries() && plan.batchSize() > 0) {
      entriesMissing();
    }
  }

  void endCleanly() {
    endedCleanly = true;
  }

  void entriesMissing() {
    entriesKnown = false;
  }

  void dropped(long records) {
    droppedRecords += records;
    droppedNs = latestNs;
    live.forEach(RequestTimeline::missesEntries);
  }

  void countUnknown() {
    unknownRequests++;
    unknownListener.run();
  }

  void countInconsistent() {
    inconsistentRecords++;
  }

  void countInconsistent(RequestTimeline request) {
    inconsistentRecords++;
    request.distrust();
  }

  private RequestList placeOf(Phase phase) {
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

package dev.headway.scheduler.core;

import dev.headway.api.kvcache.KvSequence;
import dev.headway.api.request.RequestView;
import dev.headway.api.step.EntryKind;
import dev.headway.api.step.StepPlan;
import dev.headway.scheduler.state.RequestState;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The plan of a step in arrays, one slot per seat. Filled by the phases, read by executor and
 * probes, reused.
 */
final class PlanBuffer implements StepPlan {

  private final @Nullable RequestState[] requests;
  private final EntryKind[] kinds;
  private final int[] scheduled;
  private final int[] computed;
  private final int[] newBlocksFrom;
  private final int[] blockCounts;
  private final boolean[] samples;
  private final int[] preemptions;
  private final int[] produced;

  private EndedList preemptedSince = new EndedList();
  private EndedList finishedSince = new EndedList();

  private long stepId;
  private long beginNs;
  private long endNs;
  private int size;
  private int sizeBefore;
  private int totalTokens;
  private int commonPrefixBlocks;
  private int runningCount;
  private int waitingCount;
  private int preemptedWaitingCount;
  private int freeBlocks;

  PlanBuffer(int seats) {
    requests = new RequestState[seats];
    kinds = new EntryKind[seats];
    scheduled = new int[seats];
    computed = new int[seats];
    newBlocksFrom = new int[seats];
    blockCounts = new int[seats];
    samples = new boolean[seats];
    preemptions = new int[seats];
    produced = new int[seats];
  }

  void begin(long step, long nowNs) {
    sizeBefore = Math.max(sizeBefore, size);
    stepId = step;
    beginNs = nowNs;
    endNs = nowNs;
    size = 0;
    totalTokens = 0;
  }

  /** Adds an entry; {@code request.computedTokens} is still the count before this step. */
  void add(RequestState request, EntryKind kind, int tokens, int firstNewBlock) {
    final int entry = size++;
    if (requests[entry] != request) { // a step often repeats the one before: spare the card marks
      requests[entry] = request;
    }
    if (kinds[entry] != kind) {
      kinds[entry] = kind;
    }
    scheduled[entry] = tokens;
    computed[entry] = request.computedTokens;
    newBlocksFrom[entry] = firstNewBlock;
    blockCounts[entry] = request.kv().blockCount();
    samples[entry] = request.computedTokens + tokens >= request.knownTokens;
    preemptions[entry] = request.preemptions;
    produced[entry] = 0;
    totalTokens += tokens;
  }

  /** Takes a request's entry out again, if it has one; returns the tokens it had, 0 if none. */
  int withdraw(RequestState request) {
    for (int entry = 0; entry < size; entry++) {
      if (requests[entry] == request) {
        final int tokens = scheduled[entry];
        removeAt(entry);
        totalTokens -= tokens;
        return tokens;
      }
    }
    return 0;
  }

  private void removeAt(int entry) {
    final int behind = --size - entry;
    System.arraycopy(requests, entry + 1, requests, entry, behind);
    System.arraycopy(kinds, entry + 1, kinds, entry, behind);
    System.arraycopy(scheduled, entry + 1, scheduled, entry, behind);
    System.arraycopy(computed, entry + 1, computed, entry, behind);
    System.arraycopy(newBlocksFrom, entry + 1, newBlocksFrom, entry, behind);
    System.arraycopy(blockCounts, entry + 1, blockCounts, entry, behind);
    System.arraycopy(samples, entry + 1, samples, entry, behind);
    System.arraycopy(preemptions, entry + 1, preemptions, entry, behind);
    requests[size] = null;
  }

  /** Completes the plan with how things stand after the decision. */
  void complete(SchedulerState state) {
    forgetBehind();
    runningCount = state.running.size();
    waitingCount = state.waiting.size();
    preemptedWaitingCount = state.preemptedWaiting;
    freeBlocks = state.kv.freeBlocks();
    commonPrefixBlocks =
        runningCount == 0 ? 0 : state.kv.commonPrefixBlocks(state.running.get(0).kv(), 0);
    preemptedSince = state.takePreemptedSince(preemptedSince);
    finishedSince = state.takeFinishedSince(finishedSince);
  }

  /** Lets go of requests that stood in a longer plan before this one. */
  private void forgetBehind() {
    if (sizeBefore > size) {
      Arrays.fill(requests, size, sizeBefore, null);
    }
    sizeBefore = 0;
  }

  void stampEnd(long nowNs) {
    endNs = nowNs;
  }

  /** The request of an entry. */
  RequestState state(int entry) {
    final RequestState request = entry < size ? requests[entry] : null;
    if (request == null) {
      throw new IndexOutOfBoundsException(
          "entry must be in [0, size): entry=" + entry + ", size=" + size + ", stepId=" + stepId);
    }
    return request;
  }

  /** Whether the entry's request was preempted since it was planned: its result is dropped. */
  boolean isStale(int entry) {
    return preemptions[entry] != state(entry).preemptions;
  }

  void setProduced(int entry, int tokens) {
    produced[entry] = tokens;
  }

  @Override
  public int producedTokens(int entry) {
    return produced[entry];
  }

  @Override
  public long stepId() {
    return stepId;
  }

  @Override
  public long beginNs() {
    return beginNs;
  }

  @Override
  public long endNs() {
    return endNs;
  }

  @Override
  public int size() {
    return size;
  }

  @Override
  public int totalTokens() {
    return totalTokens;
  }

  @Override
  public RequestView request(int entry) {
    return state(entry);
  }

  @Override
  public EntryKind kind(int entry) {
    return kinds[entry];
  }

  @Override
  public int scheduledTokens(int entry) {
    return scheduled[entry];
  }

  @Override
  public int computedTokens(int entry) {
    return computed[entry];
  }

  @Override
  public boolean samples(int entry) {
    return samples[entry];
  }

  @Override
  public int draftTokens(int entry) {
    return 0;
  }

  @Override
  public int draftTokenId(int entry, int index) {
    throw new IndexOutOfBoundsException();
  }

  @Override
  public int outputTokens(int entry) {
    return state(entry).outputTokens();
  }

  @Override
  public long previousStepId(int entry) {
    return 0;
  }

  @Override
  public int nextDraftTokens() {
    return 0;
  }

  @Override
  public int groupCount() {
    return 1;
  }

  @Override
  public int copyCount() {
    return 0;
  }

  @Override
  public int copySource(int index) {
    return 0;
  }

  @Override
  public int copyTarget(int index) {
    return 0;
  }

  @Override
  public int zeroedCount() {
    return 0;
  }

  @Override
  public int zeroedBlock(int index) {
    return 0;
  }

  @Override
  public KvSequence blocks(int entry) {
    return state(entry).kv();
  }

  @Override
  public int newBlocksFrom(int entry, int group) {
    return newBlocksFrom[entry];
  }

  @Override
  public int blockCount(int entry, int group) {
    return blockCounts[entry];
  }

  @Override
  public int commonPrefixBlocks(int group) {
    return commonPrefixBlocks;
  }

  @Override
  public int preemptedCount() {
    return preemptedSince.size();
  }

  @Override
  public long preemptedNumber(int index) {
    return preemptedSince.number(index);
  }

  @Override
  public String preemptedId(int index) {
    return preemptedSince.id(index);
  }

  @Override
  public int finishedCount() {
    return finishedSince.size();
  }

  @Override
  public long finishedNumber(int index) {
    return finishedSince.number(index);
  }

  @Override
  public String finishedId(int index) {
    return finishedSince.id(index);
  }

  @Override
  public int runningCount() {
    return runningCount;
  }

  @Override
  public int waitingCount() {
    return waitingCount;
  }

  @Override
  public int preemptedWaitingCount() {
    return preemptedWaitingCount;
  }

  @Override
  public int freeBlocks() {
    return freeBlocks;
  }
}

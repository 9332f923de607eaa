package dev.headway.scheduler.core;

import dev.headway.api.kvcache.KvBlockWork;
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

  private final int groups;
  private final int maxDrafts;
  private final @Nullable RequestState[] requests;
  private final EntryKind[] kinds;
  private final int[] scheduled;
  private final int[] computed;
  private final int[] outputs;
  private final int[] draftCounts;
  private final int[] drafts;
  private final int[] newBlocksFrom;
  private final int[] blockCounts;
  private final boolean[] samples;
  private final long[] previousSteps;
  private final int[] produced;
  private final int[] commonPrefix;
  private final BlockWork blockWork = new BlockWork();

  private EndedList preemptedSince = new EndedList();
  private EndedList finishedSince = new EndedList();

  private long stepId;
  private long beginNs;
  private long endNs;
  private int size;
  private int sizeBefore;
  private int totalTokens;
  private int nextDrafts;
  private int runningCount;
  private int waitingCount;
  private int preemptedWaitingCount;
  private int freeBlocks;

  /**
   * Makes an empty plan.
   *
   * @param seats most entries
   * @param groups block tables per request
   * @param maxDrafts most draft tokens of an entry
   */
  PlanBuffer(int seats, int groups, int maxDrafts) {
    this.groups = groups;
    this.maxDrafts = maxDrafts;
    requests = new RequestState[seats];
    kinds = new EntryKind[seats];
    scheduled = new int[seats];
    computed = new int[seats];
    outputs = new int[seats];
    draftCounts = new int[seats];
    drafts = new int[seats * maxDrafts];
    newBlocksFrom = new int[seats * groups];
    blockCounts = new int[seats * groups];
    samples = new boolean[seats];
    previousSteps = new long[seats];
    produced = new int[seats];
    commonPrefix = new int[groups];
  }

  void begin(long step, long nowNs) {
    sizeBefore = Math.max(sizeBefore, size);
    stepId = step;
    beginNs = nowNs;
    endNs = nowNs;
    size = 0;
    totalTokens = 0;
    blockWork.clear();
  }

  /** The next entry's block tables are as the executor knows them: one, of this length. */
  void keepBlocks(int blocks) {
    newBlocksFrom[size] = blocks;
    blockCounts[size] = blocks;
  }

  /** The next entry's block tables are about to grow. */
  void markBlocks(KvSequence tables) {
    final int row = size * groups;
    for (int group = 0; group < groups; group++) {
      newBlocksFrom[row + group] = tables.blockCount(group);
    }
  }

  /** The executor knows none of the next entry's blocks. */
  void markNoBlocks() {
    Arrays.fill(newBlocksFrom, size * groups, (size + 1) * groups, 0);
  }

  /** The next entry's block tables have grown. */
  void countBlocks(KvSequence tables) {
    final int row = size * groups;
    for (int group = 0; group < groups; group++) {
      blockCounts[row + group] = tables.blockCount(group);
    }
  }

  /**
   * Adds an entry, whose blocks were counted before; {@code request.computedTokens} is still the
   * count before this step, and the first {@code draftTokens} of its pending drafts belong to it.
   */
  void add(RequestState request, EntryKind kind, int tokens, int draftTokens) {
    final int entry = size++;
    if (requests[entry] != request) { // a step often repeats the one before: spare the card marks
      requests[entry] = request;
    }
    if (kinds[entry] != kind) {
      kinds[entry] = kind;
    }
    scheduled[entry] = tokens;
    computed[entry] = request.computedTokens;
    outputs[entry] = request.outputCount() + request.placeholders;
    draftCounts[entry] = draftTokens;
    if (draftTokens > 0) {
      request.copyDrafts(drafts, entry * maxDrafts, draftTokens);
    }
    samples[entry] = request.computedTokens + tokens >= request.knownTokens + request.placeholders;
    previousSteps[entry] = request.lastStepId;
    produced[entry] = 0;
    totalTokens += tokens;
  }

  /** Returns the entry of a request that is in the plan. */
  int entryOf(RequestState request) {
    for (int entry = 0; entry < size; entry++) {
      if (requests[entry] == request) {
        return entry;
      }
    }
    throw new IllegalStateException("not in the plan: id=" + request.id() + ", stepId=" + stepId);
  }

  /** Takes an entry out again; those behind it move up. */
  void removeAt(int entry) {
    totalTokens -= scheduled[entry];
    final int behind = --size - entry;
    System.arraycopy(requests, entry + 1, requests, entry, behind);
    System.arraycopy(kinds, entry + 1, kinds, entry, behind);
    System.arraycopy(scheduled, entry + 1, scheduled, entry, behind);
    System.arraycopy(computed, entry + 1, computed, entry, behind);
    System.arraycopy(outputs, entry + 1, outputs, entry, behind);
    System.arraycopy(draftCounts, entry + 1, draftCounts, entry, behind);
    System.arraycopy(samples, entry + 1, samples, entry, behind);
    System.arraycopy(previousSteps, entry + 1, previousSteps, entry, behind);
    closeGap(drafts, entry, maxDrafts, behind);
    closeGap(newBlocksFrom, entry, groups, behind);
    closeGap(blockCounts, entry, groups, behind);
    requests[size] = null;
  }

  private static void closeGap(int[] rows, int row, int width, int behind) {
    System.arraycopy(rows, (row + 1) * width, rows, row * width, behind * width);
  }

  /** Completes the plan with how things stand after the decision. */
  void complete(SchedulerState state) {
    forgetBehind();
    nextDrafts = state.config.speculation().draftTokensFor(size);
    runningCount = state.running.size();
    waitingCount = state.waiting.size();
    preemptedWaitingCount = state.preemptedWaiting;
    for (int group = 0; group < groups; group++) {
      commonPrefix[group] =
          runningCount == 0 ? 0 : state.kv.commonPrefixBlocks(state.running.get(0).kv(), group);
    }
    state.kv.endStep(blockWork);
    freeBlocks = state.kv.freeBlocks();
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
    return draftCounts[entry];
  }

  @Override
  public int draftTokenId(int entry, int index) {
    if (index < 0 || index >= draftCounts[entry]) {
      throw new IndexOutOfBoundsException(
          "draft index must be in [0, draftTokens): index="
              + index
              + ", draftTokens="
              + draftCounts[entry]);
    }
    return drafts[entry * maxDrafts + index];
  }

  @Override
  public int outputTokens(int entry) {
    return outputs[entry];
  }

  @Override
  public long previousStepId(int entry) {
    return previousSteps[entry];
  }

  @Override
  public int nextDraftTokens() {
    return nextDrafts;
  }

  @Override
  public KvSequence blocks(int entry) {
    return state(entry).kv();
  }

  @Override
  public int groupCount() {
    return groups;
  }

  @Override
  public int newBlocksFrom(int entry, int group) {
    return newBlocksFrom[entry * groups + group];
  }

  @Override
  public int blockCount(int entry, int group) {
    return blockCounts[entry * groups + group];
  }

  @Override
  public int commonPrefixBlocks(int group) {
    return commonPrefix[group];
  }

  @Override
  public int copyCount() {
    return blockWork.copies;
  }

  @Override
  public int copySource(int index) {
    return blockWork.copySources[index];
  }

  @Override
  public int copyTarget(int index) {
    return blockWork.copyTargets[index];
  }

  @Override
  public int zeroedCount() {
    return blockWork.zeroes;
  }

  @Override
  public int zeroedBlock(int index) {
    return blockWork.zeroed[index];
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

  /** What the executor must do to blocks before the step runs. */
  private static final class BlockWork implements KvBlockWork {

    private int[] copySources = new int[8];
    private int[] copyTargets = new int[8];
    private int[] zeroed = new int[16];
    private int copies;
    private int zeroes;

    void clear() {
      copies = 0;
      zeroes = 0;
    }

    @Override
    public void copy(int source, int target) {
      if (copies == copySources.length) {
        copySources = Arrays.copyOf(copySources, 2 * copies);
        copyTargets = Arrays.copyOf(copyTargets, 2 * copies);
      }
      copySources[copies] = source;
      copyTargets[copies++] = target;
    }

    @Override
    public void zero(int block) {
      if (zeroes == zeroed.length) {
        zeroed = Arrays.copyOf(zeroed, 2 * zeroes);
      }
      zeroed[zeroes++] = block;
    }
  }
}

package dev.headway.scheduler.core;

import dev.headway.api.kvcache.KvSequence;
import dev.headway.api.request.Grammar;
import dev.headway.api.request.PlannedRequest;
import dev.headway.api.step.DraftTokens;
import dev.headway.api.step.EncoderInputs;
import dev.headway.api.step.EndedRequests;
import dev.headway.api.step.EntryKind;
import dev.headway.api.step.PlannedBlocks;
import dev.headway.api.step.StepPlan;
import dev.headway.api.step.TokenConstraints;
import dev.headway.api.support.SimpleBlockOperations;
import dev.headway.api.support.SimpleEndedRequests;
import dev.headway.scheduler.state.RequestState;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The plan of a step, one row of ints per seat, so that writing or reading an entry touches one
 * cache line and not one for each of its figures. Filled by the phases, read by executor and
 * probes, reused. It is its own view of drafts and blocks, which spares readers an indirection.
 *
 * <pre>
 * 0 scheduled  1 computed  2 outputs  3 drafts  4 samples (0 or 1)  5 produced
 * 6 + 2g  first new block of group g | 7 + 2g  blocks of group g
 * </pre>
 */
final class PlanBuffer implements StepPlan, DraftTokens, PlannedBlocks {

  private static final int SCHEDULED = 0;
  private static final int COMPUTED = 1;
  private static final int OUTPUTS = 2;
  private static final int DRAFTS = 3;
  private static final int SAMPLES = 4;
  private static final int PRODUCED = 5;
  private static final int NEW_BLOCKS_FROM = 6;
  private static final int BLOCK_COUNT = 7;
  private static final int PER_GROUP = 2;

  private final int groups;
  private final int stride;
  private final int maxDrafts;
  private final @Nullable RequestState[] requests;
  private final EntryKind[] kinds;
  private final long[] previousSteps;
  private final int[] rows;
  private final int[] drafts;
  private final int[] commonPrefix;
  private final SimpleBlockOperations blockOperations = new SimpleBlockOperations();

  /** What it encodes; null without an encoder. */
  private @Nullable PlannedItems items;

  private SimpleEndedRequests preemptedSince = new SimpleEndedRequests();
  private SimpleEndedRequests finishedSince = new SimpleEndedRequests();

  /** Number of the first transfer reported for this plan; 0 if none was. */
  long firstTransferId;

  private long stepId;
  private long beginNs;
  private long scheduleNs;
  private long endNs;
  private int size;
  private int sizeBefore;
  private int totalTokens;
  private int nextDrafts;
  private boolean hasDrafts;
  private boolean movesBlocks;

  /** By entry; empty until drafts were replaced. */
  private int[] paddedDrafts = {};

  /** By entry; empty without a KV connector. */
  private int[] externalTokens = {};

  /** Null until a request has a grammar. */
  private Grammars.@Nullable OfPlan constraints;

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
    stride = NEW_BLOCKS_FROM + PER_GROUP * groups;
    requests = new RequestState[seats];
    kinds = new EntryKind[seats];
    previousSteps = new long[seats];
    rows = new int[Math.multiplyExact(seats, stride)];
    drafts = new int[Math.multiplyExact(seats, maxDrafts)];
    commonPrefix = new int[groups];
  }

  void begin(long step, long nowNs) {
    sizeBefore = Math.max(sizeBefore, size);
    stepId = step;
    beginNs = nowNs;
    endNs = nowNs;
    size = 0;
    totalTokens = 0;
    hasDrafts = false;
    Arrays.fill(paddedDrafts, 0);
    Arrays.fill(externalTokens, 0);
    firstTransferId = 0;
    blockOperations.clear();
  }

  /** Returns where the items that it encodes are added; none are there. */
  PlannedItems beginItems() {
    if (items == null) {
      items = new PlannedItems(this);
    }
    items.clear();
    return items;
  }

  /** The items that it encodes; null without an encoder. */
  @Nullable PlannedItems beganItems() {
    return items;
  }

  /** The executor already has the next entry's block tables: one, of this length. */
  void keepBlocks(int blocks) {
    final int row = size * stride;
    rows[row + NEW_BLOCKS_FROM] = blocks;
    rows[row + BLOCK_COUNT] = blocks;
  }

  /** The next entry's block tables are about to grow. */
  void markBlocks(KvSequence tables) {
    for (int group = 0; group < groups; group++) {
      rows[at(size, group, NEW_BLOCKS_FROM)] = tables.blockCount(group);
    }
  }

  /** The executor has none of the next entry's blocks. */
  void markNoBlocks() {
    for (int group = 0; group < groups; group++) {
      rows[at(size, group, NEW_BLOCKS_FROM)] = 0;
    }
  }

  /** The next entry's block tables have grown. */
  void countBlocks(KvSequence tables) {
    for (int group = 0; group < groups; group++) {
      rows[at(size, group, BLOCK_COUNT)] = tables.blockCount(group);
    }
  }

  private int at(int entry, int group, int field) {
    return entry * stride + PER_GROUP * group + field;
  }

  /**
   * Adds an entry, whose blocks were counted before; {@code request.computedTokens} is still the
   * count before this step, and the first {@code draftTokens} of its pending drafts belong to it.
   */
  void add(RequestState request, EntryKind kind, int tokens, int draftTokens) {
    final int entry = size++;
    final int row = entry * stride;
    final int end = request.computedTokens + tokens;
    rows[row + SCHEDULED] = tokens;
    rows[row + COMPUTED] = request.computedTokens;
    rows[row + OUTPUTS] = request.outputCount() + request.placeholders;
    rows[row + DRAFTS] = draftTokens;
    rows[row + SAMPLES] = end >= request.knownTokens + request.placeholders ? 1 : 0;
    rows[row + PRODUCED] = 0;
    previousSteps[entry] = request.lastStepId;
    if (requests[entry] != request) { // a step often repeats the one before: spare the card marks
      requests[entry] = request;
    }
    if (kinds[entry] != kind) {
      kinds[entry] = kind;
    }
    if (draftTokens > 0) {
      hasDrafts = true;
      request.copyDrafts(drafts, entry * maxDrafts, draftTokens);
    }
    totalTokens += tokens;
  }

  /**
   * Adds an entry that computes the newest token of a request and samples the next, with blocks
   * that the executor already has.
   */
  void addDecode(RequestState request) {
    final int entry = size++;
    final int row = entry * stride;
    rows[row + SCHEDULED] = 1;
    rows[row + COMPUTED] = request.computedTokens;
    rows[row + OUTPUTS] = request.outputCount();
    rows[row + DRAFTS] = 0;
    rows[row + SAMPLES] = 1;
    rows[row + PRODUCED] = 0;
    rows[row + NEW_BLOCKS_FROM] = request.tableBlocks;
    rows[row + BLOCK_COUNT] = request.tableBlocks;
    previousSteps[entry] = request.lastStepId;
    if (requests[entry] != request) {
      requests[entry] = request;
    }
    if (kinds[entry] != EntryKind.RUNNING) {
      kinds[entry] = EntryKind.RUNNING;
    }
    totalTokens++;
  }

  /** Whether an entry computes one token and samples the next, without drafts. */
  boolean isSingleToken(int entry) {
    final int row = entry * stride;
    return rows[row + SCHEDULED] == 1 && rows[row + SAMPLES] == 1 && rows[row + DRAFTS] == 0;
  }

  /** Returns the entry of a request that is in the plan. */
  int entryOf(RequestState request) {
    final int entry = findEntry(request);
    if (entry < 0) {
      throw new IllegalStateException("not in the plan: id=" + request.id() + ", stepId=" + stepId);
    }
    return entry;
  }

  /** Returns the entry of a request, or -1. */
  int findEntry(RequestState request) {
    for (int entry = 0; entry < size; entry++) {
      if (requests[entry] == request) {
        return entry;
      }
    }
    return -1;
  }

  /** Removes an entry; those behind it move up. */
  void removeAt(int entry) {
    totalTokens -= rows[entry * stride + SCHEDULED];
    final int behind = --size - entry;
    System.arraycopy(requests, entry + 1, requests, entry, behind);
    System.arraycopy(kinds, entry + 1, kinds, entry, behind);
    System.arraycopy(previousSteps, entry + 1, previousSteps, entry, behind);
    closeGap(rows, entry, stride, behind);
    closeGap(drafts, entry, maxDrafts, behind);
    if (externalTokens.length > 0) {
      closeGap(externalTokens, entry, 1, behind);
      externalTokens[size] = 0;
    }
    if (paddedDrafts.length > 0) {
      closeGap(paddedDrafts, entry, 1, behind);
      paddedDrafts[size] = 0;
    }
    requests[size] = null;
  }

  private static void closeGap(int[] rows, int row, int width, int behind) {
    System.arraycopy(rows, (row + 1) * width, rows, row * width, behind * width);
  }

  /** Completes the plan after the decision. */
  void complete(SchedulerState state) {
    forgetBehind();
    nextDrafts = state.speculation == null ? 0 : state.speculation.draftTokensFor(size);
    final boolean anyRunning = state.running.size() > 0;
    for (int group = 0; group < groups; group++) {
      commonPrefix[group] =
          anyRunning ? state.kv.commonPrefixBlocks(state.running.get(0).kv(), group) : 0;
    }
    state.kv.endStep(blockOperations);
    constrain(state);
    movesBlocks = blockOperations.moveBlocks();
    if (movesBlocks) {
      state.counts.savedBlocks += blockOperations.saves().size();
      state.counts.loadedBlocks += blockOperations.loads().size();
    }
    preemptedSince = state.takePreemptedSince(preemptedSince);
    finishedSince = state.takeFinishedSince(finishedSince);
  }

  private void constrain(SchedulerState state) {
    if (state.hasGrammars) {
      if (constraints == null) {
        constraints = new Grammars.OfPlan(this);
      }
      constraints.planned(state.ahead != null);
    }
  }

  /** Clears references to requests of a longer plan before this one. */
  private void forgetBehind() {
    if (sizeBefore > size) {
      Arrays.fill(requests, size, sizeBefore, null);
    }
    sizeBefore = 0;
  }

  /** Whether it saves or loads blocks. */
  boolean movesBlocks() {
    return movesBlocks;
  }

  void stampEnd(long nowNs, long durationNs) {
    endNs = nowNs;
    scheduleNs = durationNs;
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
    rows[entry * stride + PRODUCED] = tokens;
  }

  @Override
  public int producedTokens(int entry) {
    return rows[entry * stride + PRODUCED];
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
  public long scheduleNs() {
    return scheduleNs;
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
  public PlannedRequest request(int entry) {
    return state(entry);
  }

  @Override
  public EntryKind kind(int entry) {
    return kinds[entry];
  }

  @Override
  public int scheduledTokens(int entry) {
    return rows[entry * stride + SCHEDULED];
  }

  @Override
  public int computedTokens(int entry) {
    return rows[entry * stride + COMPUTED];
  }

  @Override
  public boolean samples(int entry) {
    return rows[entry * stride + SAMPLES] != 0;
  }

  int draftTokens(int entry) {
    return rows[entry * stride + DRAFTS];
  }

  /**
   * Drafts that the executor proposed after the plan was made: they take the places of the
   * scheduled ones, as far as the grammar of the request allows, and the rest stands for none.
   *
   * @return how many stand for none
   */
  int replaceDrafts(int entry, int[] tokenIds, int count) {
    final int scheduled = draftTokens(entry);
    final int given = Math.min(count, scheduled);
    final Grammar grammar = state(entry).grammar;
    final int kept = grammar == null ? given : Grammars.allowed(grammar, tokenIds, given);
    final int from = entry * maxDrafts;
    System.arraycopy(tokenIds, 0, drafts, from, kept);
    Arrays.fill(drafts, from + kept, from + scheduled, DraftTokens.ON_DEVICE);
    setPaddedDrafts(entry, scheduled - kept);
    return scheduled - kept;
  }

  /** So many of an entry's drafts, its last ones, stand for none. */
  void setPaddedDrafts(int entry, int count) {
    if (paddedDrafts.length == 0) {
      paddedDrafts = new int[requests.length];
    }
    paddedDrafts[entry] = count;
  }

  /** The step loads so many tokens in front of the latest entry's. */
  void loadBefore(int tokens) {
    if (externalTokens.length == 0) {
      externalTokens = new int[requests.length];
    }
    externalTokens[size - 1] = tokens;
  }

  @Override
  public int externalTokens(int entry) {
    return externalTokens.length == 0 ? 0 : externalTokens[entry];
  }

  /** Drafts of an entry that stand for none. */
  int paddedDrafts(int entry) {
    return paddedDrafts.length == 0 ? 0 : paddedDrafts[entry];
  }

  @Override
  public DraftTokens drafts() {
    return this;
  }

  @Override
  public TokenConstraints constraints() {
    return constraints == null ? TokenConstraints.NONE : constraints;
  }

  @Override
  public EncoderInputs encoderInputs() {
    return items == null ? EncoderInputs.NONE : items;
  }

  @Override
  public int outputTokens(int entry) {
    return rows[entry * stride + OUTPUTS];
  }

  @Override
  public long previousStepId(int entry) {
    return previousSteps[entry];
  }

  @Override
  public PlannedBlocks blocks() {
    return this;
  }

  @Override
  public SimpleBlockOperations blockOperations() {
    return blockOperations;
  }

  @Override
  public EndedRequests preempted() {
    return preemptedSince;
  }

  @Override
  public EndedRequests finished() {
    return finishedSince;
  }

  // DraftTokens

  @Override
  public boolean isEmpty() {
    return !hasDrafts;
  }

  @Override
  public int count(int entry) {
    return draftTokens(entry);
  }

  @Override
  public int padding(int entry) {
    return paddedDrafts(entry);
  }

  @Override
  public int tokenId(int entry, int index) {
    if (index < 0 || index >= draftTokens(entry)) {
      throw new IndexOutOfBoundsException(
          "draft index must be in [0, count): index=" + index + ", count=" + draftTokens(entry));
    }
    return drafts[entry * maxDrafts + index];
  }

  @Override
  public int toPropose() {
    return nextDrafts;
  }

  // PlannedBlocks

  @Override
  public int groupCount() {
    return groups;
  }

  @Override
  public KvSequence of(int entry) {
    return state(entry).kv();
  }

  @Override
  public int count(int entry, int group) {
    return rows[at(entry, group, BLOCK_COUNT)];
  }

  @Override
  public int newFrom(int entry, int group) {
    return rows[at(entry, group, NEW_BLOCKS_FROM)];
  }

  @Override
  public int commonPrefix(int group) {
    return commonPrefix[group];
  }
}

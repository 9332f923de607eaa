package dev.headway.api.support;

import dev.headway.api.kvcache.KvSequence;
import dev.headway.api.request.RequestView;
import dev.headway.api.step.EntryKind;
import dev.headway.api.step.PlannedBlocks;
import dev.headway.api.step.StepPlan;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A plan with setters: entries, preempted and ended requests, and block operations; no drafts.
 * Reused from step to step. Engine thread only; adding an entry allocates nothing once the plan has
 * grown.
 */
public class SimplePlan implements StepPlan {

  private static final int SCHEDULED = 0;
  private static final int COMPUTED = 1;
  private static final int OUTPUTS = 2;
  private static final int NEW_BLOCKS_FROM = 3;
  private static final int PRODUCED = 4;
  private static final int FIELDS = 5;

  private @Nullable RequestView[] requests = new RequestView[16];
  private @Nullable KvSequence[] blocks = new KvSequence[16];
  private EntryKind[] kinds = new EntryKind[16];
  private boolean[] samples = new boolean[16];
  private long[] previousSteps = new long[16];
  private int[] rows = new int[16 * FIELDS];
  private final PlannedBlocks tables = new Tables();
  private final SimpleBlockOperations blockOperations = new SimpleBlockOperations();
  private final SimpleEndedRequests preempted = new SimpleEndedRequests();
  private final SimpleEndedRequests finished = new SimpleEndedRequests();
  private long stepId;
  private long beginNs;
  private long endNs;
  private int size;
  private int totalTokens;

  /** Creates an empty plan; {@link #begin} assigns a step. */
  public SimplePlan() {}

  /** Empties the plan for a step. */
  public final void begin(long step, long nowNs) {
    stepId = step;
    beginNs = nowNs;
    endNs = nowNs;
    Arrays.fill(requests, 0, size, null);
    Arrays.fill(blocks, 0, size, null);
    size = 0;
    totalTokens = 0;
    blockOperations.clear();
    preempted.clear();
    finished.clear();
  }

  /** Stamps the end of scheduling. */
  public final void end(long nowNs) {
    endNs = nowNs;
  }

  /**
   * Adds an entry that begins at {@link RequestView#computedTokens()}, which must not count it yet.
   *
   * @param sequence its block tables, with room for these tokens; null for none
   * @param scheduledTokens tokens to compute, >= 1
   * @param newBlocksFrom entries of the block tables that the executor has already received
   * @param previousStepId the step that scheduled the request before, 0 if none
   */
  public final void add(
      RequestView request,
      @Nullable KvSequence sequence,
      EntryKind kind,
      int scheduledTokens,
      int newBlocksFrom,
      long previousStepId) {
    if (size == requests.length) {
      grow();
    }
    final int row = size * FIELDS;
    requests[size] = request;
    blocks[size] = sequence;
    kinds[size] = kind;
    previousSteps[size] = previousStepId;
    samples[size] = request.computedTokens() + scheduledTokens >= request.knownTokens();
    rows[row + SCHEDULED] = scheduledTokens;
    rows[row + COMPUTED] = request.computedTokens();
    rows[row + OUTPUTS] = request.outputTokens();
    rows[row + NEW_BLOCKS_FROM] = newBlocksFrom;
    rows[row + PRODUCED] = 0;
    size++;
    totalTokens += scheduledTokens;
  }

  private void grow() {
    final int capacity = 2 * requests.length;
    requests = Arrays.copyOf(requests, capacity);
    blocks = Arrays.copyOf(blocks, capacity);
    kinds = Arrays.copyOf(kinds, capacity);
    samples = Arrays.copyOf(samples, capacity);
    previousSteps = Arrays.copyOf(previousSteps, capacity);
    rows = Arrays.copyOf(rows, capacity * FIELDS);
  }

  /** Sets {@link #producedTokens}. */
  public final void produced(int entry, int tokens) {
    rows[at(entry, PRODUCED)] = tokens;
  }

  private int at(int entry, int field) {
    if (entry < 0 || entry >= size) {
      throw new IndexOutOfBoundsException(
          "entry must be in [0, size): entry=" + entry + ", size=" + size);
    }
    return entry * FIELDS + field;
  }

  @Override
  public final long stepId() {
    return stepId;
  }

  @Override
  public final long beginNs() {
    return beginNs;
  }

  @Override
  public final long endNs() {
    return endNs;
  }

  @Override
  public final int size() {
    return size;
  }

  @Override
  public final int totalTokens() {
    return totalTokens;
  }

  @Override
  public final RequestView request(int entry) {
    return Objects.requireNonNull(requests[at(entry, 0) / FIELDS], "added");
  }

  @Override
  public EntryKind kind(int entry) {
    return kinds[at(entry, 0) / FIELDS];
  }

  @Override
  public final int scheduledTokens(int entry) {
    return rows[at(entry, SCHEDULED)];
  }

  @Override
  public final int computedTokens(int entry) {
    return rows[at(entry, COMPUTED)];
  }

  @Override
  public boolean samples(int entry) {
    return samples[at(entry, 0) / FIELDS];
  }

  @Override
  public final int producedTokens(int entry) {
    return rows[at(entry, PRODUCED)];
  }

  @Override
  public int outputTokens(int entry) {
    return rows[at(entry, OUTPUTS)];
  }

  @Override
  public final long previousStepId(int entry) {
    return previousSteps[at(entry, 0) / FIELDS];
  }

  @Override
  public PlannedBlocks blocks() {
    return tables;
  }

  @Override
  public final SimpleBlockOperations blockOperations() {
    return blockOperations;
  }

  @Override
  public final SimpleEndedRequests preempted() {
    return preempted;
  }

  @Override
  public final SimpleEndedRequests finished() {
    return finished;
  }

  private final class Tables implements PlannedBlocks {

    @Override
    public int groupCount() {
      final KvSequence first = size == 0 ? null : blocks[0];
      return first == null ? 1 : first.groupCount();
    }

    @Override
    public KvSequence of(int entry) {
      final KvSequence sequence = blocks[at(entry, 0) / FIELDS];
      if (sequence == null) {
        throw new IllegalStateException("the entry has no block tables: entry=" + entry);
      }
      return sequence;
    }

    @Override
    public int count(int entry, int group) {
      final KvSequence sequence = blocks[at(entry, 0) / FIELDS];
      return sequence == null ? 0 : sequence.blockCount(group);
    }

    @Override
    public int newFrom(int entry, int group) {
      return rows[at(entry, NEW_BLOCKS_FROM)];
    }

    @Override
    public int commonPrefix(int group) {
      return 0;
    }
  }
}

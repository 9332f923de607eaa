package dev.headway.events.model;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.events.record.PlannedStep;
import org.jspecify.annotations.Nullable;

/** The entries of a step in the order of the batch, as they were when it was planned. */
public final class StepEntries {

  /** No entries. */
  static final StepEntries NONE = new StepEntries(0);

  // one row per entry, side by side
  private static final int SCHEDULED = 0;
  private static final int COMPUTED = 1;
  private static final int CACHED = 2;
  private static final int BLOCKS = 3;
  private static final int CLASS = 4;
  private static final int PRODUCED = 5;
  private static final int ROW = 6;

  private static final EntryClass[] CLASSES = EntryClass.values();
  private static final int NOT_ADMITTED = -1;

  private final @Nullable RequestTimeline[] requests;
  private final int[] rows;
  private long contextTokens;
  private long heldBlocks;
  private int recomputedTokens;

  private StepEntries(int size) {
    requests = new @Nullable RequestTimeline[size];
    rows = new int[ROW * size];
  }

  static StepEntries of(PlannedStep step, RunTimeline run) {
    final StepEntries entries = new StepEntries(step.batchSize());
    for (int i = 0; i < entries.size(); i++) {
      final RequestTimeline request = run.find(step.number(i));
      if (request == null) {
        run.countUnknown();
      }
      entries.take(i, step, request);
    }
    return entries;
  }

  /** How many there are. */
  public int size() {
    return requests.length;
  }

  /** The request, or null if the record that names it is missing. */
  public @Nullable RequestTimeline request(int entry) {
    return requests[entry];
  }

  /** What it computes. */
  public EntryClass entryClass(int entry) {
    return CLASSES[rows[ROW * entry + CLASS]];
  }

  /** Tokens to compute. */
  public int scheduledTokens(int entry) {
    return rows[ROW * entry + SCHEDULED];
  }

  /** Tokens computed before. */
  public int computedTokens(int entry) {
    return rows[ROW * entry + COMPUTED];
  }

  /** Tokens that its latest admission found in the prefix cache, or absent. */
  public long cachedTokens(int entry) {
    final int cached = rows[ROW * entry + CACHED];
    return cached == NOT_ADMITTED ? ABSENT : cached;
  }

  /** KV blocks it holds. */
  public int blocks(int entry) {
    return rows[ROW * entry + BLOCKS];
  }

  /** Tokens that came out of it; 0 until the step is done. */
  public int producedTokens(int entry) {
    return rows[ROW * entry + PRODUCED];
  }

  /** Tokens in the KV cache that the batch attends to, those of this step included. */
  public long contextTokens() {
    return contextTokens;
  }

  /** KV blocks held by the requests of the batch, shared ones once for each. */
  public long heldBlocks() {
    return heldBlocks;
  }

  /** Tokens over all entries that had been computed before a preemption. */
  public int recomputedTokens() {
    return recomputedTokens;
  }

  /** How many entries are of a class. */
  public int count(EntryClass wanted) {
    int count = 0;
    for (int entry = 0; entry < size(); entry++) {
      count += entryClass(entry) == wanted ? 1 : 0;
    }
    return count;
  }

  void produced(int entry, int tokens) {
    rows[ROW * entry + PRODUCED] = tokens;
  }

  @SuppressWarnings("EnumOrdinal") // the row lives as long as the step
  private void take(int entry, PlannedStep step, @Nullable RequestTimeline request) {
    final int tokens = step.scheduledTokens(entry);
    final int before = step.computedTokens(entry);
    final int blocks = step.blockCount(entry);
    final int row = ROW * entry;
    requests[entry] = request;
    rows[row + SCHEDULED] = tokens;
    rows[row + COMPUTED] = before;
    rows[row + BLOCKS] = blocks;
    contextTokens += before + (long) tokens;
    heldBlocks += blocks;
    if (request == null) { // by its chunk, since its prompt is not known
      rows[row + CACHED] = NOT_ADMITTED;
      rows[row + CLASS] = (tokens > 1 ? EntryClass.PREFILL : EntryClass.DECODE).ordinal();
      return;
    }
    final long cached = request.latestCachedTokens();
    rows[row + CACHED] = cached == ABSENT ? NOT_ADMITTED : (int) cached;
    recomputedTokens += request.recomputed(before, tokens);
    rows[row + CLASS] = request.scheduled(step, entry).ordinal();
  }
}

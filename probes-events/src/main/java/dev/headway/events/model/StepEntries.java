package dev.headway.events.model;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.api.step.StepFeatures;
import dev.headway.events.record.EntryPhase;
import dev.headway.events.record.PlannedStep;
import org.jspecify.annotations.Nullable;

/** The entries of a step in the order of the batch, as they were when it was planned. */
public final class StepEntries {

  /** No entries. */
  static final StepEntries NONE = new StepEntries(new @Nullable RequestTimeline[0]);

  // one row per entry, side by side
  private static final int SCHEDULED = 0;
  private static final int COMPUTED = 1;
  private static final int CACHED = 2;
  private static final int BLOCKS = 3;
  private static final int CLASS = 4;
  private static final int NEW_BLOCKS = 5;
  private static final int SAMPLES = 6;
  private static final int PRODUCED = 7;
  private static final int FIRST_PROMPT = 8;
  private static final int KEPT = 9;
  private static final int ROW = 10;

  private static final EntryClass[] CLASSES = EntryClass.values();
  private static final int NOT_ADMITTED = -1;

  private final @Nullable RequestTimeline[] requests;
  private final int[] rows;
  private long contextTokens;
  private long heldBlocks;
  private int recomputedTokens;

  private StepEntries(@Nullable RequestTimeline[] requests) {
    this.requests = requests;
    this.rows = new int[ROW * requests.length];
  }

  /** Copies the entries of a step, whose requests are found already. */
  static StepEntries of(PlannedStep step, OpenStep batch) {
    final StepEntries entries = new StepEntries(batch.requests());
    for (int entry = 0; entry < entries.size(); entry++) {
      entries.take(entry, step, entries.requests[entry]);
    }
    return entries;
  }

  /** Number of entries. */
  public int size() {
    return requests.length;
  }

  /** The request, or null if the record that names it is missing. */
  public @Nullable RequestTimeline request(int entry) {
    return requests[entry];
  }

  /** Class of the entry. */
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

  /** Those of them that are new in this step. */
  public int newBlocks(int entry) {
    return rows[ROW * entry + NEW_BLOCKS];
  }

  /** Whether a token is sampled. */
  public boolean samples(int entry) {
    return rows[ROW * entry + SAMPLES] != 0;
  }

  /** Tokens it produced; 0 until the step is done. */
  public int producedTokens(int entry) {
    return rows[ROW * entry + PRODUCED];
  }

  /** Tokens of its prompt to compute that were never computed or found before. */
  public int firstPromptTokens(int entry) {
    return rows[ROW * entry + FIRST_PROMPT];
  }

  /** Tokens computed, rejected drafts left out; 0 until the step is done. */
  public int keptTokens(int entry) {
    return rows[ROW * entry + KEPT];
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

  /**
   * Adds the entries to the features of their step: tokens, contexts and blocks. Which entries
   * sample, and the blocks moved, are not known here.
   */
  public void addTo(StepFeatures features) {
    for (int entry = 0; entry < size(); entry++) {
      if (entryClass(entry) == EntryClass.DECODE) {
        features.addDecode(scheduledTokens(entry), computedTokens(entry));
      } else {
        features.addPrefill(scheduledTokens(entry), computedTokens(entry));
      }
    }
    features.addBlocks(heldBlocks);
  }

  /** Classified by its chunk if the record has no class, since the prompt is not known. */
  private static EntryClass ofNobody(EntryPhase phase, int tokens) {
    final boolean decodes = phase == EntryPhase.UNKNOWN ? tokens == 1 : phase == EntryPhase.DECODE;
    return decodes ? EntryClass.DECODE : EntryClass.PREFILL;
  }

  /** The step is done, and its request has not got the tokens yet. */
  void produced(int entry, int tokens) {
    final int row = ROW * entry;
    final RequestTimeline request = requests[entry];
    rows[row + PRODUCED] = tokens;
    rows[row + KEPT] =
        request == null
            ? rows[row + SCHEDULED]
            : request.kept(rows[row + COMPUTED], rows[row + SCHEDULED], tokens);
  }

  @SuppressWarnings("EnumOrdinal") // the row lives as long as the step
  private void take(int entry, PlannedStep step, @Nullable RequestTimeline request) {
    final int tokens = step.scheduledTokens(entry);
    final int before = step.computedTokens(entry);
    final int blocks = step.blockCount(entry);
    final int row = ROW * entry;
    rows[row + SCHEDULED] = tokens;
    rows[row + COMPUTED] = before;
    rows[row + BLOCKS] = blocks;
    rows[row + NEW_BLOCKS] = step.newBlocks(entry);
    rows[row + SAMPLES] = step.samples(entry) ? 1 : 0;
    contextTokens += before + (long) tokens;
    heldBlocks += blocks;
    if (request == null) {
      rows[row + CACHED] = NOT_ADMITTED;
      rows[row + CLASS] = ofNobody(step.phase(entry), tokens).ordinal();
      return;
    }
    final long cached = request.latestCachedTokens();
    rows[row + CACHED] = cached == ABSENT ? NOT_ADMITTED : (int) cached;
    recomputedTokens += request.recomputed(before, tokens);
    final int promptBefore = request.promptComputedTokens();
    rows[row + CLASS] = request.scheduled(step, entry).ordinal();
    rows[row + FIRST_PROMPT] = request.promptComputedTokens() - promptBefore;
  }
}

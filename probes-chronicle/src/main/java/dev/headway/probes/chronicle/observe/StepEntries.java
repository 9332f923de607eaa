package dev.headway.probes.chronicle.observe;

import dev.headway.probes.chronicle.record.JournalVisitor;
import dev.headway.probes.chronicle.record.JournalVisitor.PlannedStep;
import org.jspecify.annotations.Nullable;

/** The entries of a step in the order of the batch, as they were when it was planned. */
public final class StepEntries {

  /** No entries. */
  static final StepEntries NONE = new StepEntries(0);

  private static final int NOT_ADMITTED = -1;

  private final @Nullable ObservedRequest[] requests;
  private final EntryClass[] classes;
  private final int[] scheduled;
  private final int[] computed;
  private final int[] cached;
  private final int[] blocks;
  private long contextTokens;
  private long heldBlocks;
  private int recomputedTokens;
  private long repeatedTokens;

  private StepEntries(int size) {
    requests = new @Nullable ObservedRequest[size];
    classes = new EntryClass[size];
    scheduled = new int[size];
    computed = new int[size];
    cached = new int[size];
    blocks = new int[size];
  }

  static StepEntries of(PlannedStep step, ObservedRun run) {
    final StepEntries entries = new StepEntries(step.batchSize());
    for (int i = 0; i < entries.size(); i++) {
      entries.take(i, step, run.find(step.number(i)));
    }
    return entries;
  }

  /** How many there are. */
  public int size() {
    return scheduled.length;
  }

  /** The request, or null if the record that names it is missing. */
  public @Nullable ObservedRequest request(int entry) {
    return requests[entry];
  }

  /** What it computes. */
  public EntryClass entryClass(int entry) {
    return classes[entry];
  }

  /** Tokens to compute. */
  public int scheduledTokens(int entry) {
    return scheduled[entry];
  }

  /** Tokens computed before. */
  public int computedTokens(int entry) {
    return computed[entry];
  }

  /** Tokens that its latest admission found in the prefix cache, or absent. */
  public long cachedTokens(int entry) {
    return cached[entry] == NOT_ADMITTED ? JournalVisitor.ABSENT : cached[entry];
  }

  /** KV blocks it holds. */
  public int blocks(int entry) {
    return blocks[entry];
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

  /** Tokens over all entries at positions computed before, see {@link TokenProgress}. */
  public long repeatedTokens() {
    return repeatedTokens;
  }

  /** How many entries are of a class. */
  public int count(EntryClass wanted) {
    int count = 0;
    for (EntryClass found : classes) {
      count += found == wanted ? 1 : 0;
    }
    return count;
  }

  private void take(int entry, PlannedStep step, @Nullable ObservedRequest request) {
    final int tokens = step.scheduledTokens(entry);
    final int before = step.computedTokens(entry);
    requests[entry] = request;
    scheduled[entry] = tokens;
    computed[entry] = before;
    blocks[entry] = step.blockCount(entry);
    contextTokens += before + (long) tokens;
    heldBlocks += blocks[entry];
    if (request == null) { // by its chunk, since its prompt is not known
      cached[entry] = NOT_ADMITTED;
      classes[entry] = tokens > 1 ? EntryClass.PREFILL : EntryClass.DECODE;
      return;
    }
    final long found = request.latestCachedTokens();
    cached[entry] = found == JournalVisitor.ABSENT ? NOT_ADMITTED : (int) found;
    recomputedTokens += request.progress().recomputed(before, tokens);
    final long repeated = request.progress().repeatedTokens();
    classes[entry] = request.scheduled(before, tokens, blocks[entry]);
    repeatedTokens += request.progress().repeatedTokens() - repeated;
  }
}

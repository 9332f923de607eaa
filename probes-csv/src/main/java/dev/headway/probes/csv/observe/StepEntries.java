package dev.headway.probes.csv.observe;

import dev.headway.probes.chronicle.record.JournalVisitor;
import dev.headway.probes.chronicle.record.JournalVisitor.PlannedStep;
import org.jspecify.annotations.Nullable;

/** The entries of a step in the order of the batch, as they were when it was planned. */
public final class StepEntries {

  /** No entries. */
  static final StepEntries NONE = new StepEntries(0);

  private final @Nullable LiveRequest[] requests;
  private final EntryClass[] classes;
  private final int[] scheduled;
  private final int[] computed;
  private final long[] cached;
  private final int[] blocks;
  private int recomputedTokens;

  private StepEntries(int size) {
    requests = new @Nullable LiveRequest[size];
    classes = new EntryClass[size];
    scheduled = new int[size];
    computed = new int[size];
    cached = new long[size];
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
  public @Nullable LiveRequest request(int entry) {
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
    return cached[entry];
  }

  /** KV blocks it holds. */
  public int blocks(int entry) {
    return blocks[entry];
  }

  /** Tokens over all entries that had been computed before a preemption. */
  public int recomputedTokens() {
    return recomputedTokens;
  }

  /** How many entries are of a class. */
  public int count(EntryClass wanted) {
    int count = 0;
    for (EntryClass found : classes) {
      count += found == wanted ? 1 : 0;
    }
    return count;
  }

  private void take(int entry, PlannedStep step, @Nullable LiveRequest request) {
    requests[entry] = request;
    scheduled[entry] = step.scheduledTokens(entry);
    computed[entry] = step.computedTokens(entry);
    blocks[entry] = step.blockCount(entry);
    if (request == null) { // by its chunk, since its prompt is not known
      cached[entry] = JournalVisitor.ABSENT;
      classes[entry] = scheduled[entry] > 1 ? EntryClass.PREFILL : EntryClass.DECODE;
      return;
    }
    cached[entry] = request.cachedTokens();
    recomputedTokens += request.recomputed(computed[entry], scheduled[entry]);
    classes[entry] = request.schedule(computed[entry], scheduled[entry]);
  }
}

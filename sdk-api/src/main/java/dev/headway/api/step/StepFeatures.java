package dev.headway.api.step;

/**
 * Features that determine the duration of a step: counts and sums over the entries of a {@link
 * StepPlan}. The single definition of these figures, used to fit, predict and learn latency models.
 *
 * <p>A reusable holder, filled from a plan by {@link #fill}, or entry by entry, as by readers of
 * recorded steps: {@link #begin}, then {@link #addPrefill} or {@link #addDecode} for each entry and
 * any other known figures. Figures that were not added are 0.
 *
 * <p>An entry <em>decodes</em> as {@link StepPlan#isDecode} defines; every other entry is
 * <em>prefill</em>: prompts, chunks of them, recomputation. The <em>context</em> of an entry is the
 * tokens computed before the step, which is the position of the first token to compute.
 *
 * <p>Not thread-safe. Filling and reading allocate nothing. Sums are exact; they do not overflow
 * for batches below 2^20 entries of at most 2^20 tokens. Free blocks and the depths of the queues
 * are not figures of a plan; {@code PlannedEvent} has them.
 */
public final class StepFeatures {

  private int prefillRequests;
  private int decodeRequests;
  private int newRequests;
  private int resumedRequests;
  private int draftingRequests;
  private int samplingRequests;
  private long prefillTokens;
  private long decodeTokens;
  private long prefillContextTokens;
  private long decodeContextTokens;
  private long decodeContextSquares;
  private int longestContext;
  private int longestDecodeContext;
  private long twicePrefillPairs;
  private long kvBlocks;
  private int savedBlocks;
  private int loadedBlocks;

  /** Makes the features of an empty step. */
  public StepFeatures() {}

  /** Makes these the features of an empty step again. */
  public void begin() {
    prefillRequests = 0;
    decodeRequests = 0;
    newRequests = 0;
    resumedRequests = 0;
    draftingRequests = 0;
    samplingRequests = 0;
    prefillTokens = 0;
    decodeTokens = 0;
    prefillContextTokens = 0;
    decodeContextTokens = 0;
    decodeContextSquares = 0;
    longestContext = 0;
    longestDecodeContext = 0;
    twicePrefillPairs = 0;
    kvBlocks = 0;
    savedBlocks = 0;
    loadedBlocks = 0;
  }

  /** Makes these equal to {@code other}. */
  public void copyFrom(StepFeatures other) {
    prefillRequests = other.prefillRequests;
    decodeRequests = other.decodeRequests;
    newRequests = other.newRequests;
    resumedRequests = other.resumedRequests;
    draftingRequests = other.draftingRequests;
    samplingRequests = other.samplingRequests;
    prefillTokens = other.prefillTokens;
    decodeTokens = other.decodeTokens;
    prefillContextTokens = other.prefillContextTokens;
    decodeContextTokens = other.decodeContextTokens;
    decodeContextSquares = other.decodeContextSquares;
    longestContext = other.longestContext;
    longestDecodeContext = other.longestDecodeContext;
    twicePrefillPairs = other.twicePrefillPairs;
    kvBlocks = other.kvBlocks;
    savedBlocks = other.savedBlocks;
    loadedBlocks = other.loadedBlocks;
  }

  /** Makes these the features of {@code plan}; O(entries). */
  public void fill(StepPlan plan) {
    begin();
    int decodes = 0; // most entries decode: their sums stay in registers
    int sampling = 0;
    long tokens = 0;
    long contexts = 0;
    long squares = 0;
    long blocks = 0;
    int longest = 0;
    final PlannedBlocks tables = plan.blocks();
    final int size = plan.size();
    for (int entry = 0; entry < size; entry++) {
      final int scheduled = plan.scheduledTokens(entry);
      final int context = plan.computedTokens(entry);
      if (plan.isDecode(entry)) {
        decodes++;
        tokens += scheduled;
        draftingRequests += scheduled > 1 ? 1 : 0;
        contexts += context;
        squares += (long) context * context;
        longest = Math.max(longest, context);
      } else {
        addPrefill(scheduled, context);
      }
      switch (plan.kind(entry)) {
        case NEW -> newRequests++;
        case RESUMED -> resumedRequests++;
        case RUNNING -> {}
      }
      sampling += plan.samples(entry) ? 1 : 0;
      blocks += tables.count(entry, 0);
    }
    decodeRequests = decodes;
    decodeTokens = tokens;
    decodeContextTokens = contexts;
    decodeContextSquares = squares;
    longestDecodeContext = longest;
    longestContext = Math.max(longestContext, longest);
    samplingRequests = sampling;
    kvBlocks = blocks;
    addTransfers(plan.blockOperations().saves().size(), plan.blockOperations().loads().size());
  }

  /**
   * Adds an entry that is prefill.
   *
   * @param tokens tokens to compute, >= 1
   * @param context tokens computed before the step, >= 0
   */
  public void addPrefill(int tokens, int context) {
    prefillRequests++;
    prefillTokens += tokens;
    prefillContextTokens += context;
    twicePrefillPairs += tokens * (2L * context + tokens);
    longestContext = Math.max(longestContext, context);
  }

  /**
   * Adds entries that are prefill, of which the sums are known.
   *
   * @param requests how many, >= 0
   * @param tokens they compute
   * @param contexts tokens computed before the step
   * @param twicePairs sum of {@code tokens * (2 * context + tokens)}
   */
  public void addPrefills(int requests, long tokens, long contexts, long twicePairs) {
    prefillRequests += requests;
    prefillTokens += tokens;
    prefillContextTokens += contexts;
    twicePrefillPairs += twicePairs;
  }

  /**
   * Adds entries that decode, of which the sums are known.
   *
   * @param requests how many, >= 0
   * @param tokens they compute
   * @param contexts tokens computed before the step
   * @param squares sum of the squares of the contexts
   * @param drafting how many of them have drafts to verify
   */
  public void addDecodes(int requests, long tokens, long contexts, long squares, int drafting) {
    decodeRequests += requests;
    decodeTokens += tokens;
    decodeContextTokens += contexts;
    decodeContextSquares += squares;
    draftingRequests += drafting;
  }

  /**
   * Adds an entry that decodes.
   *
   * @param tokens tokens to compute: the newest one and the drafts behind it, >= 1
   * @param context tokens computed before the step, >= 1
   */
  public void addDecode(int tokens, int context) {
    decodeRequests++;
    decodeTokens += tokens;
    draftingRequests += tokens > 1 ? 1 : 0;
    decodeContextTokens += context;
    decodeContextSquares += (long) context * context;
    addLongestDecodeContext(context);
  }

  /**
   * Adds entries that decode a token each, all behind the same context.
   *
   * @param requests how many, >= 0
   * @param context tokens computed before the step, >= 1
   */
  public void addDecodesAt(int requests, int context) {
    final long contexts = (long) requests * context;
    addDecodes(requests, requests, contexts, contexts * context, 0);
    if (requests > 0) {
      addLongestDecodeContext(context);
    }
  }

  /**
   * Says the longest context of the decodes whose sums were added.
   *
   * @param context in tokens, >= 0
   */
  public void addLongestDecodeContext(int context) {
    longestDecodeContext = Math.max(longestDecodeContext, context);
    longestContext = Math.max(longestContext, context);
  }

  /** Counts entries as those of requests admitted in this step; each is added as an entry too. */
  public void addAdmissions(int newly, int again) {
    newRequests += newly;
    resumedRequests += again;
  }

  /** Counts entries as such that sample; each is added as an entry too. */
  public void addSampling(int requests) {
    samplingRequests += requests;
  }

  /** Adds blocks held by entries. */
  public void addBlocks(long blocks) {
    kvBlocks += blocks;
  }

  /** Adds blocks moved between device and host memory before the step computes. */
  public void addTransfers(int saved, int loaded) {
    savedBlocks += saved;
    loadedBlocks += loaded;
  }

  /** Entries of the step, in requests; 0 for an empty step. */
  public int requests() {
    return prefillRequests + decodeRequests;
  }

  /** Entries that are prefill, in requests. */
  public int prefillRequests() {
    return prefillRequests;
  }

  /** Entries that decode, in requests. */
  public int decodeRequests() {
    return decodeRequests;
  }

  /** Entries of kind {@link EntryKind#NEW}, in requests. */
  public int newRequests() {
    return newRequests;
  }

  /** Entries of kind {@link EntryKind#RESUMED}, in requests. */
  public int resumedRequests() {
    return resumedRequests;
  }

  /** Entries that decode with draft tokens to verify, in requests. */
  public int draftingRequests() {
    return draftingRequests;
  }

  /** Entries that must be answered with a token, in requests: the rows of the LM head. */
  public int samplingRequests() {
    return samplingRequests;
  }

  /** Tokens to compute, over all entries. */
  public long totalTokens() {
    return prefillTokens + decodeTokens;
  }

  /** Tokens to compute of the entries that are prefill. */
  public long prefillTokens() {
    return prefillTokens;
  }

  /** Tokens to compute of the entries that decode, draft tokens included. */
  public long decodeTokens() {
    return decodeTokens;
  }

  /**
   * Draft tokens to verify, of the entries that decode. Those that pad an admission to the length
   * of the others are prefill tokens.
   */
  public long draftTokens() {
    return decodeTokens - decodeRequests;
  }

  /** Context of the entries that are prefill, in tokens: a chunk reads what was computed before. */
  public long prefillContextTokens() {
    return prefillContextTokens;
  }

  /** Context of the entries that decode, in tokens: what decode attention reads. */
  public long decodeContextTokens() {
    return decodeContextTokens;
  }

  /** Sum of the squares of the decodes' contexts, in tokens^2: how uneven they are. */
  public long decodeContextSquares() {
    return decodeContextSquares;
  }

  /** Context over all entries, with the tokens of the step: the tokens of KV once it has run. */
  public long kvTokens() {
    return prefillContextTokens + decodeContextTokens + totalTokens();
  }

  /** The longest context of an entry, in tokens; 0 for an empty step. */
  public int longestContext() {
    return longestContext;
  }

  /**
   * The longest context of an entry that decodes, in tokens; 0 if none does, or where only sums are
   * known. An executor that does not cut a context has one part of the device walk it alone.
   */
  public int longestDecodeContext() {
    return longestDecodeContext;
  }

  /**
   * Twice the work of prefill attention, in pairs of tokens: the sum over prefill of {@code 2 *
   * tokens * (context + tokens / 2)}. Doubled to stay integral for chunks of odd length.
   */
  public long twicePrefillPairs() {
    return twicePrefillPairs;
  }

  /**
   * KV blocks of the entries in the first group of the cache, in blocks; one that several requests
   * share counts for each.
   */
  public long kvBlocks() {
    return kvBlocks;
  }

  /** Blocks saved to host memory before the step computes. */
  public int savedBlocks() {
    return savedBlocks;
  }

  /** Blocks loaded from host memory before the step computes. */
  public int loadedBlocks() {
    return loadedBlocks;
  }

  /** Blocks moved between device and host memory: saved or loaded. */
  public long transferredBlocks() {
    return (long) savedBlocks + loadedBlocks;
  }

  @Override
  public String toString() {
    return "StepFeatures[prefillRequests="
        + prefillRequests
        + ", prefillTokens="
        + prefillTokens
        + ", prefillContextTokens="
        + prefillContextTokens
        + ", decodeRequests="
        + decodeRequests
        + ", decodeTokens="
        + decodeTokens
        + ", decodeContextTokens="
        + decodeContextTokens
        + "]";
  }
}

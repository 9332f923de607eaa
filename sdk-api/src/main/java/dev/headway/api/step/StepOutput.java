package dev.headway.api.step;

import static dev.headway.api.Absent.ABSENT;

import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Result of one plan: sampled tokens, failures and the executor's timings.
 *
 * <p>Reused from step to step. The engine passes it empty; the executor fills it inside {@code
 * Executor.await}, on the thread that calls it. Filling allocates nothing once the arrays have
 * grown.
 */
public final class StepOutput {

  private long stepId;
  private int size;
  private int[] counts = new int[16];
  private int[] tokens = new int[16];
  private @Nullable Throwable[] failures = new Throwable[16];
  private int stride = 1;
  private @Nullable TokenLogprobs[] logprobs = {}; // laid out as the tokens, once there are any
  private boolean hasLogprobs;
  private int failureCount;
  private int[] draftCounts = new int[16];
  private int[] drafts = new int[16];
  private int draftStride = 1;
  private boolean hasDrafts;
  private long availableNs;
  private long prepareNs;
  private long forwardNs;
  private long sampleNs;
  private long deviceMemoryUsedBytes;
  private long deviceUtilizationPermille;
  private FirstOfKind firstOfKind = FirstOfKind.UNKNOWN;
  private long activatedExperts;
  private @Nullable Throwable lost;
  private @Nullable TransferReport transfers; // with a KV connector only

  /** Creates an empty output; {@link #begin} assigns a step. */
  public StepOutput() {
    begin(0, 0);
  }

  /**
   * Empties the output for a step.
   *
   * @param stepId the plan's step
   * @param size the plan's number of entries
   */
  public void begin(long stepId, int size) {
    this.stepId = stepId;
    if (failureCount > 0) {
      Arrays.fill(failures, 0, this.size, null);
    }
    failureCount = 0;
    if (hasLogprobs) {
      Arrays.fill(logprobs, null);
      hasLogprobs = false;
    }
    if (counts.length < size) {
      final int capacity = Math.max(size, 2 * counts.length);
      counts = new int[capacity];
      draftCounts = new int[capacity];
      drafts = new int[capacity * draftStride];
      failures = new Throwable[capacity];
      tokens = new int[capacity * stride];
    } else {
      Arrays.fill(counts, 0, size, 0);
      if (hasDrafts) {
        Arrays.fill(draftCounts, 0);
      }
    }
    hasDrafts = false;
    lost = null;
    if (transfers != null) {
      transfers.clear();
    }
    this.size = size;
    availableNs = ABSENT;
    prepareNs = ABSENT;
    forwardNs = ABSENT;
    sampleNs = ABSENT;
    deviceMemoryUsedBytes = ABSENT;
    deviceUtilizationPermille = ABSENT;
    firstOfKind = FirstOfKind.UNKNOWN;
    activatedExperts = ABSENT;
  }

  /**
   * Adds a sampled token to an entry; several calls for one entry add several tokens, in order.
   *
   * @param entry index in the plan, in [0, size)
   * @param tokenId checked by the engine before it enters any state
   * @throws IndexOutOfBoundsException if there is no such entry
   */
  public void addToken(int entry, int tokenId) {
    checkEntry(entry);
    if (counts[entry] == stride) {
      widen();
    }
    tokens[entry * stride + counts[entry]++] = tokenId;
  }

  /**
   * Adds a sampled token together with its log-probabilities, for a request whose {@code
   * SamplingParams.logprobs} asks for them.
   *
   * @param logprobs retained until the listener was notified
   * @throws IndexOutOfBoundsException if there is no such entry
   */
  public void addToken(int entry, int tokenId, TokenLogprobs logprobs) {
    Objects.requireNonNull(logprobs, "logprobs");
    addToken(entry, tokenId);
    if (this.logprobs.length != tokens.length) {
      this.logprobs = Arrays.copyOf(this.logprobs, tokens.length); // the first; widen() moves them
    }
    this.logprobs[entry * stride + counts[entry] - 1] = logprobs;
    hasLogprobs = true;
  }

  /**
   * Proposes a draft token for the request of an entry, to be verified in its next step; several
   * calls add several, in order. Those of the step before are replaced. Only for executors that
   * speculate without asynchronous scheduling: with it drafts stay on the device.
   *
   * @throws IndexOutOfBoundsException if there is no such entry
   */
  public void addDraft(int entry, int tokenId) {
    checkEntry(entry);
    if (draftCounts[entry] == draftStride) {
      widenDrafts();
    }
    drafts[entry * draftStride + draftCounts[entry]++] = tokenId;
    hasDrafts = true;
  }

  /**
   * Marks an entry as failed; its request ends with that cause. So do requests admitted in the same
   * step that share a block the entry was to compute; the others continue.
   *
   * @throws IndexOutOfBoundsException if there is no such entry
   */
  public void fail(int entry, Throwable cause) {
    checkEntry(entry);
    failures[entry] = Objects.requireNonNull(cause, "cause");
    failureCount++;
  }

  /**
   * Says why no answer came, for an executor that knows and whose {@code await} then returns false
   * at once, for example after a lost connection. The requests of the step end with this cause; it
   * would be a time-out otherwise.
   *
   * @param cause what happened
   */
  public void unanswered(Throwable cause) {
    lost = Objects.requireNonNull(cause, "cause");
  }

  /** Why no answer came, or null if the executor did not say. */
  public @Nullable Throwable unansweredBecause() {
    return lost;
  }

  /**
   * Reports the executor's timings, in nanoseconds each, {@link dev.headway.api.Absent#ABSENT}
   * where not measured.
   *
   * @param prepareNs building and uploading the batch
   * @param forwardNs the model's forward pass
   * @param sampleNs picking tokens and bringing them back
   */
  public void timing(long prepareNs, long forwardNs, long sampleNs) {
    this.prepareNs = prepareNs;
    this.forwardNs = forwardNs;
    this.sampleNs = sampleNs;
  }

  /**
   * Reports the state of the device, {@link dev.headway.api.Absent#ABSENT} where not measured.
   *
   * @param memoryUsedBytes device memory in use, in bytes
   * @param utilizationPermille share of time the device was busy, in 1/1000
   */
  public void device(long memoryUsedBytes, long utilizationPermille) {
    this.deviceMemoryUsedBytes = memoryUsedBytes;
    this.deviceUtilizationPermille = utilizationPermille;
  }

  /**
   * Reports whether the step was the first of its kind; not called by an executor that does not
   * know.
   *
   * @param isFirst whether it made something that later steps like it find made
   */
  public void firstOfKind(boolean isFirst) {
    firstOfKind = isFirst ? FirstOfKind.FIRST : FirstOfKind.NOT_FIRST;
  }

  /**
   * Reports how many routed experts computed for any token of the step; not called by an executor
   * that does not know, or whose model has none.
   *
   * @param experts summed over the layers: an expert of each of two layers is two; shared experts
   *     are not among them
   * @throws IllegalArgumentException if negative
   */
  public void activatedExperts(long experts) {
    if (experts < 0) {
      throw new IllegalArgumentException("experts must be >= 0: experts=" + experts);
    }
    activatedExperts = experts;
  }

  /**
   * Routed experts that computed for any token of the step, summed over the layers, or {@link
   * dev.headway.api.Absent#ABSENT}.
   */
  public long activatedExperts() {
    return activatedExperts;
  }

  /** Whether the step was the first of its kind. */
  public FirstOfKind firstOfKind() {
    return firstOfKind;
  }

  /**
   * The transfers of a KV connector that have ended with the step, or since the one before: failed
   * loads of this step, and whatever else has ended. To be filled; the same object for all steps.
   */
  public TransferReport transfers() {
    if (transfers == null) {
      transfers = new TransferReport();
    }
    return transfers;
  }

  /** Whether {@link #transfers} has anything in it. */
  public boolean hasTransfers() {
    return transfers != null && !transfers.isEmpty();
  }

  /**
   * Stamps the instant at which the output was available; called by the engine after {@code
   * Executor.await}.
   *
   * @param nowNs instant of the engine's clock
   */
  public void availableAt(long nowNs) {
    availableNs = nowNs;
  }

  /**
   * Instant at which the output was available, of the engine's clock, or {@link
   * dev.headway.api.Absent#ABSENT} as long as it is not.
   */
  public long availableNs() {
    return availableNs;
  }

  /** The step this answers. */
  public long stepId() {
    return stepId;
  }

  /** Number of entries of the plan. */
  public int size() {
    return size;
  }

  /** Tokens answered for an entry. */
  public int tokenCount(int entry) {
    checkEntry(entry);
    return counts[entry];
  }

  /** Returns token {@code index} in [0, tokenCount) of an entry. */
  public int token(int entry, int index) {
    checkEntry(entry);
    return tokens[entry * stride + index];
  }

  /** Whether any token came with log-probabilities. */
  public boolean hasLogprobs() {
    return hasLogprobs;
  }

  /**
   * Returns the log-probabilities of token {@code index} in [0, tokenCount) of an entry, or null if
   * it came without.
   */
  public @Nullable TokenLogprobs logprobs(int entry, int index) {
    checkEntry(entry);
    return hasLogprobs ? logprobs[entry * stride + index] : null;
  }

  /** Whether draft tokens were proposed for any entry. */
  public boolean hasDrafts() {
    return hasDrafts;
  }

  /** Draft tokens proposed for an entry. */
  public int draftCount(int entry) {
    checkEntry(entry);
    return draftCounts[entry];
  }

  /** Returns draft token {@code index} in [0, draftCount) of an entry. */
  public int draft(int entry, int index) {
    checkEntry(entry);
    return drafts[entry * draftStride + index];
  }

  /** Why an entry failed, or null. */
  public @Nullable Throwable failure(int entry) {
    checkEntry(entry);
    return failures[entry];
  }

  /** Whether any entry failed. */
  public boolean hasFailures() {
    return failureCount > 0;
  }

  /**
   * Time to build and upload the batch, in nanoseconds, or {@link dev.headway.api.Absent#ABSENT}.
   */
  public long prepareNs() {
    return prepareNs;
  }

  /** Time of the forward pass, in nanoseconds, or {@link dev.headway.api.Absent#ABSENT}. */
  public long forwardNs() {
    return forwardNs;
  }

  /**
   * Time to pick tokens and bring them back, in nanoseconds, or {@link
   * dev.headway.api.Absent#ABSENT}.
   */
  public long sampleNs() {
    return sampleNs;
  }

  /** Device memory in use, in bytes, or {@link dev.headway.api.Absent#ABSENT}. */
  public long deviceMemoryUsedBytes() {
    return deviceMemoryUsedBytes;
  }

  /** Share of time the device was busy, in 1/1000, or {@link dev.headway.api.Absent#ABSENT}. */
  public long deviceUtilizationPermille() {
    return deviceUtilizationPermille;
  }

  private void checkEntry(int entry) {
    if (entry < 0 || entry >= size) {
      throw new IndexOutOfBoundsException(
          "entry must be in [0, size): entry=" + entry + ", size=" + size + ", stepId=" + stepId);
    }
  }

  private void widenDrafts() {
    final int wider = 2 * draftStride;
    final int[] moved = new int[draftCounts.length * wider];
    for (int entry = 0; entry < size; entry++) {
      System.arraycopy(drafts, entry * draftStride, moved, entry * wider, draftCounts[entry]);
    }
    drafts = moved;
    draftStride = wider;
  }

  private void widen() {
    final int wider = 2 * stride;
    final int[] moved = new int[counts.length * wider];
    for (int entry = 0; entry < size; entry++) {
      System.arraycopy(tokens, entry * stride, moved, entry * wider, counts[entry]);
    }
    if (hasLogprobs) {
      widenLogprobs(wider);
    }
    tokens = moved;
    stride = wider;
  }

  private void widenLogprobs(int wider) {
    final @Nullable TokenLogprobs[] moved = new TokenLogprobs[counts.length * wider];
    for (int entry = 0; entry < size; entry++) {
      System.arraycopy(logprobs, entry * stride, moved, entry * wider, counts[entry]);
    }
    logprobs = moved;
  }
}

package dev.headway.simulation.workload;

import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One request of a workload: when it arrives, how long it is, and which of its prompt is shared.
 *
 * <p>Block {@code i} of {@code prefixBlockIds} names the prompt positions {@code [i *
 * prefixBlockTokens, (i + 1) * prefixBlockTokens)}. Ids are cumulative: equal ids at a position
 * mean that everything up to the end of that block is equal. Positions behind the last block are
 * the request's own. Immutable; arrays are copied in and out.
 *
 * @param requestId not blank, at most {@value #MAX_NAME_LENGTH} characters
 * @param arrivalNs intended arrival in nanoseconds after the start of the trace, at least 0
 * @param inputTokens length of the prompt, in [1, {@value #MAX_TOKENS}]
 * @param outputTokens tokens to generate, in [1, {@value #MAX_TOKENS}]
 * @param prefixBlockIds ids of the leading prompt blocks, each at least 0; empty where nothing is
 *     known about sharing; the last block may reach beyond the prompt and is cut there
 * @param prefixBlockTokens tokens per block, at least 1; 0 only if there are no blocks
 * @param tenant whose request it is, or null
 * @param priority lower is more urgent, as in vLLM; 0 where the trace has none
 * @param abortAfterNs how long after its arrival its client gives it up, at least 0; {@link
 *     #NO_ABORT} if it waits for the end
 * @param adapter the LoRA adapter that it asks for, or null for the base model
 * @param ttftTargetNs when its first token shall be there, above 0 after its arrival; {@link
 *     #NO_TARGET} for none
 */
@SuppressWarnings("ArrayRecordComponent") // copied at both ends, compared by content
public record WorkloadRequest(
    String requestId,
    long arrivalNs,
    int inputTokens,
    int outputTokens,
    int[] prefixBlockIds,
    int prefixBlockTokens,
    @Nullable String tenant,
    int priority,
    long abortAfterNs,
    @Nullable String adapter,
    long ttftTargetNs) {
  /** {@link #abortAfterNs()} of a request that is never given up. */
  public static final long NO_ABORT = -1;

  /** {@link #ttftTargetNs()} of a request that has none. */
  public static final long NO_TARGET = -1;

  /** Longest prompt or output that a workload may ask for: 2^24, above every context in use. */
  public static final int MAX_TOKENS = 1 << 24;

  /** Longest request id, tenant or adapter, in characters. */
  public static final int MAX_NAME_LENGTH = 256;

  /** Checks every component and copies the block ids. */
  public WorkloadRequest {
    requireName("requestId", requestId);
    require(arrivalNs >= 0, "arrivalNs must be >= 0", "arrivalNs", arrivalNs);
    requireTokens("inputTokens", inputTokens);
    requireTokens("outputTokens", outputTokens);
    prefixBlockIds = prefixBlockIds.clone();
    requireBlocks(prefixBlockIds, prefixBlockTokens, inputTokens);
    require(abortAfterNs >= NO_ABORT, "abortAfterNs must be >= -1", "abortAfterNs", abortAfterNs);
    require(
        ttftTargetNs > 0 || ttftTargetNs == NO_TARGET,
        "ttftTargetNs must be > 0, or -1",
        "ttftTargetNs",
        ttftTargetNs);
    if (tenant != null) {
      requireName("tenant", tenant);
    }
    if (adapter != null) {
      requireName("adapter", adapter);
    }
  }

  /** A request of the base model, without a target, whose client waits for its end. */
  public WorkloadRequest(
      String requestId,
      long arrivalNs,
      int inputTokens,
      int outputTokens,
      int[] prefixBlockIds,
      int prefixBlockTokens,
      @Nullable String tenant,
      int priority) {
    this(
        requestId,
        arrivalNs,
        inputTokens,
        outputTokens,
        prefixBlockIds,
        prefixBlockTokens,
        tenant,
        priority,
        NO_ABORT,
        null,
        NO_TARGET);
  }

  /**
   * The same request, given up at another time.
   *
   * @param newAbortAfterNs nanoseconds after its arrival, or {@link #NO_ABORT}
   * @return a new request that differs in that only
   */
  public WorkloadRequest withAbortAfterNs(long newAbortAfterNs) {
    return copy(requestId, arrivalNs, tenant, newAbortAfterNs, adapter, ttftTargetNs);
  }

  /** The ids of the leading prompt blocks, a copy. */
  @Override
  public int[] prefixBlockIds() {
    return prefixBlockIds.clone();
  }

  /** How many blocks there are, without a copy. */
  int prefixBlockCount() {
    return prefixBlockIds.length;
  }

  /**
   * How many leading prompt tokens the blocks describe.
   *
   * @return a number of tokens in [0, inputTokens]
   */
  public int prefixTokens() {
    return (int) Math.min(inputTokens, (long) prefixBlockIds.length * prefixBlockTokens);
  }

  /**
   * The same request at another time.
   *
   * @param newArrivalNs nanoseconds after the start of the trace, at least 0
   * @return a new request that differs in the arrival only
   */
  public WorkloadRequest withArrivalNs(long newArrivalNs) {
    return copy(requestId, newArrivalNs, tenant, abortAfterNs, adapter, ttftTargetNs);
  }

  /**
   * The same request under another name.
   *
   * @param newRequestId not blank, at most {@value #MAX_NAME_LENGTH} characters
   * @return a new request that differs in the id only
   */
  public WorkloadRequest withRequestId(String newRequestId) {
    return copy(newRequestId, arrivalNs, tenant, abortAfterNs, adapter, ttftTargetNs);
  }

  /**
   * The same request of another tenant.
   *
   * @param newTenant whose request it is
   * @return a new request that differs in the tenant only
   */
  public WorkloadRequest withTenant(String newTenant) {
    return copy(requestId, arrivalNs, newTenant, abortAfterNs, adapter, ttftTargetNs);
  }

  /**
   * The same request with another adapter.
   *
   * @param newAdapter the adapter, or null for the base model
   * @return a new request that differs in the adapter only
   */
  public WorkloadRequest withAdapter(@Nullable String newAdapter) {
    return copy(requestId, arrivalNs, tenant, abortAfterNs, newAdapter, ttftTargetNs);
  }

  /**
   * The same request with another target for its first token.
   *
   * @param newTtftTargetNs nanoseconds after its arrival, or {@link #NO_TARGET}
   * @return a new request that differs in that only
   */
  public WorkloadRequest withTtftTargetNs(long newTtftTargetNs) {
    return copy(requestId, arrivalNs, tenant, abortAfterNs, adapter, newTtftTargetNs);
  }

  /**
   * The same request cut to other lengths; prefix blocks behind the new end of the prompt go.
   *
   * @param newInputTokens length of the prompt, in [1, inputTokens]
   * @param newOutputTokens tokens to generate, at least 1
   * @return a new request that differs in the lengths and, if need be, in the blocks
   */
  public WorkloadRequest withLengths(int newInputTokens, int newOutputTokens) {
    require(
        newInputTokens <= inputTokens,
        "a prompt can only be cut: inputTokens=" + inputTokens,
        "newInputTokens",
        newInputTokens);
    final int blocks =
        prefixBlockIds.length == 0
            ? 0
            : Math.min(prefixBlockIds.length, Math.ceilDiv(newInputTokens, prefixBlockTokens));
    return new WorkloadRequest(
        requestId,
        arrivalNs,
        newInputTokens,
        newOutputTokens,
        Arrays.copyOf(prefixBlockIds, blocks),
        blocks == 0 ? 0 : prefixBlockTokens,
        tenant,
        priority,
        abortAfterNs,
        adapter,
        ttftTargetNs);
  }

  /** The same lengths, blocks and priority under these. */
  private WorkloadRequest copy(
      String ofId,
      long atNs,
      @Nullable String ofTenant,
      long givenUpAfterNs,
      @Nullable String ofAdapter,
      long targetNs) {
    return new WorkloadRequest(
        ofId,
        atNs,
        inputTokens,
        outputTokens,
        prefixBlockIds,
        prefixBlockTokens,
        ofTenant,
        priority,
        givenUpAfterNs,
        ofAdapter,
        targetNs);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof WorkloadRequest that
        && requestId.equals(that.requestId)
        && arrivalNs == that.arrivalNs
        && sameLengths(that)
        && Arrays.equals(prefixBlockIds, that.prefixBlockIds)
        && prefixBlockTokens == that.prefixBlockTokens
        && Objects.equals(tenant, that.tenant)
        && priority == that.priority
        && abortAfterNs == that.abortAfterNs
        && Objects.equals(adapter, that.adapter)
        && ttftTargetNs == that.ttftTargetNs;
  }

  private boolean sameLengths(WorkloadRequest that) {
    return inputTokens == that.inputTokens && outputTokens == that.outputTokens;
  }

  @Override
  public int hashCode() {
    return 31 * requestId.hashCode() + Long.hashCode(arrivalNs);
  }

  @Override
  public String toString() {
    return ("WorkloadRequest[%s at %d ns, %d in, %d out, blocks=%d x %d, tenant=%s, priority=%d,"
            + " abortAfterNs=%d, adapter=%s, ttftTargetNs=%d]")
        .formatted(
            requestId,
            arrivalNs,
            inputTokens,
            outputTokens,
            prefixBlockIds.length,
            prefixBlockTokens,
            tenant,
            priority,
            abortAfterNs,
            adapter,
            ttftTargetNs);
  }

  private static void requireName(String what, String name) {
    if (name.isBlank() || name.length() > MAX_NAME_LENGTH) {
      throw new IllegalArgumentException(
          what
              + " must not be blank nor longer than "
              + MAX_NAME_LENGTH
              + " characters: length="
              + name.length());
    }
  }

  private static void requireTokens(String what, int tokens) {
    require(
        tokens >= 1 && tokens <= MAX_TOKENS,
        what + " must be in [1, " + MAX_TOKENS + "]",
        what,
        tokens);
  }

  private static void requireBlocks(int[] ids, int blockTokens, int inputTokens) {
    if (ids.length == 0) {
      require(blockTokens >= 0, "prefixBlockTokens must be >= 0", "prefixBlockTokens", blockTokens);
      return;
    }
    require(blockTokens >= 1, "prefixBlockTokens must be >= 1", "prefixBlockTokens", blockTokens);
    require(
        (ids.length - 1L) * blockTokens < inputTokens,
        "every prefix block must start inside the prompt: inputTokens="
            + inputTokens
            + ", prefixBlockTokens="
            + blockTokens,
        "prefixBlocks",
        ids.length);
    for (int id : ids) {
      require(id >= 0, "prefix block ids must be >= 0", "id", id);
    }
  }

  private static void require(boolean holds, String rule, String name, long value) {
    if (!holds) {
      throw new IllegalArgumentException(
          rule + (rule.indexOf(':') < 0 ? ": " : ", ") + name + "=" + value);
    }
  }
}

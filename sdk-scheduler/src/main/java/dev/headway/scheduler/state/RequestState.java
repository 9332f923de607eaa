package dev.headway.scheduler.state;

import dev.headway.api.kvcache.KvSequence;
import dev.headway.api.request.Request;
import dev.headway.api.request.RequestStatus;
import dev.headway.api.request.RequestView;
import dev.headway.api.schedule.OutputListener;
import dev.headway.api.schedule.WaitReason;
import org.jspecify.annotations.Nullable;

/**
 * The one mutable object per request. Engine thread only. Plain fields, because the phases of a
 * step read and write them for every running request in every step.
 *
 * <p>The prompt stays in the {@link Request}; outputs get their array at the first admission, sized
 * for all there can be, so that decoding allocates nothing and waiting costs nothing.
 */
public final class RequestState implements RequestView {

  private static final int[] NO_OUTPUTS = {};

  private final Request request;
  private final OutputListener listener;
  private final long number;
  private final long arrivalNs;
  private final long queuedNs;
  private final int promptTokens;
  private final int maxTokens;
  private final int minTokens;
  private final boolean endsOnTokens;
  private int[] outputs = NO_OUTPUTS;
  private @Nullable KvSequence kv;

  /** Where it stands; changed together with the list that holds it. */
  public RequestStatus status = RequestStatus.WAITING;

  /** Prompt and output tokens. */
  public int knownTokens;

  /** Tokens computed or scheduled. */
  public int computedTokens;

  /** Tokens found in the prefix cache by the first admission. */
  public int cachedTokens;

  /** Times preempted. */
  public int preemptions;

  /** Whether it was admitted before. */
  public boolean everAdmitted;

  /** Tokens computed when it was last preempted. */
  public int computedBeforePreemption;

  /** Newest step that scheduled it; 0 before the first. */
  public long lastStepId;

  /** Its own wait reason, or null if it follows the queue's; set by the wait ledger only. */
  public @Nullable WaitReason waitReason;

  /** Number of the request named as blocker with {@link #waitReason}, or -1. */
  public long blockerNumber = -1;

  /** Step in which {@link #waitReason} was last confirmed. */
  public long waitReasonStepId;

  /** Links of the FCFS queue; null outside it. */
  public @Nullable RequestState next;

  /** See {@link #next}. */
  public @Nullable RequestState previous;

  /** Position in the priority queue's heap; -1 outside it. */
  public int heapIndex = -1;

  /**
   * Makes the state of a request that is about to wait.
   *
   * @param listener hears what it produces
   * @param number its position in the order of arrival
   */
  public RequestState(
      Request request, OutputListener listener, long number, long arrivalNs, long queuedNs) {
    this.request = request;
    this.listener = listener;
    this.number = number;
    this.arrivalNs = arrivalNs;
    this.queuedNs = queuedNs;
    this.promptTokens = request.promptTokens();
    this.knownTokens = promptTokens;
    // copies, so that a decode step does not reach for the request's other objects
    this.maxTokens = request.stopRule().maxTokens();
    this.minTokens = request.stopRule().minTokens();
    this.endsOnTokens = request.stopRule().endsOnTokens();
  }

  /** Who hears what it produces. */
  public OutputListener listener() {
    return listener;
  }

  /** Most outputs. */
  public int maxTokens() {
    return maxTokens;
  }

  /** Outputs before which nothing ends it. */
  public int minTokens() {
    return minTokens;
  }

  /** Whether any token can end it before {@link #maxTokens}. */
  public boolean endsOnTokens() {
    return endsOnTokens;
  }

  /** Gives the request its block table, once. */
  public void attach(KvSequence sequence) {
    kv = sequence;
  }

  /** The block table. */
  public KvSequence kv() {
    if (kv == null) {
      throw new IllegalStateException("no block table yet: id=" + id());
    }
    return kv;
  }

  /** Makes room for {@code capacity} outputs; called at the first admission. */
  public void reserveOutputs(int capacity) {
    if (outputs.length < capacity) {
      outputs = new int[capacity];
    }
  }

  /** Appends a generated token. */
  public void appendOutput(int tokenId) {
    outputs[knownTokens - promptTokens] = tokenId;
    knownTokens++;
  }

  @Override
  public Request request() {
    return request;
  }

  @Override
  public long number() {
    return number;
  }

  @Override
  public RequestStatus status() {
    return status;
  }

  @Override
  public long arrivalNs() {
    return arrivalNs;
  }

  @Override
  public long queuedNs() {
    return queuedNs;
  }

  @Override
  public int promptTokens() {
    return promptTokens;
  }

  @Override
  public int outputTokens() {
    return knownTokens - promptTokens;
  }

  @Override
  public int knownTokens() {
    return knownTokens;
  }

  @Override
  public int computedTokens() {
    return computedTokens;
  }

  @Override
  public int cachedTokens() {
    return cachedTokens;
  }

  @Override
  public int inFlightTokens() {
    return 0;
  }

  @Override
  public int kvBlocks() {
    return kv().blockCount();
  }

  @Override
  public int findableTokens() {
    return kv().findableTokens();
  }

  @Override
  public int preemptions() {
    return preemptions;
  }

  @Override
  public int tokenId(int position) {
    return position < promptTokens
        ? request.promptTokenId(position)
        : outputs[position - promptTokens];
  }

  @Override
  public void copyTokenIds(int from, int[] target, int offset, int length) {
    final int fromPrompt = Math.max(0, Math.min(length, promptTokens - from));
    if (fromPrompt > 0) {
      request.copyPromptTokenIds(from, target, offset, fromPrompt);
    }
    if (fromPrompt < length) {
      System.arraycopy(
          outputs,
          from + fromPrompt - promptTokens,
          target,
          offset + fromPrompt,
          length - fromPrompt);
    }
  }

  @Override
  public String toString() {
    return "RequestState[id="
        + id()
        + ", status="
        + status
        + ", known="
        + knownTokens
        + ", computed="
        + computedTokens
        + "]";
  }
}

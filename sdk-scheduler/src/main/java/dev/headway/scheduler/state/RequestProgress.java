package dev.headway.scheduler.state;

import dev.headway.api.request.RequestStatus;
import dev.headway.api.schedule.OutputListener;

/**
 * The fields of a request that every decode step reads or writes. In a separate class, because the
 * JVM lays the fields of a superclass side by side: a step touches two cache lines of a request and
 * not five. Plain fields, engine thread only.
 */
public abstract class RequestProgress {

  /** Prompt and output tokens. */
  public int knownTokens;

  /** Tokens computed or scheduled. */
  public int computedTokens;

  /** Tokens scheduled in steps whose output was not taken over yet. */
  public int inFlightTokens;

  /** Those of them scheduled before the latest preemption: their results come too late. */
  public int staleTokens;

  /** Outputs that are scheduled and not known yet; with asynchronous scheduling only. */
  public int placeholders;

  /** Draft tokens to be verified in the next step. */
  public int pendingDrafts;

  /** Known tokens at which nothing but its length ends it; from there on more is looked at. */
  public int plainUntilTokens;

  /**
   * Computed tokens up to which its KV blocks need no thought; see {@code
   * KvSequence.allocatedThrough}.
   */
  public int allocatedThrough;

  /** Entries of its first block table, as far as {@link #allocatedThrough} holds. */
  public int tableBlocks;

  /** Tokens it got in step {@link #lastStepId}. */
  public int plannedTokens;

  /** Newest step that scheduled it, 0 for none. Its blocks may be written until then. */
  public long lastStepId;

  /** Its status; changed together with the list that holds it. */
  public RequestStatus status = RequestStatus.WAITING;

  /** Whether the latest step that scheduled it left a part of the prompt for later. */
  public boolean prefillChunk;

  int promptTokens;
  private final OutputListener listener;
  int[] outputs = {};

  RequestProgress(int promptTokens, OutputListener listener) {
    this.listener = listener;
    this.promptTokens = promptTokens;
    this.knownTokens = promptTokens;
  }

  /** Receives what it produces. */
  public final OutputListener listener() {
    return listener;
  }

  /** Appends a generated token. */
  public final void appendOutput(int tokenId) {
    outputs[knownTokens - promptTokens] = tokenId;
    knownTokens++;
  }

  /** Tokens generated so far. */
  public final int outputCount() {
    return knownTokens - promptTokens;
  }
}

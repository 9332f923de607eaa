package dev.headway.scheduler.state;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.api.kvcache.KvSequence;
import dev.headway.api.request.Grammar;
import dev.headway.api.request.Hold;
import dev.headway.api.request.LoraAdapter;
import dev.headway.api.request.RepetitionRule;
import dev.headway.api.request.Request;
import dev.headway.api.request.RequestStatus;
import dev.headway.api.request.RequestView;
import dev.headway.api.request.StopRule;
import dev.headway.api.schedule.OutputListener;
import dev.headway.api.schedule.WaitReason;
import dev.headway.api.step.DraftTokens;
import dev.headway.api.support.WaitClocks.Waits;
import dev.headway.scheduler.encoder.RequestItems;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The one mutable object per request. Engine thread only. What a decode step needs is in {@link
 * RequestProgress}.
 *
 * <p>The prompt stays in the {@link Request}; outputs get their array at the first admission, sized
 * for all there can be, so that decoding allocates nothing and waiting costs nothing.
 */
public final class RequestState extends RequestProgress implements RequestView {

  private static final int[] NO_DRAFTS = {};
  private static final int NO_ADAPTER = 0;

  private Request request;
  private final long number;
  private long arrivalNs;
  private final long queuedNs;
  private int maxTokens;
  private int minTokens;
  private boolean endsOnTokens;
  private final int adapterId;
  private @Nullable RepetitionRule repetition;
  private int[] drafts = NO_DRAFTS;
  private @Nullable KvSequence kv;
  private @Nullable RequestItems items;

  /** The scheduler that made it; set once, right after construction. */
  public @Nullable Object owner;

  /**
   * The oldest of {@link #staleTokens}: their results are thrown away, the tokens of the others are
   * kept.
   */
  public int voidTokens;

  /** First step in which it may decode again. */
  public long nextDecodeStepId;

  /** Why a waiting request is not among those that may be admitted. */
  public enum Held {
    /** It is. */
    NO,
    /** Its LoRA adapter has no seat. */
    FOR_ADAPTER,
    /** The gate has deferred it. */
    FOR_GATE,
    /** Something outside the scheduler has not happened yet. */
    OUTSIDE
  }

  /** What it has as a session; null if it is none. */
  public @Nullable Session session;

  /** What it has to do with the KV connector; null before that was asked about it. */
  public @Nullable RemoteKv remote;

  /** Whether it is held back from admissions; set by the admission queue only. */
  public Held held = Held.NO;

  /** The latest hold that the admission gate has given it; null before the first. */
  public @Nullable Hold gateHold;

  /** Whether {@link #gateHold} is not over. */
  public boolean isHeldByGate;

  /** Its holds that are not over: bit i is the one at index i; see {@code core.Holds}. */
  public int pendingHolds;

  /** Why a hold of it can never be over; where that is reported late, as by vLLM. */
  public @Nullable Throwable holdFailure;

  /** What its outputs must look like; null if anything, or if that is not compiled yet. */
  public @Nullable Grammar grammar;

  /** The running and waiting requests of its adapter, itself among them; null if it has none. */
  public @Nullable AdapterCount adapterCount;

  /** Since when it has waited for its adapter to have a seat; {@code ABSENT} if it has not. */
  public long awaitsAdapterSinceNs = ABSENT;

  /** Whether it is in the line of those passed over. */
  public boolean passedOver;

  /** Its place in that line. */
  public long passedOverNumber;

  /** Step that admitted it last; 0 before the first. */
  public long admittedStepId;

  /** Whether it is counted among those in the middle of their prompt. */
  public boolean isPartialPrefill;

  /** Whether its prompt counts as long since its latest admission. */
  public boolean isLongPrefill;

  /** Tokens found in the prefix cache by the latest lookup before any preemption. */
  public int cachedTokens;

  /** Tokens that its latest admission found in the host tier only. */
  public int hostCachedTokens;

  /** Times preempted. */
  public int preemptions;

  /** Tokens computed when it was last preempted. */
  public int computedBeforePreemption;

  /** The most tokens that it had computed when it was preempted. */
  public int mostComputed;

  /** Whether it displaced a request and was not admitted in that step, nor since. */
  public boolean displacedInVain;

  /** Its own wait reason, or null if it follows the queue's; set by the wait ledger only. */
  public @Nullable WaitReason waitReason;

  /** Number of the request named as blocker with {@link #waitReason}, or -1. */
  public long blockerNumber = -1;

  /** Its waiting times by the ordinal of the reason; changed by the wait ledger only. */
  public final Waits waits = new Waits();

  /** Step in which {@link #waitReason} was last confirmed. */
  public long waitReasonStepId;

  /** Whether {@link #waitReason} holds without being confirmed in each step. */
  public boolean keepsWaitReason;

  /** Links of the FCFS queue; null outside it. */
  public @Nullable RequestState next;

  /** See {@link #next}. */
  public @Nullable RequestState previous;

  /** No position. */
  public static final int NOWHERE = -1;

  /** Position among those whose waiting may have changed since the latest plan. */
  public int changedIndex = NOWHERE;

  /** Position in the heap that orders it, or {@link #NOWHERE}. */
  public int heapIndex = NOWHERE;

  /** Position among those ranked, or passed over, in this step, or {@link #NOWHERE}. */
  public int windowIndex = NOWHERE;

  /** Its place in a static order, as its policy gave it. */
  public double orderKey;

  /** Its group, as its policy gave it. */
  public long orderGroup;

  /** Step in which it was last passed over. */
  public long passedOverStepId;

  /** Step in which a policy last asked for its cached prefix. */
  public long matchedStepId;

  /** Cached tokens found then. */
  public int matchedTokens;

  /**
   * Makes the state of a request that is about to wait.
   *
   * @param listener receives what it produces
   * @param number its position in the order of arrival
   */
  public RequestState(
      Request request, OutputListener listener, long number, long arrivalNs, long queuedNs) {
    super(request.promptTokens(), listener);
    this.request = request;
    this.number = number;
    this.arrivalNs = arrivalNs;
    this.queuedNs = queuedNs;
    this.maxTokens = request.stopRule().maxTokens();
    copyStopRule();
    final LoraAdapter lora = request.lora();
    this.adapterId = lora == null ? NO_ADAPTER : lora.id();
  }

  /** So that a decode step does not reach for the request's other objects. */
  private void copyStopRule() {
    final StopRule rule = request.stopRule();
    this.minTokens = rule.minTokens();
    this.endsOnTokens = rule.endsOnTokens();
    this.repetition = rule.repetitionRule().orElse(null);
  }

  /**
   * A session goes on with a new prompt, which begins with its computed tokens; it has no outputs.
   *
   * @param most outputs of the turn
   * @param arrivedNs when its input arrived
   */
  public void beginTurn(Request turn, int most, long arrivedNs, int maxModelLen) {
    request = turn;
    arrivalNs = arrivedNs;
    promptTokens = turn.promptTokens();
    knownTokens = promptTokens;
    maxTokens = most;
    copyStopRule();
    setLengthLimit(maxModelLen);
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

  /**
   * Finds out up to which length no stop rule has to be looked at.
   *
   * @param maxModelLen longest sequence, in tokens
   */
  public void setLengthLimit(int maxModelLen) {
    final boolean looksAtTokens =
        endsOnTokens
            || repetition != null
            || request.grammar() != null
            || request.forcedTokens() > 0;
    final long longest = Math.min((long) promptTokens + maxTokens, maxModelLen);
    plainUntilTokens = looksAtTokens ? 0 : (int) longest;
  }

  /** When a repetition ends it, or null. */
  public @Nullable RepetitionRule repetition() {
    return repetition;
  }

  /** Whether it runs with a LoRA adapter. */
  public boolean hasAdapter() {
    return adapterId != NO_ADAPTER;
  }

  /** The executor's number of its adapter. */
  public int adapterId() {
    return adapterId;
  }

  /** Sets the draft tokens of the next step. */
  public void setDrafts(int[] tokenIds, int count) {
    if (drafts.length < count) {
      drafts = new int[count];
    }
    System.arraycopy(tokenIds, 0, drafts, 0, count);
    pendingDrafts = count;
  }

  /** Sets {@code count} draft tokens that only the executor has. */
  public void setDraftsOnDevice(int count) {
    if (drafts.length < count) {
      drafts = new int[count];
    }
    Arrays.fill(drafts, 0, count, DraftTokens.ON_DEVICE);
    pendingDrafts = count;
  }

  /** Copies the first {@code count} pending drafts. */
  public void copyDrafts(int[] target, int offset, int count) {
    System.arraycopy(drafts, 0, target, offset, count);
  }

  /** Tokens computed or scheduled before step {@code stepId}, the one being planned. */
  public int computedBefore(long stepId) {
    return computedTokens - (lastStepId == stepId ? plannedTokens : 0);
  }

  /** Gives the request its block table, once. */
  public void attach(KvSequence sequence) {
    kv = sequence;
  }

  /** Gives the request its items, if the encoder computes any; a session all it has by now. */
  public void attach(RequestItems encoded) {
    items = encoded;
  }

  /** Whether it has items that the encoder computes. */
  public boolean hasItems() {
    return items != null;
  }

  /** Its items that the encoder computes. */
  public RequestItems items() {
    if (items == null) {
      throw new IllegalStateException("no items: id=" + id());
    }
    return items;
  }

  /** Takes over what decode steps need to know of the block tables, after they have changed. */
  public void noteBlocks() {
    allocatedThrough = kv().allocatedThrough();
    tableBlocks = kv().blockCount(0);
  }

  /** The block table. */
  public KvSequence kv() {
    if (kv == null) {
      throw new IllegalStateException("no block table yet: id=" + id());
    }
    return kv;
  }

  /** Makes room for so many outputs and pending drafts; called at the first admission of a turn. */
  public void reserve(int maxOutputs, int maxDrafts) {
    if (outputs.length < maxOutputs) {
      outputs = Arrays.copyOf(outputs, maxOutputs);
    }
    if (drafts.length < maxDrafts) {
      drafts = new int[maxDrafts];
    }
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
    return outputCount();
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
  public int hostCachedTokens() {
    return hostCachedTokens;
  }

  @Override
  public int externalCachedTokens() {
    return remote == null ? 0 : remote.cachedTokens;
  }

  @Override
  public int inFlightTokens() {
    return inFlightTokens;
  }

  @Override
  public int kvBlocks() {
    final KvSequence tables = kv();
    int blocks = 0;
    for (int group = 0; group < tables.groupCount(); group++) {
      blocks += tables.blockCount(group);
    }
    return blocks;
  }

  @Override
  public int sharedPrefixTokens() {
    return kv().sharedPrefixTokens();
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

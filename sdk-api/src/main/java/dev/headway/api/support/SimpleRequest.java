package dev.headway.api.support;

import dev.headway.api.kvcache.KvSequence;
import dev.headway.api.request.FinishReason;
import dev.headway.api.request.Request;
import dev.headway.api.request.RequestStatus;
import dev.headway.api.request.RequestView;
import dev.headway.api.request.StopRule;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Scheduler-side state of a request: its tokens and its progress. The setters check nothing. Engine
 * thread only; allocates when outputs outgrow their array.
 */
public class SimpleRequest implements RequestView {

  private final Request request;
  private final long number;
  private final long arrivalNs;
  private final long queuedNs;
  private RequestStatus status = RequestStatus.WAITING;
  private int[] outputs = new int[16];
  private int outputCount;
  private int computedTokens;
  private int cachedTokens;
  private int inFlightTokens;
  private int preemptions;
  private @Nullable KvSequence kv;

  /**
   * Makes a waiting request.
   *
   * @param number position in the order of arrival, from 0
   * @param arrivalNs instant of submission
   * @param queuedNs instant at which it entered the waiting queue, >= arrivalNs
   */
  public SimpleRequest(Request request, long number, long arrivalNs, long queuedNs) {
    this.request = request;
    this.number = number;
    this.arrivalNs = arrivalNs;
    this.queuedNs = queuedNs;
  }

  /** Sets its block tables; null for none. */
  public final void kv(@Nullable KvSequence sequence) {
    kv = sequence;
  }

  /**
   * Its block tables.
   *
   * @throws IllegalStateException if none were set
   */
  public final KvSequence kv() {
    if (kv == null) {
      throw new IllegalStateException("the request must have block tables: id=" + id());
    }
    return kv;
  }

  /** Sets {@link #status()}. */
  public final void status(RequestStatus value) {
    status = value;
  }

  /** Sets {@link #computedTokens()}. */
  public final void computedTokens(int tokens) {
    computedTokens = tokens;
  }

  /** Sets {@link #cachedTokens()}. */
  public final void cachedTokens(int tokens) {
    cachedTokens = tokens;
  }

  /** Sets {@link #inFlightTokens()}. */
  public final void inFlightTokens(int tokens) {
    inFlightTokens = tokens;
  }

  /** Sets {@link #preemptions()}. */
  public final void preemptions(int count) {
    preemptions = count;
  }

  /** Appends an output token. */
  public final void append(int tokenId) {
    if (outputCount == outputs.length) {
      outputs = Arrays.copyOf(outputs, 2 * outputs.length);
    }
    outputs[outputCount++] = tokenId;
  }

  /**
   * Returns how the request ends with {@code tokenId}, its latest output, or null: by its stop
   * rule's tokens and lengths, or because the context is full. Repetition rules are ignored.
   *
   * @param maxModelLen longest context, in tokens
   */
  public final @Nullable FinishReason endWith(int tokenId, int maxModelLen) {
    final StopRule rule = request.stopRule();
    if (outputCount < rule.minTokens()) {
      return null;
    }
    if (rule.isEos(tokenId) || rule.isStopToken(tokenId)) {
      return FinishReason.STOP;
    }
    return outputCount >= rule.maxTokens() || knownTokens() >= maxModelLen
        ? FinishReason.LENGTH
        : null;
  }

  @Override
  public final Request request() {
    return request;
  }

  @Override
  public final long number() {
    return number;
  }

  @Override
  public final RequestStatus status() {
    return status;
  }

  @Override
  public final long arrivalNs() {
    return arrivalNs;
  }

  @Override
  public final long queuedNs() {
    return queuedNs;
  }

  @Override
  public final int knownTokens() {
    return request.promptTokens() + outputCount;
  }

  @Override
  public final int computedTokens() {
    return computedTokens;
  }

  @Override
  public final int cachedTokens() {
    return cachedTokens;
  }

  @Override
  public final int inFlightTokens() {
    return inFlightTokens;
  }

  @Override
  public int kvBlocks() {
    int blocks = 0;
    if (kv != null) {
      for (int group = 0; group < kv.groupCount(); group++) {
        blocks += kv.blockCount(group);
      }
    }
    return blocks;
  }

  @Override
  public int sharedPrefixTokens() {
    return kv == null ? 0 : kv.sharedPrefixTokens();
  }

  @Override
  public final int preemptions() {
    return preemptions;
  }

  @Override
  public final int tokenId(int position) {
    final int prompt = request.promptTokens();
    return position < prompt ? request.promptTokenId(position) : outputs[position - prompt];
  }

  @Override
  public final void copyTokenIds(int from, int[] target, int offset, int length) {
    for (int i = 0; i < length; i++) {
      target[offset + i] = tokenId(from + i);
    }
  }

  @Override
  public String toString() {
    return id() + "[known=" + knownTokens() + ", computed=" + computedTokens + "]";
  }
}

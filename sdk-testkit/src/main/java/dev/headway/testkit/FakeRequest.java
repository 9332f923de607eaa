package dev.headway.testkit;

import dev.headway.api.request.Request;
import dev.headway.api.request.RequestStatus;
import dev.headway.api.request.RequestView;
import java.util.Arrays;

/**
 * A request in memory whose figures a test sets: every setter has the name of what it sets and
 * returns the request. A new one has just arrived: it waits, has its prompt only, and all counts
 * are 0.
 *
 * <p>Not thread-safe; reading allocates nothing.
 */
public final class FakeRequest implements RequestView {

  private final Request request;
  private final long number;
  private int[] tokens;
  private RequestStatus status = RequestStatus.WAITING;
  private long arrivalNs;
  private long queuedNs;
  private int computedTokens;
  private int cachedTokens;
  private int hostCachedTokens;
  private int inFlightTokens;
  private int kvBlocks;
  private int sharedPrefixTokens;
  private int preemptions;
  private int cachedPrefixTokens;

  /** Makes a request, the {@code number}th to arrive. */
  public FakeRequest(long number, Request request) {
    this.number = number;
    this.request = request;
    tokens = new int[request.promptTokens()];
    request.copyPromptTokenIds(0, tokens, 0, tokens.length);
  }

  /** A request that arrived as number {@code number} and asks for {@code request}. */
  public static FakeRequest of(long number, Request request) {
    return new FakeRequest(number, request);
  }

  /** Request number 0 with this prompt, for 100 tokens at most. */
  public static FakeRequest of(String id, int... prompt) {
    return of(0, Request.builder(id, prompt).maxTokens(100).build());
  }

  /** A request named {@code r<number>} with this prompt and 16 outputs at most. */
  public static FakeRequest of(long number, int... prompt) {
    return of(number, Request.builder("r" + number, prompt).maxTokens(16).build());
  }

  /** A request named {@code r<number>} with a prompt of zeros. */
  public static FakeRequest numbered(long number, int promptTokens, int maxTokens) {
    return of(
        number, Request.builder("r" + number, new int[promptTokens]).maxTokens(maxTokens).build());
  }

  /** Runs, with so many tokens computed. */
  public FakeRequest running(int computed) {
    return status(RequestStatus.RUNNING).computedTokens(computed);
  }

  /** Adds outputs to its tokens. */
  public FakeRequest append(int... outputs) {
    final int from = tokens.length;
    tokens = Arrays.copyOf(tokens, from + outputs.length);
    System.arraycopy(outputs, 0, tokens, from, outputs.length);
    return this;
  }

  /** Sets how many outputs it has; those that are new are zeros. */
  public FakeRequest outputTokens(int count) {
    tokens = Arrays.copyOf(tokens, promptTokens() + count);
    return this;
  }

  /** Sets its status. */
  public FakeRequest status(RequestStatus status) {
    this.status = status;
    return this;
  }

  /** Sets its instants of submission and of entering the queue. */
  public FakeRequest arrived(long arrivalNs, long queuedNs) {
    this.arrivalNs = arrivalNs;
    this.queuedNs = queuedNs;
    return this;
  }

  /** Sets the tokens computed or scheduled. */
  public FakeRequest computedTokens(int tokens) {
    computedTokens = tokens;
    return this;
  }

  /** Sets the tokens found in the prefix cache. */
  public FakeRequest cachedTokens(int tokens) {
    cachedTokens = tokens;
    return this;
  }

  /** Sets the tokens found in the host tier only. */
  public FakeRequest hostCachedTokens(int tokens) {
    hostCachedTokens = tokens;
    return this;
  }

  /** Sets the tokens scheduled and not taken over yet. */
  public FakeRequest inFlightTokens(int tokens) {
    inFlightTokens = tokens;
    return this;
  }

  /** Sets the KV blocks held. */
  public FakeRequest kvBlocks(int blocks) {
    kvBlocks = blocks;
    return this;
  }

  /** Sets the tokens that others can find. */
  public FakeRequest sharedPrefixTokens(int tokens) {
    sharedPrefixTokens = tokens;
    return this;
  }

  /** Sets how often it was preempted. */
  public FakeRequest preemptions(int count) {
    preemptions = count;
    return this;
  }

  /** Sets what the prefix cache would give it while it waits. */
  public FakeRequest cachedPrefixTokens(int tokens) {
    cachedPrefixTokens = tokens;
    return this;
  }

  /** What the prefix cache would give it while it waits. */
  public int cachedPrefixTokens() {
    return cachedPrefixTokens;
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
  public int knownTokens() {
    return tokens.length;
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
  public int inFlightTokens() {
    return inFlightTokens;
  }

  @Override
  public int kvBlocks() {
    return kvBlocks;
  }

  @Override
  public int sharedPrefixTokens() {
    return sharedPrefixTokens;
  }

  @Override
  public int preemptions() {
    return preemptions;
  }

  @Override
  public int tokenId(int position) {
    return tokens[position];
  }

  @Override
  public void copyTokenIds(int from, int[] target, int offset, int length) {
    System.arraycopy(tokens, from, target, offset, length);
  }

  @Override
  public String toString() {
    return "FakeRequest[id=" + id() + ", known=" + tokens.length + "]";
  }
}

package dev.headway.testkit.policy;

import dev.headway.api.request.Request;
import dev.headway.api.request.RequestStatus;
import dev.headway.api.request.RequestView;

/** A request in memory, for tests of policies. Not thread-safe; reading allocates nothing. */
public final class SampleRequest implements RequestView {

  private final Request request;
  private final long number;
  private final long arrivalNs;

  RequestStatus status;
  int knownTokens;
  int computedTokens;
  int cachedTokens;
  int kvBlocks;
  int preemptions;

  /** What the prefix cache would give the request while it waits. */
  int cachedPrefixTokens;

  private SampleRequest(Builder builder) {
    request = builder.request;
    number = builder.number;
    arrivalNs = builder.arrivalNs;
    status = builder.status;
    knownTokens = request.promptTokens() + builder.outputTokens;
    computedTokens = builder.computedTokens;
    kvBlocks = builder.kvBlocks;
    preemptions = builder.preemptions;
    cachedPrefixTokens = builder.cachedPrefixTokens;
  }

  /** Starts a waiting request that asks for {@code request}. */
  public static Builder of(Request request, long number) {
    return new Builder(request, number);
  }

  /** Starts a waiting request named after its number, with a prompt of zeros. */
  public static Builder numbered(long number, int promptTokens, int maxTokens) {
    return of(
        Request.builder("r" + number, new int[promptTokens]).maxTokens(maxTokens).build(), number);
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
    return arrivalNs;
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
    return kvBlocks;
  }

  @Override
  public int sharedPrefixTokens() {
    return 0;
  }

  @Override
  public int preemptions() {
    return preemptions;
  }

  @Override
  public int tokenId(int position) {
    return position < request.promptTokens() ? request.promptTokenId(position) : 0;
  }

  @Override
  public void copyTokenIds(int from, int[] target, int offset, int length) {
    for (int position = 0; position < length; position++) {
      target[offset + position] = tokenId(from + position);
    }
  }

  @Override
  public String toString() {
    return id() + "[known=" + knownTokens + ", computed=" + computedTokens + "]";
  }

  /** Collects what a request is like. Not thread-safe. */
  public static final class Builder {

    private final Request request;
    private final long number;
    private long arrivalNs;
    private RequestStatus status = RequestStatus.WAITING;
    private int outputTokens;
    private int computedTokens;
    private int kvBlocks;
    private int preemptions;
    private int cachedPrefixTokens;

    private Builder(Request request, long number) {
      this.request = request;
      this.number = number;
    }

    /** Instant of arrival, also in the queue; 0 unless set. */
    public Builder arrivalNs(long arrivalNs) {
      this.arrivalNs = arrivalNs;
      return this;
    }

    /** {@link RequestStatus#WAITING} unless set. */
    public Builder status(RequestStatus status) {
      this.status = status;
      return this;
    }

    /** Tokens generated so far; 0 unless set. */
    public Builder outputTokens(int outputTokens) {
      this.outputTokens = outputTokens;
      return this;
    }

    /** Tokens computed; 0 unless set. */
    public Builder computedTokens(int computedTokens) {
      this.computedTokens = computedTokens;
      return this;
    }

    /** KV blocks held; 0 unless set. */
    public Builder kvBlocks(int kvBlocks) {
      this.kvBlocks = kvBlocks;
      return this;
    }

    /** How often it was preempted; 0 unless set. */
    public Builder preemptions(int preemptions) {
      this.preemptions = preemptions;
      return this;
    }

    /** What the prefix cache would give it while it waits; 0 unless set. */
    public Builder cachedPrefixTokens(int cachedPrefixTokens) {
      this.cachedPrefixTokens = cachedPrefixTokens;
      return this;
    }

    /** Returns the request. */
    public SampleRequest build() {
      return new SampleRequest(this);
    }
  }
}

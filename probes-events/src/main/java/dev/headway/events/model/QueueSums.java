package dev.headway.events.model;

/**
 * Sums over the requests in the queue and over those admitted, updated incrementally, so that no
 * scan over the requests is needed. One thread.
 */
public final class QueueSums {

  private final TokenMoments neverAdmitted = new TokenMoments();
  private final TokenMoments preempted = new TokenMoments();
  private long owedTokens;

  QueueSums() {}

  /** Starts with all sums at 0. */
  public static QueueSums empty() {
    return new QueueSums();
  }

  /** Prompt tokens of the requests in the queue that were never admitted. */
  public TokenMoments neverAdmitted() {
    return neverAdmitted;
  }

  /** Known tokens, prompt and outputs, of the preempted requests in the queue. */
  public TokenMoments preempted() {
    return preempted;
  }

  /** Known tokens of all requests in the queue. */
  public long waitingTokens() {
    return neverAdmitted.sum() + preempted.sum();
  }

  /** Outputs that the admitted requests may still generate. */
  public long owedTokens() {
    return owedTokens;
  }

  void add(RequestTimeline request) {
    switch (request.phase()) {
      case WAITING -> neverAdmitted.add(request.knownTokens());
      case PREEMPTED -> preempted.add(request.knownTokens());
      case PREFILL, RECOMPUTE, DECODE -> owedTokens += request.owedTokens();
      case ENDED -> {}
    }
  }

  void remove(RequestTimeline request) {
    switch (request.phase()) {
      case WAITING -> neverAdmitted.remove(request.knownTokens());
      case PREEMPTED -> preempted.remove(request.knownTokens());
      case PREFILL, RECOMPUTE, DECODE -> owedTokens -= request.owedTokens();
      case ENDED -> {}
    }
  }
}

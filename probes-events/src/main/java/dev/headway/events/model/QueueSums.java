package dev.headway.events.model;

/**
 * Sums over the requests in the queue and over those admitted, kept as requests come, go and get
 * tokens, so that nobody has to look at them all. One thread.
 */
public final class QueueSums {

  private final TokenMoments neverAdmitted = new TokenMoments();
  private final TokenMoments preempted = new TokenMoments();
  private long owedTokens;

  QueueSums() {}

  /** Sums over nothing. */
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

  /** Outputs that the admitted requests may still ask for. */
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

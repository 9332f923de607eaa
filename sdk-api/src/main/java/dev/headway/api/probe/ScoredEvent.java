package dev.headway.api.probe;

/**
 * A decision: a policy has ranked a waiting request. One event for every candidate of every step
 * that ranks, so only for probes with {@link ProbeInterest#SCORES}.
 */
public interface ScoredEvent extends RequestEvent {

  /** Its score: the smallest is considered first. */
  double score();
}

package dev.headway.api.policy;

import dev.headway.api.request.RequestView;

/** Waiting requests to be scored, by arrival, preempted ones first. Valid during the call. */
public interface Candidates {

  /** Number of candidates, >= 1. */
  int size();

  /** Returns candidate {@code index} in [0, size). */
  RequestView request(int index);
}

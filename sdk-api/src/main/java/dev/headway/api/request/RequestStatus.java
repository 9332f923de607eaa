package dev.headway.api.request;

/** Scheduling state of a request. */
public enum RequestStatus {
  /** In the waiting queue and never scheduled so far. */
  WAITING,
  /** Holds a seat and KV blocks; some steps may still give it no tokens. */
  RUNNING,
  /** Back in the waiting queue: its KV blocks were released and its progress rewound. */
  PREEMPTED,
  /** Ended; see {@link FinishReason}. */
  FINISHED
}

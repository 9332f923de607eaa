package dev.headway.probes.otel.metric;

import dev.headway.events.model.RequestTimeline;
import dev.headway.events.model.StepTimeline;

/** Metrics of a run under one engine's names. One thread. */
interface EngineMeter {

  /**
   * Requests that run and wait.
   *
   * @param waiting all that wait, those deferred and those preempted included
   * @param deferred those that were examined and passed over
   */
  void occupied(int running, int waiting, int deferred);

  /** KV blocks in use as of a plan. */
  void blocks(int used, int usable);

  /** No request is left, and no block is held. */
  void idle();

  /** A first admission has looked into the prefix cache; the figures are the request's. */
  void lookedUp(RequestTimeline request);

  /** What the device lacks was looked up in host memory, or by a KV connector. */
  default void lookedUpOutside(RequestTimeline request) {}

  /** A request was preempted. */
  void preempted();

  /** A plan was made; what it admitted and preempted was reported before. */
  void planned(StepTimeline step);

  /** A step is complete. */
  void completed(StepTimeline step);

  /** The first token of a request is available. */
  void firstToken(RequestTimeline request);

  /** A step produced tokens of a request, {@code gapNs} after those before. */
  void tokens(int tokens, long gapNs);

  /** A request has ended, for {@code reason} in our words, and its last records are known. */
  void finished(RequestTimeline request, String reason);
}

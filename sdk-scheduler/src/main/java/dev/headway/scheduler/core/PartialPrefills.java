package dev.headway.scheduler.core;

import dev.headway.api.config.SchedulerConfig;
import dev.headway.scheduler.queue.RunningList;
import dev.headway.scheduler.state.RequestState;
import org.jspecify.annotations.Nullable;

/**
 * The running requests in the middle of their prompt, of which there may be only so many. Counted
 * as they change, so that an admission looks at two numbers.
 *
 * <p>Source: vLLM's {@code max_num_partial_prefills} and {@code max_long_partial_prefills}, which
 * its release 0.28 no longer has.
 */
final class PartialPrefills {

  private final int most;
  private final int mostLong;
  private final int threshold;
  private int count;
  private int longOnes;

  private PartialPrefills(SchedulerConfig config) {
    most = orAny(config.maxNumPartialPrefills());
    mostLong = orAny(config.maxLongPartialPrefills());
    threshold = orAny(config.longPrefillTokenThreshold());
  }

  private static int orAny(int limit) {
    return limit == 0 ? Integer.MAX_VALUE : limit;
  }

  /** Counts those that run already; returns null if there is no limit. */
  static @Nullable PartialPrefills of(SchedulerConfig config, RunningList running) {
    if (config.maxNumPartialPrefills() == 0 && config.maxLongPartialPrefills() == 0) {
      return null;
    }
    final PartialPrefills partials = new PartialPrefills(config);
    for (int i = 0; i < running.size(); i++) {
      final RequestState request = running.get(i);
      partials.admitted(request, request.knownTokens - request.computedTokens);
      partials.planned(request);
    }
    return partials;
  }

  /** Whether a prompt with so many tokens to compute must wait for another long one. */
  boolean refusesLong(int missing) {
    return missing > threshold && longOnes >= mostLong;
  }

  /** Whether the step must not compute only {@code tokens} of them. */
  boolean refusesPart(int missing, int tokens) {
    return tokens < missing && count >= most;
  }

  /** A request is admitted with so many tokens to compute. */
  void admitted(RequestState request, int missing) {
    request.isLongPrefill = missing > threshold;
    request.isPartialPrefill = false;
  }

  /** The tokens of a running request are planned. */
  void planned(RequestState request) {
    if (request.prefillChunk != request.isPartialPrefill) {
      request.isPartialPrefill = request.prefillChunk;
      add(request, request.prefillChunk ? 1 : -1);
    }
  }

  /** A request does not run any more. */
  void left(RequestState request) {
    if (request.isPartialPrefill) {
      request.isPartialPrefill = false;
      add(request, -1);
    }
  }

  private void add(RequestState request, int change) {
    count += change;
    longOnes += request.isLongPrefill ? change : 0;
  }
}

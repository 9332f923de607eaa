package dev.headway.routing.policy.builtin;

import dev.headway.routing.policy.RoutingRequest;
import dev.headway.routing.policy.Worker;
import dev.headway.routing.policy.WorkerSet;

/**
 * The workers that a request may go to, with what each is believed to have of its prompt.
 *
 * @param matched units of the prompt, by worker
 * @param pending what the workers are expected to be doing
 */
@SuppressWarnings("ArrayRecordComponent") // passed on, never compared
record PrefixCandidates(
    RoutingRequest request, WorkerSet workers, int[] matched, PendingTokens pending) {

  int size() {
    return workers.size();
  }

  Worker get(int index) {
    return workers.get(index);
  }

  int cachedTokens(int index) {
    return CachedTokens.of(request, matched[index]);
  }
}

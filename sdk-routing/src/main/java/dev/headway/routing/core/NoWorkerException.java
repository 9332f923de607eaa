package dev.headway.routing.core;

import dev.headway.routing.policy.RoutingDecision;
import dev.headway.routing.policy.WorkerSet;
import java.io.Serial;
import java.util.StringJoiner;

/** No worker can take a request; the message says why not, for each. Without a stack trace. */
public final class NoWorkerException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1L;

  private final transient RoutingDecision decision;

  NoWorkerException(RoutingDecision decision) {
    super(messageOf(decision), null, false, false);
    this.decision = decision;
  }

  /** The decision that found none. */
  public RoutingDecision decision() {
    return decision;
  }

  private static String messageOf(RoutingDecision decision) {
    final WorkerSet workers = decision.workers();
    if (workers.isEmpty()) {
      return "no worker can take the request: no workers are registered";
    }
    final StringJoiner each = new StringJoiner(", ", "no worker can take the request: ", "");
    for (int i = 0; i < workers.size(); i++) {
      final String refusal = decision.refusal(i);
      each.add(
          workers.get(i).id() + "=" + (refusal == null ? "not chosen by the policy" : refusal));
    }
    return each.toString();
  }
}

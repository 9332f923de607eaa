package dev.headway.faultsim.simulation;

import dev.headway.api.config.QueuePolicy;
import dev.headway.api.probe.PreemptedEvent;
import dev.headway.api.request.RequestView;
import dev.headway.api.schedule.PreemptionCause;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * The law of preemptions, without which policies can make two requests preempt each other for ever:
 * for want of blocks goes whom the queue's own rule names, or who has computed more than it had
 * when it was preempted before.
 */
final class VictimCheck {

  private static final Comparator<RequestView> IMPORTANCE =
      Comparator.comparingInt(RequestView::priority)
          .thenComparingLong(RequestView::arrivalNs)
          .thenComparing(RequestView::id);

  private final RuleBook rules;
  private final boolean isByPriority;

  /** In the order of admission. */
  private final List<RequestView> running = new ArrayList<>();

  VictimCheck(RuleBook rules, QueuePolicy queue) {
    this.rules = rules;
    isByPriority = queue == QueuePolicy.PRIORITY;
  }

  /** Requests that run, by the decisions so far. */
  int running() {
    return running.size();
  }

  void admitted(RequestView view) {
    running.add(view);
  }

  void ended(RequestView view) {
    running.remove(view);
  }

  void preempted(PreemptedEvent event, TrackedRequest request) {
    final RequestView view = event.request();
    if (event.cause() == PreemptionCause.KV_BLOCKS
        && event.lostTokens() <= request.mostComputed
        && view.number() != defaultVictim().number()) {
      rules.violate(
          Rule.VICTIMS,
          "a policy must not preempt what has computed nothing new: "
              + request
              + ", computedTokens="
              + event.lostTokens()
              + ", before="
              + request.mostComputed
              + ", running="
              + running);
    }
    final boolean ran = running.remove(view); // otherwise it gave back what was loaded for it
    if (ran
        && event.cause() != PreemptionCause.CACHE_RESET
        && event.cause() != PreemptionCause.SESSION) { // its turn is over
      request.mostComputed = Math.max(request.mostComputed, event.lostTokens());
    }
    if (view.computedTokens() != 0 || view.kvBlocks() != 0) {
      rules.violate(
          Rule.VICTIMS,
          "a preempted request must have nothing computed and hold no block: "
              + request
              + ", computedTokens="
              + view.computedTokens()
              + ", kvBlocks="
              + view.kvBlocks());
    }
  }

  private RequestView defaultVictim() {
    RequestView victim = running.getLast();
    if (isByPriority) {
      for (int i = 0; i < running.size(); i++) {
        victim = IMPORTANCE.compare(running.get(i), victim) > 0 ? running.get(i) : victim;
      }
    }
    return victim;
  }
}

package dev.headway.router.span;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.routing.policy.RoutingDecision;
import dev.headway.routing.policy.RoutingDecision.Scores;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.AttributesBuilder;
import java.util.ArrayList;
import java.util.List;

/** A decision as attributes of its attempt's span: what was chosen and why, and the next best. */
final class DecisionAttributes {

  private DecisionAttributes() {}

  static void put(RoutingDecision decision, AttributesBuilder to) {
    to.put(RoutingSpanNames.POLICY, decision.policy())
        .put(RoutingSpanNames.BRANCH, decision.branch().label())
        .put(RoutingSpanNames.CANDIDATES, (long) decision.candidates())
        .put(RoutingSpanNames.DECISION_NS, decision.costNs())
        .put(RoutingSpanNames.MIN_LOAD, (long) decision.minLoad())
        .put(RoutingSpanNames.MAX_LOAD, (long) decision.maxLoad())
        .put(RoutingSpanNames.PROMPT_UNITS, (long) decision.promptUnits());
    final List<String> refused = refused(decision);
    if (!refused.isEmpty()) {
      to.put(RoutingSpanNames.REFUSED, refused);
    }
    final int chosen = decision.chosen();
    if (chosen < 0) {
      return;
    }
    to.put(RoutingSpanNames.WORKER, decision.workers().get(chosen).id())
        .put(RoutingSpanNames.LOAD, (long) decision.load(chosen))
        .put(RoutingSpanNames.MATCHED_UNITS, (long) decision.matchedUnits(chosen));
    if (decision.signalAgeNs(chosen) != ABSENT) {
      to.put(RoutingSpanNames.SIGNAL_AGE_NS, decision.signalAgeNs(chosen));
    }
    if (!decision.scores().isEmpty()) {
      scores(decision, to);
    }
  }

  private static void scores(RoutingDecision decision, AttributesBuilder to) {
    number(RoutingSpanNames.TOTAL, decision.total(decision.chosen()), to);
    final int other = bestOther(decision);
    if (other >= 0) {
      to.put(RoutingSpanNames.OTHER, decision.workers().get(other).id());
      number(RoutingSpanNames.OTHER_TOTAL, decision.total(other), to);
    }
    for (Scores each : decision.scores()) {
      number(RoutingSpanNames.score(each.scorer()), each.value(decision.chosen()), to);
      if (other >= 0) {
        number(RoutingSpanNames.otherScore(each.scorer()), each.value(other), to);
      }
    }
  }

  /** Of the scored candidates that were not chosen, the first of the greatest sum; -1 for none. */
  private static int bestOther(RoutingDecision decision) {
    int best = -1;
    for (int place = 0; place < decision.workers().size(); place++) {
      if (place != decision.chosen()
          && decision.refusal(place) == null
          && !Double.isNaN(decision.total(place))
          && (best < 0 || decision.total(place) > decision.total(best))) {
        best = place;
      }
    }
    return best;
  }

  private static void number(AttributeKey<Double> key, double value, AttributesBuilder to) {
    if (Double.isFinite(value)) { // JSON has no others
      to.put(key, value);
    }
  }

  private static List<String> refused(RoutingDecision decision) {
    final List<String> refused = new ArrayList<>();
    for (int place = 0; place < decision.workers().size(); place++) {
      if (decision.refusal(place) != null) {
        refused.add(decision.workers().get(place).id() + "=" + decision.refusal(place));
      }
    }
    return refused;
  }
}

package dev.headway.report.explain;

import dev.headway.events.model.RequestTimeline;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The scores that a policy gave the candidates of one step, to rank one of them. */
final class StepScores {

  private final RequestTimeline request;
  private Map<RequestTimeline, Double> scores = new HashMap<>();

  /** Ranks {@code request}. */
  StepScores(RequestTimeline request) {
    this.request = request;
  }

  void add(RequestTimeline candidate, double score) {
    scores.put(candidate, score);
  }

  /** The step is planned. */
  void clear() {
    if (!scores.isEmpty()) {
      scores = new HashMap<>(); // clearing would cost as much as the largest step did
    }
  }

  /** Its rank among the candidates of the step, or null if it was not ranked. */
  Ranks.@Nullable Rank rank(long stepId) {
    final Double own = scores.get(request);
    if (own == null) {
      return null;
    }
    int rank = 1;
    RequestTimeline leader = request;
    double best = own;
    for (Map.Entry<RequestTimeline, Double> candidate : scores.entrySet()) {
      final RequestTimeline other = candidate.getKey();
      final double score = candidate.getValue();
      if (isAhead(other, score, request, own)) {
        rank++;
      }
      if (isAhead(other, score, leader, best)) {
        leader = other;
        best = score;
      }
    }
    return new Ranks.Rank(stepId, rank, scores.size(), own, RequestName.of(leader), best);
  }

  private static boolean isAhead(
      RequestTimeline one, double score, RequestTimeline other, double otherScore) {
    return score < otherScore || (score == otherScore && one.number() < other.number());
  }
}

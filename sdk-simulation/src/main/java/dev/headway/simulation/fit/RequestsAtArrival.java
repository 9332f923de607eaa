package dev.headway.simulation.fit;

import dev.headway.simulation.calibrate.TimedRequest;
import dev.headway.simulation.regression.Feature;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;

/**
 * What a client knows of its requests when it sends the next: those without a first token yet,
 * those that have one and go on, and what the new one repeats of earlier ones. Requests that failed
 * are not in it, since nothing says when the server was rid of them. One thread.
 */
final class RequestsAtArrival {

  private final PriorityQueue<TimedRequest> waiting =
      new PriorityQueue<>(Comparator.comparingLong(RequestsAtArrival::firstTokenNs));
  private final PriorityQueue<TimedRequest> running =
      new PriorityQueue<>(Comparator.comparingLong(RequestsAtArrival::endNs));
  private final Map<String, Integer> tokensBySession = new HashMap<>();
  private final Set<String> groups = new HashSet<>();
  private long waitingTokens;
  private long runningTokens;

  static Feature[] features() {
    return new Feature[] {
      Feature.free("constant", ""),
      Feature.free("prompt_tokens", "tokens"),
      Feature.free("waiting_depth", "requests"),
      Feature.free("waiting_tokens", "tokens"),
      Feature.free("running_depth", "requests"),
      Feature.free("running_prompt_tokens", "tokens"),
      Feature.free("session_prompt_tokens", "tokens"),
      Feature.free("group_prompt_tokens", "tokens"),
    };
  }

  /** The features of a request, which then counts for the next; ask in the order of arrival. */
  double[] next(TimedRequest request) {
    passUntil(request.arrivalNs());
    final double[] features = {
      1,
      request.inputTokens(),
      waiting.size(),
      waitingTokens,
      running.size(),
      runningTokens,
      ofSession(request),
      ofGroup(request)
    };
    waiting.add(request);
    waitingTokens += request.inputTokens();
    return features;
  }

  private void passUntil(long nowNs) {
    for (TimedRequest head = waiting.peek();
        head != null && firstTokenNs(head) <= nowNs;
        head = waiting.peek()) {
      running.add(waiting.remove());
      waitingTokens -= head.inputTokens();
      runningTokens += head.inputTokens();
    }
    for (TimedRequest head = running.peek();
        head != null && endNs(head) <= nowNs;
        head = running.peek()) {
      running.remove();
      runningTokens -= head.inputTokens();
    }
  }

  /** Of its prompt, what the request before it in its session had, answer included. */
  private int ofSession(TimedRequest request) {
    if (request.session() == null) {
      return 0;
    }
    final Integer before =
        tokensBySession.put(request.session(), request.inputTokens() + request.outputTokens());
    return before == null ? 0 : Math.min(before, request.inputTokens());
  }

  /** Its prompt, if one of its group was sent before: how much of it is common is fitted. */
  private int ofGroup(TimedRequest request) {
    return request.prefixGroup() == null || groups.add(request.prefixGroup())
        ? 0
        : request.inputTokens();
  }

  private static long firstTokenNs(TimedRequest request) {
    return request.arrivalNs() + request.ttftNs();
  }

  private static long endNs(TimedRequest request) {
    return request.arrivalNs() + request.endToEndNs();
  }
}

package dev.headway.spring.boot;

import dev.headway.events.reason.WaitPhrases;
import dev.headway.probes.dashboard.state.RequestDigest;
import dev.headway.probes.dashboard.state.RequestLookup;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What waits now. Immutable.
 *
 * @param running requests admitted
 * @param waiting requests in the queue
 * @param waitingFor those by what must change for them, the most first
 * @param first of the queue, in its order
 * @param droppedRecords events that were lost because their reader was too slow: the rest may be
 *     incomplete
 */
record QueueAnswer(
    int running, int waiting, List<Reason> waitingFor, List<Waiting> first, long droppedRecords) {

  /**
   * What some wait for.
   *
   * @param meaning the reason, in words
   */
  record Reason(String reason, String meaning, int requests) {}

  /**
   * A request in the queue.
   *
   * @param reason what it waits for; null before a step has considered it
   * @param meaning the same, in words
   * @param blocker id of the request ahead that it waits behind, or null
   * @param inQueueNs how long it has been in the queue this time
   */
  record Waiting(
      String id,
      @Nullable String tenant,
      @Nullable String reason,
      @Nullable String meaning,
      @Nullable String blocker,
      long inQueueNs,
      int promptTokens,
      int preemptions) {

    static Waiting of(RequestDigest request, Map<String, String> settings) {
      final String reason = request.waitsFor();
      return new Waiting(
          request.id(),
          request.tenant(),
          reason,
          reason == null ? null : WaitPhrases.meaning(reason, settings),
          request.blocker(),
          request.stayNs(),
          request.promptTokens(),
          request.preemptions());
    }
  }

  /** Asks; on the thread of the records. */
  static QueueAnswer of(RequestLookup lookup, int most, long nowNs) {
    final Map<String, String> settings = lookup.settings(nowNs);
    return new QueueAnswer(
        lookup.runningCount(),
        lookup.waitingCount(),
        lookup.waitingFor().entrySet().stream()
            .map(
                entry ->
                    new Reason(
                        entry.getKey(),
                        WaitPhrases.meaning(entry.getKey(), settings),
                        entry.getValue()))
            .toList(),
        lookup.waiting(most, nowNs).stream().map(request -> Waiting.of(request, settings)).toList(),
        lookup.droppedRecords());
  }
}

package dev.headway.probes.dashboard.state;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.events.model.Cause;
import dev.headway.events.model.Ingress;
import dev.headway.events.model.Phase;
import dev.headway.events.model.RequestTimeline;
import dev.headway.events.model.RequestWaits;
import dev.headway.events.model.RunTimeline;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where the time of one request went, up to an instant. Times are nanoseconds; immutable.
 *
 * @param number its number in the run
 * @param id the caller's name
 * @param phase what it is doing: waiting, preempted, prefill, recompute, decode or ended
 * @param finishReason how it ended, or null
 * @param outputTokens tokens generated so far
 * @param arrivalUnixNs its arrival, since 1970
 * @param ingressNs time before it was in the queue
 * @param ingress what the engine did in that time
 * @param waitedNs time in the queue, over all stays
 * @param waits that time by cause, the longest first; without the stay that it is in
 * @param stayNs how long it has been in the queue this time; 0 if it is not in the queue
 * @param waitsFor the reason of that stay as of the latest step, or null
 * @param blocker id of the last request ahead that blocked it, or null
 * @param ttftNs from arrival to the first token, or absent
 * @param tpotNs time per token after the first, or absent
 * @param ageNs from arrival to its end, or to now
 * @param preemptions how often it was preempted
 * @param recomputedTokens tokens computed again because of that
 * @param cachedTokens prompt tokens found in the prefix cache at its first admission
 */
public record RequestDigest(
    long number,
    String id,
    @Nullable String tenant,
    Phase phase,
    @Nullable String finishReason,
    int promptTokens,
    int outputTokens,
    int maxTokens,
    long arrivalUnixNs,
    long ingressNs,
    Ingress ingress,
    long waitedNs,
    List<Wait> waits,
    long stayNs,
    @Nullable String waitsFor,
    @Nullable String blocker,
    long ttftNs,
    long tpotNs,
    long ageNs,
    int preemptions,
    long recomputedTokens,
    long cachedTokens) {

  /**
   * Time in the queue for one cause.
   *
   * @param reason as the scheduler gave it
   * @param root what had to change, {@code head_of_line} resolved
   */
  public record Wait(String reason, String root, long ns) {}

  /** Copies the waits. */
  public RequestDigest {
    waits = List.copyOf(waits);
  }

  /**
   * What is known of a request now.
   *
   * @param causes of the run, by index
   */
  public static RequestDigest of(
      RunTimeline run, RequestTimeline request, List<Cause> causes, long nowNs) {
    final RequestWaits waits = request.waits();
    final List<Wait> byCause = new ArrayList<>();
    for (int index = 0; index < waits.bound(); index++) {
      if (waits.ns(index) > 0) {
        final Cause cause = causes.get(index);
        byCause.add(new Wait(cause.reason(), cause.root(), waits.ns(index)));
      }
    }
    byCause.sort(Comparator.comparingLong(Wait::ns).reversed());
    final boolean isWaiting = request.phase().isWaiting();
    final boolean shares = isWaiting && request.ownReason() == null;
    final RequestTimeline ahead = run.sharedBlocker();
    return new RequestDigest(
        request.number(),
        request.id(),
        request.queued().tenant(),
        request.phase(),
        request.finishReason(),
        request.queued().promptTokens(),
        request.finalOutputTokens(),
        request.queued().maxTokens(),
        run.unixNs(request.queued().arrivalNs()),
        request.queued().queuedNs() - request.queued().arrivalNs(),
        request.ingress(),
        waits.totalNs(nowNs),
        byCause,
        isWaiting ? waits.totalNs(nowNs) - waits.totalNs() : 0,
        isWaiting ? (shares ? run.sharedRoot() : request.ownRoot()) : null,
        shares && ahead != null ? ahead.id() : null,
        request.ttftNs(),
        request.tpotNs(),
        request.endedNs() == ABSENT ? nowNs - request.queued().arrivalNs() : request.endToEndNs(),
        request.preemptions(),
        request.recomputedTokens(),
        Math.max(0, request.firstCachedTokens()));
  }
}

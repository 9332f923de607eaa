package dev.headway.spring.boot;

import dev.headway.api.Absent;
import dev.headway.api.schedule.WaitReason;
import dev.headway.events.reason.WaitPhrases;
import dev.headway.events.record.RejectedRecord;
import dev.headway.probes.dashboard.state.DigestText;
import dev.headway.probes.dashboard.state.RequestDigest;
import dev.headway.probes.dashboard.state.RequestLookup;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Where the time of a request went. Immutable; what is null is not known or did not happen.
 *
 * @param phase waiting, preempted, prefill, recompute, decode, ended or rejected
 * @param finishReason how it ended, or why it was refused
 * @param explanation sentences, in the order of its life
 * @param blocker id of the request ahead that it waits behind; null where it waits for something
 *     that no single request has
 * @param seatsHeldBy ids of up to eight requests in the seats, if it waits for one; null otherwise
 * @param waits time in the queue by reason, the longest first, without the stay that it is in
 */
record RequestAnswer(
    String id,
    @Nullable String tenant,
    String phase,
    @Nullable String finishReason,
    List<String> explanation,
    @Nullable String waitsFor,
    @Nullable String meaning,
    @Nullable String blocker,
    @Nullable List<String> seatsHeldBy,
    @Nullable Long inQueueNs,
    @Nullable Long waitedNs,
    List<Wait> waits,
    int promptTokens,
    @Nullable Integer outputTokens,
    @Nullable Long cachedPromptTokens,
    @Nullable Integer preemptions,
    @Nullable Long timeToFirstTokenNs,
    @Nullable Long ageNs) {

  private static final String NO_SEAT = WaitReason.MAX_NUM_SEQS.label();
  private static final int SEATS_NAMED = 8;

  /**
   * Time for one reason.
   *
   * @param root what had to change: the reason itself, or that of the request ahead
   * @param meaning of the root, in words
   */
  record Wait(String reason, String root, String meaning, long ns) {}

  /** Of a request that was taken; on the thread of the records. */
  static RequestAnswer of(RequestDigest request, RequestLookup lookup, long nowNs) {
    final Map<String, String> settings = lookup.settings(nowNs);
    final String waitsFor = request.waitsFor();
    return new RequestAnswer(
        request.id(),
        request.tenant(),
        request.phase().label(),
        request.finishReason(),
        DigestText.sentences(request),
        waitsFor,
        waitsFor == null ? null : WaitPhrases.meaning(waitsFor, settings),
        request.blocker(),
        NO_SEAT.equals(waitsFor) ? lookup.running(SEATS_NAMED) : null,
        request.phase().isWaiting() ? request.stayNs() : null,
        request.waitedNs(),
        request.waits().stream()
            .map(
                wait ->
                    new Wait(
                        wait.reason(),
                        wait.root(),
                        WaitPhrases.meaning(wait.root(), settings),
                        wait.ns()))
            .toList(),
        request.promptTokens(),
        request.outputTokens(),
        request.cachedTokens(),
        request.preemptions(),
        request.ttftNs() == Absent.ABSENT ? null : request.ttftNs(),
        request.ageNs());
  }

  /** Of a request that was refused at submission. */
  static RequestAnswer of(RejectedRecord refused) {
    return new RequestAnswer(
        refused.requestId(),
        refused.tenant(),
        "rejected",
        refused.reason(),
        List.of(refused.message()),
        null,
        null,
        null,
        null,
        null,
        null,
        List.of(),
        refused.promptTokens(),
        null,
        null,
        null,
        null,
        null);
  }
}

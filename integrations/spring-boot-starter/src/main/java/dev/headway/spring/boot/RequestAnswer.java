package dev.headway.spring.boot;

import dev.headway.api.Absent;
import dev.headway.events.reason.WaitPhrases;
import dev.headway.events.record.RejectedRecord;
import dev.headway.probes.dashboard.state.DigestText;
import dev.headway.probes.dashboard.state.RequestDigest;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Where the time of a request went. Immutable; what is null is not known or did not happen.
 *
 * @param phase waiting, preempted, prefill, recompute, decode, ended or rejected
 * @param finishReason how it ended, or why it was refused
 * @param explanation sentences, in the order of its life
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
    @Nullable Long inQueueNs,
    @Nullable Long waitedNs,
    List<Wait> waits,
    int promptTokens,
    @Nullable Integer outputTokens,
    @Nullable Long cachedPromptTokens,
    @Nullable Integer preemptions,
    @Nullable Long timeToFirstTokenNs,
    @Nullable Long ageNs) {

  /**
   * Time for one reason.
   *
   * @param root what had to change: the reason itself, or that of the request ahead
   * @param meaning of the root, in words
   */
  record Wait(String reason, String root, String meaning, long ns) {}

  /** Of a request that was taken. */
  static RequestAnswer of(RequestDigest request, Map<String, String> settings) {
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
        List.of(),
        refused.promptTokens(),
        null,
        null,
        null,
        null,
        null);
  }
}

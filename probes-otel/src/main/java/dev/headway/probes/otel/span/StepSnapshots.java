package dev.headway.probes.otel.span;

import dev.headway.events.model.RequestTimeline;
import dev.headway.events.model.StepTimeline;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.common.AttributesBuilder;
import java.util.List;

/** What each running request does in a step, in the order of their admission. */
final class StepSnapshots {

  private StepSnapshots() {}

  /** Takes what there is to know when a step was just planned; nothing without its entries. */
  static void add(List<Attributes> out, StepTimeline step) {
    if (!step.areEntriesKnown()) {
      return;
    }
    for (RequestTimeline request : step.run().running()) {
      out.add(snapshot(step.plan().stepId(), request));
    }
  }

  private static Attributes snapshot(long stepId, RequestTimeline request) {
    final boolean scheduled = request.isScheduledIn(stepId);
    final int promptTokens = request.queued().promptTokens();
    final int outputTokens = RequestTrace.outputTokens(request);
    final int computed = scheduled ? request.latestComputedTokens() : request.computedTokens();
    final AttributesBuilder out =
        Attributes.builder()
            .put(SpanNames.STEP_ID, stepId)
            .put(SpanNames.SNAPSHOT_ID, request.id())
            .put(SpanNames.SNAPSHOT_PHASE, outputTokens > 0 ? "DECODE" : "PREFILL")
            .put(SpanNames.SNAPSHOT_PROMPT, (long) promptTokens)
            .put(SpanNames.SNAPSHOT_COMPUTED, (long) computed)
            .put(SpanNames.SNAPSHOT_OUTPUT, (long) outputTokens)
            .put(SpanNames.SNAPSHOT_PREEMPTIONS, (long) request.preemptions())
            .put(
                SpanNames.SNAPSHOT_SCHEDULED,
                scheduled ? (long) request.latestScheduledTokens() : 0L)
            .put(SpanNames.SNAPSHOT_ALLOCATED, (long) request.heldBlocks())
            .put(SpanNames.SNAPSHOT_CACHED, (long) request.cachedBlocks());
    final long effective = promptTokens - request.latestCachedTokens();
    if (effective > 0) {
      out.put(SpanNames.SNAPSHOT_EFFECTIVE_PROMPT, effective);
    }
    return out.build();
  }
}

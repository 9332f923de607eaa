package dev.headway.probes.otel.span;

import dev.headway.events.record.PlannedStep;
import dev.headway.probes.otel.run.Progress;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.common.AttributesBuilder;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What each running request does in a step. */
final class StepSnapshots {

  private static final int NO_ENTRY = -1;

  private StepSnapshots() {}

  static void add(List<Attributes> out, PlannedStep step, Collection<RequestTrace> running) {
    if (!step.hasEntries()) {
      return;
    }
    final Map<Long, Integer> entries = new HashMap<>();
    for (int entry = 0; entry < step.batchSize(); entry++) {
      entries.put(step.number(entry), entry);
    }
    for (RequestTrace request : running) {
      final int entry = entries.getOrDefault(request.request().requestNumber(), NO_ENTRY);
      out.add(snapshot(step, entry, request));
    }
  }

  private static Attributes snapshot(PlannedStep step, int entry, RequestTrace request) {
    final Progress progress = request.progress();
    final boolean scheduled = entry != NO_ENTRY;
    final int computed = scheduled ? step.computedTokens(entry) : progress.computedTokens();
    final AttributesBuilder out =
        Attributes.builder()
            .put(SpanNames.STEP_ID, step.stepId())
            .put(SpanNames.SNAPSHOT_ID, request.request().requestId())
            .put(SpanNames.SNAPSHOT_PHASE, request.outputTokens() > 0 ? "DECODE" : "PREFILL")
            .put(SpanNames.SNAPSHOT_PROMPT, (long) request.promptTokens())
            .put(SpanNames.SNAPSHOT_COMPUTED, (long) computed)
            .put(SpanNames.SNAPSHOT_OUTPUT, (long) request.outputTokens())
            .put(SpanNames.SNAPSHOT_PREEMPTIONS, (long) request.preemptions())
            .put(SpanNames.SNAPSHOT_SCHEDULED, scheduled ? (long) step.scheduledTokens(entry) : 0L)
            .put(
                SpanNames.SNAPSHOT_ALLOCATED,
                (long) (scheduled ? step.blockCount(entry) : progress.heldBlocks()))
            .put(SpanNames.SNAPSHOT_CACHED, (long) progress.cachedBlocks());
    final int effective = request.promptTokens() - progress.cachedTokens();
    if (effective > 0) {
      out.put(SpanNames.SNAPSHOT_EFFECTIVE_PROMPT, (long) effective);
    }
    return out.build();
  }
}

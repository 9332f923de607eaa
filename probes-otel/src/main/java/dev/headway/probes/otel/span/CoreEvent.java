package dev.headway.probes.otel.span;

import dev.headway.events.record.AdmittedRecord;
import dev.headway.events.record.BlockedRecord;
import dev.headway.events.record.FinishedRecord;
import dev.headway.events.record.PreemptedRecord;
import dev.headway.events.record.RejectedRecord;
import org.jspecify.annotations.Nullable;

/**
 * Something that happened to a request in the engine, small enough to keep for a hundred thousand
 * live requests; {@link CoreAttributes} makes attributes of it.
 *
 * @param stepId the step it belongs to, 0 before the first
 * @param promptDone tokens of the prompt computed or found so far
 * @param outputTokens tokens generated so far
 * @param preemptions so far, this one included
 */
record CoreEvent(
    String type,
    long atNs,
    long stepId,
    int promptDone,
    int outputTokens,
    int preemptions,
    @Nullable Detail detail) {

  /** What an event has beyond every event's figures. */
  sealed interface Detail {}

  record Scheduled(AdmittedRecord record) implements Detail {}

  record Blocked(BlockedRecord record, @Nullable String blockerId) implements Detail {}

  record Preempted(PreemptedRecord record, @Nullable String beneficiaryId) implements Detail {}

  record Chunk(int index, int fromToken, int tokens) implements Detail {}

  record Finished(FinishedRecord record) implements Detail {}

  record Rejected(RejectedRecord record) implements Detail {}

  record Unfinished(String reason) implements Detail {}
}

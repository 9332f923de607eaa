package dev.headway.probes.otel.span;

import dev.headway.probes.otel.run.Progress;
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

  static CoreEvent of(
      String type,
      long atNs,
      long stepId,
      Progress progress,
      int preemptions,
      @Nullable Detail detail) {
    return new CoreEvent(
        type, atNs, stepId, progress.promptDone(), progress.outputTokens(), preemptions, detail);
  }

  CoreEvent withOutputTokens(int tokens) {
    return new CoreEvent(type, atNs, stepId, promptDone, tokens, preemptions, detail);
  }

  /** What an event has beyond every event's figures. */
  sealed interface Detail {}

  record Scheduled(String kind, int cachedTokens, int hostCachedTokens, int evictedTokens)
      implements Detail {}

  record Blocked(String reason, @Nullable String blockerId, int needed, int free)
      implements Detail {}

  record Preempted(String cause, @Nullable String beneficiaryId, int lostTokens, int freedBlocks)
      implements Detail {}

  record Chunk(int index, int fromToken, int tokens) implements Detail {}

  record Finished(String reason, @Nullable String cause, long stopTokenId, int freedBlocks)
      implements Detail {}

  record Rejected(String reason, String message) implements Detail {}

  record Unfinished(String reason) implements Detail {}
}

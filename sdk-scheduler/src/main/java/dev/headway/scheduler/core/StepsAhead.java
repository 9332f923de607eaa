package dev.headway.scheduler.core;

import dev.headway.api.config.AsyncScheduling;
import dev.headway.api.config.ModelRunner;
import dev.headway.api.config.PipelineOptions;
import dev.headway.api.kvcache.KvCacheManager;
import dev.headway.api.request.RequestStatus;
import dev.headway.scheduler.state.RequestState;

/**
 * Asynchronous scheduling: a step is planned before the outputs of the one before are known.
 * Placeholders are counted for those outputs, so that the next step can be scheduled after them.
 */
final class StepsAhead {

  private final KvCacheManager kv;
  private final boolean enabled;
  private final int stepsBetweenDecodes;

  StepsAhead(PipelineOptions pipeline, KvCacheManager kv) {
    this.kv = kv;
    enabled = pipeline.asyncScheduling() == AsyncScheduling.ENABLED;
    stepsBetweenDecodes =
        enabled && pipeline.modelRunner() == ModelRunner.V2 ? pipeline.pipelineParallelSize() : 0;
  }

  /** Whether steps are planned ahead of outputs. */
  boolean isEnabled() {
    return enabled;
  }

  /** Whether the outputs that are due end the request by length, regardless of their tokens. */
  boolean isSureToEnd(RequestState request) {
    return enabled
        && request.placeholders > 0
        && request.computedTokens + 2 - request.placeholders
            >= request.promptTokens() + request.maxTokens();
  }

  /** Whether steps must pass between two decodes of a request. */
  boolean spacesDecodes() {
    return stepsBetweenDecodes > 0;
  }

  /** An entry that samples was planned: its outputs become placeholders. */
  void planned(RequestState request, int scheduledDrafts, long stepId) {
    request.placeholders += 1 + scheduledDrafts;
    if (stepsBetweenDecodes > 0) {
      request.nextDecodeStepId = stepId + stepsBetweenDecodes;
    }
  }

  /**
   * A step is planned: its entries that sample are followed by drafts known only to the executor.
   */
  void proposeDrafts(PlanBuffer plan) {
    final int drafts = plan.nextDraftTokens();
    if (!enabled || drafts == 0) {
      return;
    }
    for (int entry = 0; entry < plan.size(); entry++) {
      final RequestState request = plan.state(entry);
      if (!request.prefillChunk) {
        request.setDraftsOnDevice(drafts);
      }
    }
  }

  /** Drafts were rejected: their placeholders are dropped. */
  void rejected(RequestState request, int drafts) {
    if (enabled) {
      request.placeholders -= drafts;
    }
  }

  /** Outputs became known in place of placeholders; the blocks they fill become findable. */
  void appended(RequestState request, int tokens) {
    if (!enabled) {
      return;
    }
    request.placeholders -= tokens;
    final int sure = request.computedTokens - request.placeholders;
    if (request.status == RequestStatus.RUNNING && sure > request.allocatedThrough) {
      kv.commit(request.kv(), sure);
      request.noteBlocks();
    }
  }
}

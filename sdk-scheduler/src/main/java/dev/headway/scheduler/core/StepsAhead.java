package dev.headway.scheduler.core;

import dev.headway.api.config.AsyncScheduling;
import dev.headway.api.config.ModelRunner;
import dev.headway.api.config.PipelineOptions;
import dev.headway.api.kvcache.KvCacheManager;
import dev.headway.api.request.RequestStatus;
import dev.headway.scheduler.state.RequestState;
import org.jspecify.annotations.Nullable;

/**
 * Asynchronous scheduling: a step is planned before the outputs of the one before are known.
 * Placeholders are counted for those outputs, so that the next step can be scheduled after them.
 */
final class StepsAhead {

  private final KvCacheManager kv;
  private final int stepsBetweenDecodes;

  private StepsAhead(PipelineOptions pipeline, KvCacheManager kv) {
    this.kv = kv;
    stepsBetweenDecodes =
        pipeline.modelRunner() == ModelRunner.V2 ? pipeline.pipelineParallelSize() : 0;
  }

  /** Returns null if every step is planned after the outputs of the one before. */
  static @Nullable StepsAhead of(PipelineOptions pipeline, KvCacheManager kv) {
    return pipeline.asyncScheduling() == AsyncScheduling.ENABLED
        ? new StepsAhead(pipeline, kv)
        : null;
  }

  /** Whether the outputs that are due end the request by length, regardless of their tokens. */
  boolean isSureToEnd(RequestState request) {
    return request.placeholders > 0
        && request.computedTokens + 2 - request.placeholders
            >= request.promptTokens() + request.maxTokens();
  }

  /** Whether the request's previous decode is too near for one in step {@code stepId}. */
  boolean spacesDecode(RequestState request, long stepId) {
    return stepsBetweenDecodes > 0 && stepId < request.nextDecodeStepId;
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
    final int drafts = plan.drafts().toPropose();
    if (drafts == 0) {
      return;
    }
    for (int entry = 0; entry < plan.size(); entry++) {
      final RequestState request = plan.state(entry);
      if (!request.prefillChunk && request.request().forcedTokens() == 0) {
        request.setDraftsOnDevice(drafts);
      }
    }
  }

  /** Drafts were rejected: their placeholders are dropped. */
  void rejected(RequestState request, int drafts) {
    request.placeholders -= drafts;
  }

  /** Outputs became known in place of placeholders; the blocks they fill become findable. */
  void appended(RequestState request, int tokens) {
    request.placeholders -= tokens;
    final int sure = request.computedTokens - request.placeholders;
    if (request.status == RequestStatus.RUNNING && sure > request.allocatedThrough) {
      kv.commit(request.kv(), sure);
      request.noteBlocks();
    }
  }
}

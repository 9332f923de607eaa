package dev.headway.scheduler.core;

import dev.headway.api.config.AsyncScheduling;
import dev.headway.api.config.ModelRunner;
import dev.headway.api.config.PipelineOptions;
import dev.headway.api.kvcache.KvCacheManager;
import dev.headway.api.request.RequestStatus;
import dev.headway.scheduler.state.RequestState;

/**
 * Asynchronous scheduling: a step is planned before the outputs of the one before are known.
 * Placeholders stand for those outputs, so that the next step can be scheduled behind them.
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

  /** Whether outputs that are due end the request by its length, whatever they are. */
  boolean isSureToEnd(RequestState request) {
    return request.placeholders > 0
        && request.computedTokens + 2 - request.placeholders
            >= request.promptTokens() + request.maxTokens();
  }

  /** The request's entry was planned: outputs it samples become placeholders. */
  void planned(RequestState request, int scheduledDrafts, int nextDrafts, long stepId) {
    if (!enabled || request.prefillChunk) {
      return;
    }
    request.placeholders += 1 + scheduledDrafts;
    if (nextDrafts > 0) {
      request.setDraftsOnDevice(nextDrafts);
    } else {
      request.pendingDrafts = 0;
    }
    if (stepsBetweenDecodes > 0) {
      request.nextDecodeStepId = stepId + stepsBetweenDecodes;
    }
  }

  /** Drafts were rejected: their placeholders stand for nothing. */
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
    if (request.status == RequestStatus.RUNNING) {
      kv.cache(request.kv(), request.computedTokens - request.placeholders);
    }
  }
}

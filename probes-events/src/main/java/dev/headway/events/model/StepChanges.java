package dev.headway.events.model;

import java.util.ArrayList;
import java.util.List;

/**
 * Totals of the decisions since the previous plan.
 *
 * @param admitted requests, resumed ones included
 * @param resumed how many of them had run before
 * @param cachedTokens tokens that the admitted ones found in the prefix cache
 * @param lookups prefix-cache lookups of those admitted for the first time
 * @param preempted requests preempted, cache resets included
 * @param evictedRequests requests found to have lost computed KV
 * @param removedBlocks cached blocks that can no longer be found
 */
public record StepChanges(
    List<RequestTimeline> admitted,
    int resumed,
    int cachedTokens,
    PrefixLookups lookups,
    List<RequestTimeline> preempted,
    int evictedRequests,
    int removedBlocks) {

  private static final StepChanges NONE =
      new StepChanges(List.of(), 0, 0, PrefixLookups.NONE, List.of(), 0, 0);

  /** Collects them until the next plan. */
  static final class Builder {

    private List<RequestTimeline> admitted = new ArrayList<>();
    private List<RequestTimeline> preempted = new ArrayList<>();
    private int resumed;
    private int cachedTokens;
    private PrefixLookups lookups = PrefixLookups.NONE;
    private int evictedRequests;
    private int removedBlocks;

    void admitted(RequestTimeline request, int cached) {
      admitted.add(request);
      cachedTokens += cached;
      if (request.preemptions() > 0) {
        resumed++;
      } else {
        lookups = lookups.with(request.queued().promptTokens(), cached);
      }
    }

    /** A session was admitted with the blocks it has kept: nothing was looked up. */
    void admittedAgain(RequestTimeline request) {
      admitted.add(request);
    }

    void preempted(RequestTimeline request) {
      preempted.add(request);
    }

    void evictedRequest() {
      evictedRequests++;
    }

    void removedBlock() {
      removedBlocks++;
    }

    /** Returns what was collected and starts again. */
    StepChanges take() {
      if (admitted.isEmpty() && preempted.isEmpty() && removedBlocks == 0) {
        return NONE;
      }
      final StepChanges taken =
          new StepChanges(
              admitted, resumed, cachedTokens, lookups, preempted, evictedRequests, removedBlocks);
      admitted = new ArrayList<>();
      preempted = new ArrayList<>();
      resumed = 0;
      cachedTokens = 0;
      lookups = PrefixLookups.NONE;
      evictedRequests = 0;
      removedBlocks = 0;
      return taken;
    }
  }
}

package dev.headway.probes.csv.training;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.events.model.RunTimeline;
import org.jspecify.annotations.Nullable;

/**
 * The engine as a request finds it when it enters the queue.
 *
 * @param waitingDepth requests that wait already; its queue position under FCFS
 * @param waitingTokens their known tokens, cached ones included: the work ahead under FCFS
 * @param runningDepth requests that run
 * @param owedTokens outputs that those may still ask for
 * @param freeBlocks after the latest decision
 * @param sinceDecisionNs since then
 * @param sinceAdmissionNs since the latest admission
 * @param meanStepNs moving mean of the time from step to step
 * @param meanArrivalGapNs moving mean of the time from arrival to arrival
 * @param sharedReason why those that wait do
 */
record QueueState(
    int waitingDepth,
    long waitingTokens,
    int runningDepth,
    long owedTokens,
    int freeBlocks,
    long sinceDecisionNs,
    long sinceAdmissionNs,
    long meanStepNs,
    long meanArrivalGapNs,
    @Nullable String sharedReason) {

  static QueueState of(
      RunTimeline run, long nowNs, long latestAdmissionNs, long meanStepNs, long meanArrivalGapNs) {
    return new QueueState(
        run.waiting().size(),
        run.sums().waitingTokens(),
        run.running().size(),
        run.sums().owedTokens(),
        run.freeBlocks(),
        since(run.latestDecisionNs(), nowNs),
        since(latestAdmissionNs, nowNs),
        meanStepNs,
        meanArrivalGapNs,
        run.waiting().isEmpty() ? null : run.sharedReason());
  }

  private static long since(long thenNs, long nowNs) {
    return thenNs == ABSENT ? ABSENT : nowNs - thenNs;
  }
}

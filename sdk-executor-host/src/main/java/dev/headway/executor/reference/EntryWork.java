package dev.headway.executor.reference;

import dev.headway.api.executor.ExecutorShape;
import dev.headway.api.request.PlannedRequest;
import dev.headway.api.request.SamplingParams;
import dev.headway.api.request.StopRule;
import dev.headway.api.step.StepPlan;
import dev.headway.api.step.TokenConstraints;
import dev.headway.executor.plan.PlanCheck;
import dev.headway.executor.sampling.Penalties;
import dev.headway.executor.sampling.TokenRules;
import org.jspecify.annotations.Nullable;

/**
 * A copy of what an entry of a plan is to compute: requests and block tables move on when {@code
 * submit} returns.
 *
 * @param tokenIds the tokens to compute
 * @param firstPosition position of the first of them
 * @param blockTable the request's blocks, up to the last token to compute
 * @param samples whether a token must be answered
 * @param stopRule when the request ends
 * @param knownTokens prompt and outputs, for penalties and bans; empty without
 * @param allowed a bit for each token that may be sampled; empty if all may
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record EntryWork(
    int[] tokenIds,
    int firstPosition,
    int[] blockTable,
    boolean samples,
    SamplingParams sampling,
    StopRule stopRule,
    int promptTokens,
    int[] knownTokens,
    int[] allowed) {

  /** Copies an entry whose numbers {@link PlanCheck} has found right. */
  static EntryWork copy(StepPlan plan, int entry, ExecutorShape shape) {
    final PlannedRequest request = plan.request(entry);
    final int first = plan.computedTokens(entry);
    final int[] tokenIds = new int[plan.scheduledTokens(entry)];
    request.copyTokenIds(first, tokenIds, 0, tokenIds.length);
    final int end = first + tokenIds.length;
    final int[] blockTable = new int[shape.kvCache().blocksFor(end)];
    plan.blocks().of(entry).copyBlockIds(0, 0, blockTable, 0, blockTable.length);
    final SamplingParams sampling = request.request().sampling();
    int[] known = {};
    if (plan.samples(entry) && (Penalties.areOn(sampling) || TokenRules.readOutputs(sampling))) {
      known = new int[end];
      request.copyTokenIds(0, known, 0, end);
    }
    int[] allowed = {};
    if (plan.constraints().rows(entry) > 0) {
      allowed = new int[TokenConstraints.wordsPerRow(shape.vocabularySize())];
      plan.constraints().fill(entry, allowed, 0, allowed.length);
    }
    return new EntryWork(
        tokenIds,
        first,
        blockTable,
        plan.samples(entry),
        sampling,
        request.request().stopRule(),
        request.promptTokens(),
        known,
        allowed);
  }

  /** Why it cannot be run, or null. */
  @Nullable RuntimeException refuse(PlanCheck check, StepPlan plan, int entry) {
    final RuntimeException foreign =
        check.refuseTokens(tokenIds, 0, tokenIds.length, firstPosition);
    return foreign != null
        ? foreign
        : check.refuseBlocks(blockTable, 0, blockTable.length, plan, entry);
  }

  /** Position of the token to be sampled. */
  int nextPosition() {
    return firstPosition + tokenIds.length;
  }
}

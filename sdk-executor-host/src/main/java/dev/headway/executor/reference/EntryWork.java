package dev.headway.executor.reference;

import dev.headway.api.executor.ExecutorShape;
import dev.headway.api.request.LoraAdapter;
import dev.headway.api.request.PlannedRequest;
import dev.headway.api.request.SamplingParams;
import dev.headway.api.request.StopRule;
import dev.headway.api.step.StepPlan;
import dev.headway.api.step.TokenConstraints;
import dev.headway.executor.plan.PlanCheck;
import dev.headway.executor.plan.PlannedDrafts;
import dev.headway.executor.sampling.Penalties;
import dev.headway.executor.sampling.TokenRules;
import org.jspecify.annotations.Nullable;

/**
 * A copy of what an entry of a plan is to compute: requests and block tables move on when {@code
 * submit} returns.
 *
 * @param tokenIds the tokens to compute, drafts last
 * @param firstPosition position of the first of them
 * @param blockTables the request's blocks of each group, up to the last token to compute
 * @param samples whether a token must be answered
 * @param drafts how many of the tokens are drafts
 * @param padding how many of the drafts, the last ones, stand for none
 * @param stopRule when the request ends
 * @param adapter of the request; null without
 * @param knownTokens prompt and outputs, then drafts and a place for one more, for penalties, bans
 *     and proposals; empty without
 * @param allowed for each sampled position a bit for each token that may be sampled; empty if all
 *     may
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record EntryWork(
    int[] tokenIds,
    int firstPosition,
    int[][] blockTables,
    boolean samples,
    int drafts,
    int padding,
    SamplingParams sampling,
    StopRule stopRule,
    int promptTokens,
    @Nullable LoraAdapter adapter,
    int[] knownTokens,
    int[] allowed) {

  private static final int[] NONE = {};

  /** Copies an entry whose numbers {@link PlanCheck} has found right. */
  static EntryWork copy(StepPlan plan, int entry, ExecutorShape shape) {
    final PlannedRequest request = plan.request(entry);
    final int first = plan.computedTokens(entry);
    final int[] tokenIds = new int[plan.scheduledTokens(entry)];
    final int drafts = PlannedDrafts.count(plan, entry);
    final int known = tokenIds.length - drafts;
    request.copyTokenIds(first, tokenIds, 0, known);
    final int proposed = PlannedDrafts.copy(plan, entry, tokenIds, known);
    final int end = first + tokenIds.length;
    final int[][] blockTables =
        new int[shape.kvCache().groups().size()][shape.kvCache().blocksFor(end)];
    for (int group = 0; group < blockTables.length; group++) {
      final int[] table = blockTables[group];
      plan.blocks().of(entry).copyBlockIds(group, 0, table, 0, table.length);
    }
    final SamplingParams sampling = request.request().sampling();
    return new EntryWork(
        tokenIds,
        first,
        blockTables,
        plan.samples(entry),
        drafts,
        drafts - proposed,
        sampling,
        request.request().stopRule(),
        request.promptTokens(),
        request.request().lora(),
        readsText(plan, entry, sampling) ? text(request, first + known, tokenIds, drafts) : NONE,
        allowed(plan, entry, shape.vocabularySize()));
  }

  private static boolean readsText(StepPlan plan, int entry, SamplingParams sampling) {
    return plan.samples(entry)
        && (Penalties.areOn(sampling)
            || TokenRules.readOutputs(sampling)
            || plan.drafts().toPropose() > 0);
  }

  private static int[] text(PlannedRequest request, int known, int[] tokenIds, int drafts) {
    final int[] text = new int[known + drafts + 1];
    request.copyTokenIds(0, text, 0, known);
    System.arraycopy(tokenIds, tokenIds.length - drafts, text, known, drafts);
    return text;
  }

  private static int[] allowed(StepPlan plan, int entry, int vocabularySize) {
    final int rows = plan.constraints().rows(entry);
    if (rows == 0) {
      return NONE;
    }
    final int words = TokenConstraints.wordsPerRow(vocabularySize);
    final int[] allowed = new int[rows * words];
    plan.constraints().fill(entry, allowed, 0, words);
    return allowed;
  }

  /** Why it cannot be run, or null. */
  @Nullable RuntimeException refuse(PlanCheck check, StepPlan plan, int entry) {
    RuntimeException refusal = check.refuseTokens(tokenIds, 0, tokenIds.length, firstPosition);
    for (int group = 0; refusal == null && group < blockTables.length; group++) {
      final int[] table = blockTables[group];
      refusal = check.refuseBlocks(table, 0, table.length, 0, plan, entry, group);
    }
    return refusal;
  }

  /** Position of the first token to be sampled. */
  int nextPosition() {
    return firstPosition + tokenIds.length - drafts;
  }

  /** The draft for a position behind {@link #nextPosition}, in [0, drafts - padding). */
  int draft(int index) {
    return tokenIds[tokenIds.length - drafts + index];
  }
}

package dev.headway.executor.reference;

import dev.headway.api.executor.Executor;
import dev.headway.api.executor.ExecutorShape;
import dev.headway.api.executor.KvBlockAccess;
import dev.headway.api.step.EntryKind;
import dev.headway.api.step.StepOutput;
import dev.headway.api.step.StepPlan;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Counts what plans made another executor do, so that a test can tell that it tested something. */
public final class WatchingExecutor implements Executor {

  private final Executor executor;
  public int prefixHits;
  public int resumed;
  public int chunks;
  public int mixedSteps;
  public int saves;
  public int loads;
  public int drafts;
  public int accepted;

  /** Of each step. */
  public final List<Long> activatedExperts = new ArrayList<>();

  /** Watches an executor. */
  public WatchingExecutor(Executor executor) {
    this.executor = executor;
  }

  @Override
  public ExecutorShape shape() {
    return executor.shape();
  }

  @Override
  public @Nullable KvBlockAccess kvBlockAccess() {
    return executor.kvBlockAccess();
  }

  @Override
  public void submit(StepPlan plan) {
    boolean prefill = false;
    boolean decode = false;
    for (int entry = 0; entry < plan.size(); entry++) {
      final EntryKind kind = plan.kind(entry);
      prefixHits += kind == EntryKind.NEW && plan.computedTokens(entry) > 0 ? 1 : 0;
      resumed += kind == EntryKind.RESUMED ? 1 : 0;
      chunks += plan.samples(entry) ? 0 : 1;
      drafts += plan.drafts().count(entry);
      prefill |= plan.scheduledTokens(entry) > 1;
      decode |= plan.scheduledTokens(entry) == 1;
    }
    mixedSteps += prefill && decode ? 1 : 0;
    saves += plan.blockOperations().saves().size();
    loads += plan.blockOperations().loads().size();
    executor.submit(plan);
  }

  @Override
  public boolean await(StepOutput output, long timeoutNs) throws InterruptedException {
    final boolean answered = executor.await(output, timeoutNs);
    for (int entry = 0; entry < output.size(); entry++) {
      accepted += Math.max(0, output.tokenCount(entry) - 1);
    }
    activatedExperts.add(output.activatedExperts());
    return answered;
  }

  @Override
  public void close() {
    executor.close();
  }
}

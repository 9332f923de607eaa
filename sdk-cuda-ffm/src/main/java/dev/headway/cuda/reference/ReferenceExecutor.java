package dev.headway.cuda.reference;

import dev.headway.api.executor.Executor;
import dev.headway.api.executor.ExecutorShape;
import dev.headway.api.step.StepOutput;
import dev.headway.api.step.StepPlan;
import dev.headway.api.time.NanoClock;
import dev.headway.cuda.model.Model;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Runs a model in plain Java over the block tables that the scheduler hands out.
 *
 * <p>Engine thread only, one step at a time: {@link #submit} copies, {@link #await} computes and
 * never gives up half-way, so its time limit is not looked at. Every plan tells all it needs, and
 * nothing is remembered about a request from one step to the next: preempted and finished requests
 * leave nothing to forget. An entry that cannot be run, and one whose logits are not numbers, fails
 * alone. Allocates copies of token ids and block tables in each step.
 */
public final class ReferenceExecutor implements Executor {

  private final ExecutorShape shape;
  private final NanoClock clock;
  private final ReferenceModel model;
  private final PagedKv kv;
  private final TokenPicker picker;
  private final float[] logits;
  private final Rows rows = new Rows();
  private @Nullable Step out;

  ReferenceExecutor(ReferenceModel model, ExecutorShape shape, NanoClock clock) {
    this.model = model;
    this.shape = shape;
    this.clock = clock;
    this.kv =
        new PagedKv(
            model.config(),
            shape.kvCache().blockSize(),
            shape.kvCache().numBlocks(),
            shape.hostBlocks());
    this.picker = new TokenPicker(shape.vocabularySize());
    this.logits = new float[shape.vocabularySize()];
  }

  /**
   * Starts an executor. Its weights are copied by {@link ReferenceExecutorBuilder#build}.
   *
   * @param clock the engine's clock; times the parts of a step
   */
  public static ReferenceExecutorBuilder builder(Model model, NanoClock clock) {
    return new ReferenceExecutorBuilder(model, clock);
  }

  /** A submitted step: a copy of each entry, or why there is none. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Step(
      List<@Nullable EntryWork> entries,
      List<@Nullable RuntimeException> refusals,
      int[] saves,
      int[] loads,
      int[] zeroed,
      int[] copies,
      long prepareNs) {}

  @Override
  public ExecutorShape shape() {
    return shape;
  }

  @Override
  public String name() {
    return "reference";
  }

  @Override
  public void submit(StepPlan plan) {
    if (out != null) {
      throw new IllegalStateException(
          "one step at a time: submitted=" + plan.stepId() + ", maxStepsInFlight=1");
    }
    if (plan.hasDrafts()) {
      throw new UnsupportedOperationException(
          "this executor verifies no draft tokens: stepId="
              + plan.stepId()
              + "; switch speculation off");
    }
    if (plan.groupCount() != 1) {
      throw new UnsupportedOperationException(
          "this executor has one group of layers with full attention: groupCount="
              + plan.groupCount());
    }
    final long beginNs = clock.nanoTime();
    final List<@Nullable EntryWork> entries = new ArrayList<>(plan.size());
    final List<@Nullable RuntimeException> refusals = new ArrayList<>(plan.size());
    for (int entry = 0; entry < plan.size(); entry++) {
      try {
        entries.add(EntryWork.copy(plan, entry, model.config(), shape.kvCache()));
        refusals.add(null);
      } catch (RuntimeException e) {
        entries.add(null);
        refusals.add(e);
      }
    }
    out =
        new Step(
            entries,
            refusals,
            saves(plan),
            loads(plan),
            zeroed(plan),
            copies(plan),
            clock.nanoTime() - beginNs);
  }

  /** Blocks and host blocks in turn. */
  private static int[] saves(StepPlan plan) {
    final int[] blocks = new int[2 * plan.saveCount()];
    Arrays.setAll(blocks, i -> i % 2 == 0 ? plan.saveSource(i / 2) : plan.saveTarget(i / 2));
    return blocks;
  }

  /** Host blocks and blocks in turn. */
  private static int[] loads(StepPlan plan) {
    final int[] blocks = new int[2 * plan.loadCount()];
    Arrays.setAll(blocks, i -> i % 2 == 0 ? plan.loadSource(i / 2) : plan.loadTarget(i / 2));
    return blocks;
  }

  private static int[] zeroed(StepPlan plan) {
    final int[] blocks = new int[plan.zeroedCount()];
    Arrays.setAll(blocks, plan::zeroedBlock);
    return blocks;
  }

  /** Sources and targets in turn. */
  private static int[] copies(StepPlan plan) {
    final int[] blocks = new int[2 * plan.copyCount()];
    Arrays.setAll(blocks, i -> i % 2 == 0 ? plan.copySource(i / 2) : plan.copyTarget(i / 2));
    return blocks;
  }

  @Override
  public boolean await(StepOutput output, long timeoutNs) {
    final Step step = out;
    if (step == null) {
      throw new IllegalStateException("no step is out");
    }
    out = null;
    final long beginNs = clock.nanoTime();
    workOnBlocks(step);
    final int[] lastRows = layOut(step, output);
    model.forward(rows, kv);
    final long forwardNs = clock.nanoTime();
    for (int entry = 0; entry < lastRows.length; entry++) {
      final EntryWork work = step.entries().get(entry);
      if (work != null && work.samples()) {
        answer(work, lastRows[entry], entry, output);
      }
    }
    rows.clear();
    output.timing(step.prepareNs(), forwardNs - beginNs, clock.nanoTime() - forwardNs);
    return true;
  }

  private void workOnBlocks(Step step) {
    for (int i = 0; i < step.saves().length; i += 2) {
      kv.saveBlock(step.saves()[i], step.saves()[i + 1]);
    }
    for (int i = 0; i < step.loads().length; i += 2) {
      kv.loadBlock(step.loads()[i], step.loads()[i + 1]);
    }
    for (int block : step.zeroed()) {
      kv.zeroBlock(block);
    }
    for (int i = 0; i < step.copies().length; i += 2) {
      kv.copyBlock(step.copies()[i], step.copies()[i + 1]);
    }
  }

  /** Puts the tokens of all entries into rows; returns the last row of each. */
  private int[] layOut(Step step, StepOutput output) {
    final int[] lastRows = new int[step.entries().size()];
    for (int entry = 0; entry < lastRows.length; entry++) {
      final EntryWork work = step.entries().get(entry);
      final RuntimeException refusal = step.refusals().get(entry);
      if (work != null) {
        lastRows[entry] = rows.add(work.tokenIds(), work.firstPosition(), work.blockTable());
      } else if (refusal != null) {
        output.fail(entry, refusal);
      }
    }
    return lastRows;
  }

  private void answer(EntryWork work, int row, int entry, StepOutput output) {
    try {
      model.logits(row, logits);
      picker.answer(work, logits, entry, output);
    } catch (RuntimeException e) {
      output.fail(entry, e);
    }
  }

  @Override
  public void close() {
    out = null;
  }
}

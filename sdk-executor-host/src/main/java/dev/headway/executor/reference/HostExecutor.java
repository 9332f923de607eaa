package dev.headway.executor.reference;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.api.executor.Executor;
import dev.headway.api.executor.ExecutorShape;
import dev.headway.api.executor.KvBlockAccess;
import dev.headway.api.request.LoraAdapter;
import dev.headway.api.step.StepOutput;
import dev.headway.api.step.StepPlan;
import dev.headway.api.support.SimpleBlockOperations;
import dev.headway.api.time.NanoClock;
import dev.headway.executor.model.LoraWeights;
import dev.headway.executor.plan.PlanCheck;
import dev.headway.executor.speculation.NgramDrafter;
import dev.headway.executor.speculation.NgramOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Everything of an executor in host memory that is not the forward pass: plans are copied, entries
 * checked, blocks moved, tokens sampled and failures reported, independent of the forward pass.
 *
 * <p>Engine thread only, one step at a time: {@link #submit} copies, {@link #await} computes and
 * never gives up half-way, so its time limit is not looked at. Every plan is complete, and nothing
 * is remembered about a request from one step to the next: preempted and finished requests leave
 * nothing to forget. An entry that cannot be run, and one whose logits are not numbers, fails
 * alone. Allocates copies of token ids and block tables in each step.
 *
 * <p>A subclass says how it is built, and changes nothing of the steps.
 */
public class HostExecutor implements Executor {

  private final String name;
  private final HostModel model;
  private final Map<LoraAdapter, LoraWeights> adapters;
  private final ExecutorShape shape;
  private final NanoClock clock;
  private final CheckedBlocks blocks;
  private final PlanCheck check;
  private final SimpleBlockOperations operations = new SimpleBlockOperations();
  private final TokenPicker[] pickers;
  private final Rows rows = new Rows();
  private final List<EntryWork> sampling = new ArrayList<>();
  private final List<SampledEntry> answers = new ArrayList<>();
  private final HostTask picking = this::pick;
  private @Nullable SubmittedStep out;
  private int toPropose;
  private long prepareNs;
  private boolean closed;

  /**
   * Makes an executor of a model, which it closes.
   *
   * @param name what {@link #name} answers
   * @param shape the blocks that {@code model} has memory for
   * @param clock the engine's clock; times the parts of a step
   */
  protected HostExecutor(String name, HostModel model, ExecutorShape shape, NanoClock clock) {
    this(name, model, shape, clock, null);
  }

  /**
   * As the other one, with drafts.
   *
   * @param ngrams how draft tokens are found; null for none, and then an engine that speculates is
   *     refused
   */
  protected HostExecutor(
      String name,
      HostModel model,
      ExecutorShape shape,
      NanoClock clock,
      @Nullable NgramOptions ngrams) {
    this(name, model, shape, clock, ngrams, Map.of());
  }

  /**
   * As the other one, with adapters.
   *
   * @param adapters of the model's shape, by what requests call them
   */
  protected HostExecutor(
      String name,
      HostModel model,
      ExecutorShape shape,
      NanoClock clock,
      @Nullable NgramOptions ngrams,
      Map<LoraAdapter, LoraWeights> adapters) {
    this.adapters = Map.copyOf(adapters);
    this.name = name;
    this.model = model;
    this.shape = shape;
    this.clock = clock;
    this.blocks = new CheckedBlocks(model.kvBlocks(), shape.kvCache().numBlocks());
    final int maxModelLen = model.config().maxPositions();
    this.check = new PlanCheck(shape, maxModelLen, ngrams != null, this.adapters.keySet());
    this.pickers = new TokenPicker[model.workers()];
    for (int worker = 0; worker < pickers.length; worker++) {
      final NgramDrafter drafter = ngrams == null ? null : new NgramDrafter(ngrams);
      pickers[worker] = new TokenPicker(shape.vocabularySize(), drafter, maxModelLen);
    }
  }

  @Override
  public final ExecutorShape shape() {
    return shape;
  }

  @Override
  public final String name() {
    return name;
  }

  @Override
  public final KvBlockAccess kvBlockAccess() {
    return blocks;
  }

  @Override
  public final void submit(StepPlan plan) {
    if (closed) {
      throw new IllegalStateException(
          "the executor must not be closed: name=" + name + ", submitted=" + plan.stepId());
    }
    if (out != null) {
      throw new IllegalStateException(
          "one step at a time: submitted=" + plan.stepId() + ", maxStepsInFlight=1");
    }
    check.requireRunnable(plan);
    final long beginNs = clock.nanoTime();
    operations.copyFrom(plan.blockOperations());
    out = SubmittedStep.copy(plan, check, shape);
    toPropose = plan.drafts().toPropose();
    prepareNs = clock.nanoTime() - beginNs;
  }

  @Override
  public final boolean await(StepOutput output, long timeoutNs) {
    final SubmittedStep step = out;
    if (step == null) {
      throw new IllegalStateException("no step is out");
    }
    out = null;
    final long beginNs = clock.nanoTime();
    workOnBlocks(shape.kvCache().numBlocks());
    layOut(step, output);
    model.forward(rows);
    final long forwardNs = clock.nanoTime();
    model.forEach(sampling.size(), picking);
    for (int index = 0; index < sampling.size(); index++) {
      answers.get(index).tell(output);
    }
    tellExperts(output);
    output.timing(prepareNs, forwardNs - beginNs, clock.nanoTime() - forwardNs);
    return true;
  }

  private void tellExperts(StepOutput output) {
    final long experts = model.activatedExperts();
    if (experts != ABSENT) {
      output.activatedExperts(experts);
    }
  }

  /** Host blocks are numbered from {@code firstHostBlock} on. */
  private void workOnBlocks(int firstHostBlock) {
    for (int i = 0; i < operations.saves().size(); i++) {
      model.copyBlock(operations.saves().source(i), firstHostBlock + operations.saves().target(i));
    }
    for (int i = 0; i < operations.loads().size(); i++) {
      model.copyBlock(firstHostBlock + operations.loads().source(i), operations.loads().target(i));
    }
    for (int i = 0; i < operations.zeroed().size(); i++) {
      model.zeroBlock(operations.zeroed().block(i));
    }
    for (int i = 0; i < operations.copies().size(); i++) {
      model.copyBlock(operations.copies().source(i), operations.copies().target(i));
    }
  }

  /** Puts the tokens of all entries into rows, and what they sample into the other lists. */
  private void layOut(SubmittedStep step, StepOutput output) {
    rows.clear();
    sampling.clear();
    for (int entry = 0; entry < step.entries().size(); entry++) {
      final EntryWork work = step.entries().get(entry);
      final RuntimeException refusal = step.refusals().get(entry);
      if (work != null) {
        rows.add(
            work.tokenIds(),
            work.firstPosition(),
            work.adapter() == null ? null : adapters.get(work.adapter()),
            work.blockTables());
        if (work.samples()) {
          sampling.add(work);
          answer(sampling.size() - 1).begin(entry, rows.samples());
          rows.sampleLast(1 + work.drafts());
        }
      } else if (refusal != null) {
        output.fail(entry, refusal);
      }
    }
  }

  private SampledEntry answer(int index) {
    if (index == answers.size()) {
      answers.add(new SampledEntry());
    }
    return answers.get(index);
  }

  private void pick(int worker, int index) {
    final SampledEntry answer = answers.get(index);
    try {
      pickers[worker].answer(sampling.get(index), model, toPropose, answer);
    } catch (RuntimeException e) {
      answer.fail(e);
    }
  }

  @Override
  public final void close() {
    closed = true;
    blocks.close();
    out = null;
    model.close();
  }
}

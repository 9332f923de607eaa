package dev.headway.faultsim.simulation;

import dev.headway.api.config.AsyncScheduling;
import dev.headway.api.config.SpeculativeMethod;
import dev.headway.api.executor.Executor;
import dev.headway.api.executor.ExecutorShape;
import dev.headway.api.step.DraftTokens;
import dev.headway.api.step.StepOutput;
import dev.headway.api.step.StepPlan;
import dev.headway.api.step.TokenLogprobs;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;

/**
 * A model whose next token shows whether the request sees its own KV: a wrong one, where a block
 * holds anything else. With the faults of a scenario; a step that fails leaves rubbish wherever it
 * was to write or to move.
 */
final class ModelExecutor implements Executor {

  /** What may go wrong with a step. */
  static final Set<Feature> STEP_FAULTS =
      Collections.unmodifiableSet(
          EnumSet.of(
              Feature.LATE_ANSWERS,
              Feature.SILENCE,
              Feature.INTERRUPTS,
              Feature.REFUSED_STEPS,
              Feature.FAILED_STEPS,
              Feature.FAILED_ENTRIES,
              Feature.WRONG_STEPS,
              Feature.MISSING_TOKENS,
              Feature.EXCESS_TOKENS,
              Feature.FOREIGN_TOKENS));

  private final World world;
  private final long seed;
  private final ExecutorShape shape;
  private final ContentMemory memory;
  private final boolean correctsPositions;
  private final boolean proposesDrafts;
  private final boolean failsLoads;
  private final StepFaults faults;
  private final EncoderOutputs outputs;

  private final Dice dice = new Dice();
  private final ArrayDeque<ModelStep> out = new ArrayDeque<>();
  private final ArrayDeque<ModelStep> spare = new ArrayDeque<>();
  private long busyUntilNs;
  private long unsoundStep;
  private int generation;
  private int closes;

  ModelExecutor(World world, long seed, Drawn drawn) {
    this.world = world;
    this.seed = seed;
    final int hostBlocks = drawn.config().kvOffload().hostBlocks();
    final boolean speculates = drawn.config().speculation().method() != SpeculativeMethod.NONE;
    shape =
        ExecutorShape.builder()
            .kvCache(drawn.kvCache())
            .maxNumSeqs(drawn.config().limits().maxNumSeqs())
            .vocabularySize(Drawn.VOCABULARY)
            .maxStepsInFlight(drawn.config().pipeline().maxStepsInFlight())
            .hostBlocks(hostBlocks)
            .build();
    memory =
        new ContentMemory(
            drawn.kvCache(),
            hostBlocks,
            Math.max(0, drawn.config().speculation().prefillLookaheadTokens() - 1));
    final boolean isAsync = drawn.config().pipeline().asyncScheduling() == AsyncScheduling.ENABLED;
    correctsPositions = isAsync && speculates;
    proposesDrafts = !isAsync && speculates;
    failsLoads = drawn.has(Feature.FAILED_LOADS);
    faults = new StepFaults(world, seed, drawn);
    outputs = new EncoderOutputs(world.rules(), drawn.config());
  }

  @Override
  public ExecutorShape shape() {
    return shape;
  }

  @Override
  public String name() {
    return "model";
  }

  ContentMemory memory() {
    return memory;
  }

  int generation() {
    return generation;
  }

  /** What was computed so far is void from the next step on, as with other weights. */
  void cacheWasReset() {
    generation++;
  }

  /** Steps that were taken and not answered. */
  int stepsOut() {
    return out.size();
  }

  /** The newest of them; 0 if there is none. */
  long newestOut() {
    return out.isEmpty() ? 0 : out.getLast().id;
  }

  /** Whether the step that was answered last was this one, in which nothing went wrong. */
  boolean isSound(long stepId) {
    return unsoundStep != stepId;
  }

  /** How often it was closed. */
  int closes() {
    return closes;
  }

  @Override
  public void submit(StepPlan plan) {
    final ModelStep step =
        spare.isEmpty() ? new ModelStep(memory.blockSizes()) : spare.removeLast();
    step.copy(plan, world);
    dice.start(seed, "step", plan.stepId());
    step.durationNs = 50_000 + plan.totalTokens() * 20_000L + dice.below(100_000);
    step.generation = generation;
    faults.draw(step, dice);
    if (step.fault == Feature.REFUSED_STEPS) {
      outputs.refuse(step);
      spare.addLast(step);
      throw Fault.of("refused", dice);
    }
    outputs.accept(step);
    out.addLast(step);
  }

  @Override
  public boolean await(StepOutput output, long timeoutNs) throws InterruptedException {
    final ModelStep step = out.getFirst();
    final long nowNs = world.clock().nanoTime();
    if (step.fault == Feature.INTERRUPTS) {
      step.fault = null;
      throw new InterruptedException("simulated");
    }
    if (step.silentPolls > 0) {
      step.silentPolls--;
      if (step.durationNs % 3 == 0) {
        output.unanswered(Fault.of("connection lost"));
      } else {
        world.passTime(timeoutNs);
      }
      return false;
    }
    if (!step.isStarted) {
      step.isStarted = true;
      step.dueNs = Math.max(busyUntilNs, nowNs) + step.durationNs;
      step.dueNs = step.dueNs < 0 ? Long.MAX_VALUE : step.dueNs;
    }
    if (step.dueNs - nowNs > timeoutNs) {
      world.passTime(timeoutNs);
      return false;
    }
    world.clock().sleepUntil(step.dueNs);
    busyUntilNs = step.dueNs;
    out.removeFirst();
    spare.addLast(step);
    answer(step, output);
    return true;
  }

  private void answer(ModelStep step, StepOutput output) {
    faults.aim(step, out);
    dice.start(seed, "answer", step.id);
    if (step.fault != null && step.fault != Feature.LATE_ANSWERS) {
      unsoundStep = step.id;
    }
    if (step.fault == Feature.FAILED_STEPS) {
      leaveRubbish(step);
      outputs.fail(step);
      throw Fault.of("failed", dice);
    }
    outputs.run(step, step.fault == Feature.FAILED_ENTRIES ? step.faultyEntry : -1);
    memory.save(step.saves);
    memory.load(step.loads);
    memory.spoilBlocks(step.zeroed);
    memory.copy(step.copies);
    loadFromOutside(step, output);
    int left = step.size;
    for (int before = -1; left > 0 && before != left; ) {
      before = left;
      left = 0;
      for (int index = 0; index < step.size; index++) {
        final ModelStep.Entry entry = step.entry(index);
        if (!entry.isComputed && !compute(step, index, entry, output, false)) {
          left++;
        }
      }
    }
    for (int index = 0; left > 0 && index < step.size; index++) {
      if (!step.entry(index).isComputed) {
        compute(step, index, step.entry(index), output, true);
      }
    }
    output.timing(dice.below(1_000), step.durationNs, dice.below(1_000));
    if (step.fault == Feature.WRONG_STEPS) {
      final boolean other = dice.oneIn(2);
      output.begin(step.id + (other ? 1 : 0), step.size + (other ? 0 : 1));
    }
  }

  /** A load that fails leaves rubbish, and says where. */
  private void loadFromOutside(ModelStep step, StepOutput output) {
    for (int index = 0; index < step.size; index++) {
      final ModelStep.Entry entry = step.entry(index);
      if (entry.external > 0 && entry.turn != null) {
        final int from = entry.from - entry.external;
        memory.fill(entry.tables, entry.turn.truth, step.generation, from, entry.from);
        if (failsLoads && world.injectsFaults() && dice.oneIn(3)) {
          world.faultHappened(Feature.FAILED_LOADS);
          unsoundStep = step.id;
          final int bad = from + dice.below(entry.external);
          FaultyConnector.spoilFrom(memory, entry.tables, bad, entry.from, output.transfers());
        }
      }
    }
  }

  /**
   * Computes an entry if all is there that it builds on, or if it {@code must}.
   *
   * @return whether it was computed
   */
  private boolean compute(
      ModelStep step, int index, ModelStep.Entry entry, StepOutput output, boolean must) {
    final TrackedRequest request = entry.request;
    final Turn turn = entry.turn;
    if (request == null || turn == null) {
      world
          .rules()
          .violate(Rule.ONE_END, "a plan must have requests that were queued: step=" + step.id);
      return true;
    }
    final int planned = entry.from + entry.scheduled - entry.drafts;
    final int known = knownTokens(step, entry, request, planned);
    final int shift = entry.samples ? planned - known : 0;
    if (shift < 0 || (shift > 0 && !correctsPositions)) {
      violateTokens("a plan must reach the newest known token", step, request, planned, known);
      return true;
    }
    final int from = entry.from - shift;
    final boolean isToFail = step.fault == Feature.FAILED_ENTRIES && index == step.faultyEntry;
    final boolean fails = isToFail || outputs.lacks(step, entry);
    if (fails) {
      unsoundStep = step.id;
    }
    begin(entry, request, from);
    final boolean isSound =
        !fails
            && memory.canCompute(
                entry.tables,
                turn.truth,
                step.generation,
                from,
                request.executorFrom,
                request.hasDrafted);
    if (!isSound && !fails && !must) {
      return false;
    }
    entry.isComputed = true;
    request.executorKnown = known;
    request.hasDrafted |= entry.drafts > 0;
    final int through = entry.samples ? known : entry.from + entry.scheduled;
    final int accepted = entry.samples ? accepted(entry, turn, known) : 0;
    memory.spoil(entry.tables, from, through + entry.drafts, request.executorFrom);
    if (isSound
        && !memory.write(
            entry.tables,
            turn.truth,
            step.generation,
            from,
            through + accepted,
            request.executorFrom,
            request.hasDrafted)) {
      violateTokens(
          "a token to compute must have a block", step, request, from, through + accepted);
    }
    if (fails) {
      output.fail(index, Fault.of("entry failed"));
      lose(step, request);
    } else {
      sample(step, index, entry, request, turn, known, accepted, isSound, output);
    }
    return true;
  }

  private static void begin(ModelStep.Entry entry, TrackedRequest request, int from) {
    if (entry.goesOn) {
      request.executorGoesOn();
    } else if (!entry.isRunning) {
      request.executorBegins(from);
    }
  }

  private void violateTokens(
      String must, ModelStep step, TrackedRequest request, int first, int last) {
    final String where = request + ", step=" + step.id + ", tokens=[" + first + ", " + last + "]";
    world.rules().violate(Rule.TOKENS, must + ": " + where);
  }

  /** Nothing is known any more of a request that has ended, nor behind a step that has failed. */
  private static int knownTokens(
      ModelStep step, ModelStep.Entry entry, TrackedRequest request, int planned) {
    if (entry.knownTokens >= 0 && !request.isDone()) {
      return entry.knownTokens;
    }
    return request.isDone() || step.id <= request.lostThrough ? planned : request.executorKnown;
  }

  /** An output of the request does not come: the steps that are out were planned as if it did. */
  private void lose(ModelStep step, TrackedRequest request) {
    request.lostThrough = out.isEmpty() ? step.id : out.getLast().id;
  }

  private int accepted(ModelStep.Entry entry, Turn turn, int known) {
    int accepted = 0;
    while (accepted < entry.drafts) {
      final int draft = entry.draftIds[accepted];
      final boolean isRight =
          draft == DraftTokens.ON_DEVICE
              ? entry.isRunning && !dice.oneIn(3)
              : draft == turn.tokens[known + accepted];
      if (!isRight) {
        return accepted;
      }
      accepted++;
    }
    return accepted;
  }

  private void sample(
      ModelStep step,
      int index,
      ModelStep.Entry entry,
      TrackedRequest request,
      Turn turn,
      int known,
      int accepted,
      boolean isSound,
      StepOutput output) {
    final boolean isFaulty = index == step.faultyEntry && step.fault != null;
    if (entry.samples) {
      final int tokens = isFaulty && step.fault == Feature.MISSING_TOKENS ? 0 : accepted + 1;
      for (int i = 0; i < tokens; i++) {
        final int right = turn.tokens[known + i];
        add(output, index, request, isSound ? right : (right + 1) % Drawn.VOCABULARY);
      }
      request.executorKnown = known + accepted + 1;
      if (proposesDrafts) {
        for (int i = 1; i <= step.nextDraftTokens; i++) {
          final int right = turn.tokens[known + accepted + i];
          output.addDraft(index, dice.oneIn(3) ? (right + 1) % Drawn.VOCABULARY : right);
        }
      }
    }
    if (isFaulty && step.fault == Feature.EXCESS_TOKENS) {
      for (int i = output.tokenCount(index); i <= (entry.samples ? entry.drafts + 1 : 0); i++) {
        output.addToken(index, 1);
      }
    } else if (isFaulty && step.fault == Feature.FOREIGN_TOKENS && entry.samples) {
      StepFaults.makeForeign(step, index, output, dice);
    }
  }

  private void add(StepOutput output, int index, TrackedRequest request, int token) {
    if (request.request.sampling().logprobs().isEmpty() || dice.oneIn(8)) {
      output.addToken(index, token);
      return;
    }
    final float logprob = dice.oneIn(8) ? Float.NEGATIVE_INFINITY : -dice.below(9);
    output.addToken(
        index, token, new TokenLogprobs(logprob, 1, new int[] {token}, new float[] {logprob}));
  }

  private void leaveRubbish(ModelStep step) {
    memory.spoilTargetsOnHost(step.saves);
    memory.spoilTargets(step.loads);
    memory.spoilTargets(step.copies);
    memory.spoilBlocks(step.zeroed);
    for (int index = 0; index < step.size; index++) {
      final ModelStep.Entry entry = step.entry(index);
      final int from = entry.from - entry.external;
      memory.spoil(entry.tables, from, entry.from + entry.scheduled, from);
      if (entry.request != null) {
        begin(entry, entry.request, entry.from);
        lose(step, entry.request);
      }
    }
  }

  @Override
  public void close() {
    closes++;
    out.clear();
  }
}

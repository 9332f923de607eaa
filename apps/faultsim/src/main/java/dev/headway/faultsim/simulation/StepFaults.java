package dev.headway.faultsim.simulation;

import dev.headway.api.step.StepOutput;
import java.util.ArrayDeque;

/** What goes wrong with steps: drawn when they are submitted, or aimed when they are answered. */
final class StepFaults {

  private static final Feature[] ALL = ModelExecutor.STEP_FAULTS.toArray(new Feature[0]);
  private static final int[] FOREIGN = {Integer.MIN_VALUE, -1, Drawn.VOCABULARY, Integer.MAX_VALUE};
  private static final int AIMED_ONE_IN = 4;

  private final World world;
  private final long seed;
  private final Drawn drawn;
  private final int oneIn;
  private final Dice aim = new Dice();

  StepFaults(World world, long seed, Drawn drawn) {
    this.world = world;
    this.seed = seed;
    this.drawn = drawn;
    oneIn = aim.start(seed, "fault rate", 0).pick(new Integer[] {8, 40, 200});
  }

  /** Draws the fault of a step that is submitted. */
  void draw(ModelStep step, Dice dice) {
    if (!world.injectsFaults() || !dice.oneIn(oneIn)) {
      return;
    }
    final Feature fault = dice.pick(ALL);
    if (!drawn.has(fault)) {
      return;
    }
    step.fault = fault;
    step.faultyEntry = step.size == 0 ? 0 : dice.below(step.size);
    world.faultHappened(fault);
    if (fault == Feature.SILENCE) {
      step.silentPolls = 1 + dice.below(dice.oneIn(4) ? 60 : 3);
    } else if (fault == Feature.LATE_ANSWERS) {
      step.durationNs *= 1 + dice.below(1_000);
    }
  }

  /**
   * Lets an entry fail, now and then, on which others rest that are out with it or behind it: they
   * have found its blocks, or were preempted and wait for an output. Such entries are too rare to
   * be hit by chance.
   */
  void aim(ModelStep step, ArrayDeque<ModelStep> behind) {
    if (step.fault != null || !drawn.has(Feature.FAILED_ENTRIES) || !world.injectsFaults()) {
      return;
    }
    for (int index = 0; index < step.size; index++) {
      if (isRestedOn(step, index, behind)) {
        if (aim.start(seed, "aim", step.id).oneIn(AIMED_ONE_IN)) {
          step.fault = Feature.FAILED_ENTRIES;
          step.faultyEntry = index;
          world.faultHappened(step.fault);
        }
        return;
      }
    }
  }

  private static boolean isRestedOn(ModelStep step, int index, ArrayDeque<ModelStep> behind) {
    if (isRestedOn(step, index, step, index + 1)) {
      return true;
    }
    for (ModelStep later : behind) {
      if (isRestedOn(step, index, later, 0)) {
        return true;
      }
    }
    return false;
  }

  private static boolean isRestedOn(ModelStep step, int index, ModelStep later, int from) {
    return isFoundIn(step, index, later, from) || awaitsOutput(later, from);
  }

  private static boolean awaitsOutput(ModelStep step, int from) {
    for (int i = from; i < step.size; i++) {
      final TrackedRequest request = step.entry(i).request;
      if (request != null && request.isPreempted && step.entry(i).samples) {
        return true;
      }
    }
    return false;
  }

  /** Whether an admission in a step has a block that an entry is to write. */
  private static boolean isFoundIn(ModelStep step, int index, ModelStep later, int from) {
    final ModelStep.Entry writer = step.entry(index);
    for (int i = from; i < later.size; i++) {
      final ModelStep.Entry finder = later.entry(i);
      if (!finder.isRunning
          && finder.from > writer.from
          && finder.tables.shares(writer.tables, writer.from, finder.from)) {
        return true;
      }
    }
    return false;
  }

  /** Replaces the last token of an entry by one that is in no vocabulary. */
  static void makeForeign(ModelStep step, int index, StepOutput output, Dice dice) {
    final StepOutput copy = new StepOutput();
    copy.begin(step.id, step.size);
    for (int entry = 0; entry < step.size; entry++) {
      final int count = output.tokenCount(entry);
      for (int i = 0; i < count; i++) {
        final boolean isLast = entry == index && i == count - 1;
        copy.addToken(entry, isLast ? FOREIGN[dice.below(FOREIGN.length)] : output.token(entry, i));
      }
    }
    copy.transfers().add(output.transfers());
    output.begin(step.id, step.size);
    output.transfers().add(copy.transfers());
    for (int entry = 0; entry < step.size; entry++) {
      for (int i = 0; i < copy.tokenCount(entry); i++) {
        output.addToken(entry, copy.token(entry, i));
      }
    }
  }
}

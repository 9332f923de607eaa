package dev.headway.scheduler.sim;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.api.executor.Executor;
import dev.headway.api.executor.ExecutorShape;
import dev.headway.api.internal.SplitMix64;
import dev.headway.api.request.PlannedRequest;
import dev.headway.api.step.EntryKind;
import dev.headway.api.step.LatencyModel;
import dev.headway.api.step.StepFeatures;
import dev.headway.api.step.StepOutput;
import dev.headway.api.step.StepPlan;
import dev.headway.api.step.TokenConstraints;
import dev.headway.api.time.NanoClock;
import java.util.ArrayDeque;

/**
 * An executor without a model: a step takes as long as its {@link LatencyModel} says, on whatever
 * clock it is given, and tokens come from a generator.
 *
 * <p>Deterministic: a token depends on the seed, the request's id and its position among the
 * outputs, so chunking, batching, speculation and preemption never change it. As many steps as its
 * shape says may be out; they run one after the other. Allocates nothing once warm.
 */
public final class SimulatedExecutor implements Executor {

  private final ExecutorShape shape;
  private final LatencyModel latency;
  private final NanoClock clock;
  private final long seed;
  private final double draftAcceptance;
  private final StepFeatures features = new StepFeatures();
  private final ArrayDeque<StepPlan> out = new ArrayDeque<>();
  private int[] masks = {};
  private boolean closed;
  private long stepNs;
  private long busyUntilNs;

  /**
   * Makes an executor.
   *
   * @param shape what it claims to hold
   * @param latency how long its steps take
   * @param clock the engine's clock
   * @param seed equal seeds make equal tokens
   */
  public SimulatedExecutor(ExecutorShape shape, LatencyModel latency, NanoClock clock, long seed) {
    this(shape, latency, clock, seed, 0);
  }

  /**
   * Makes an executor that verifies and proposes draft tokens.
   *
   * @param draftAcceptance chance that a draft token is accepted when those before it were, in [0,
   *     1]
   */
  public SimulatedExecutor(
      ExecutorShape shape,
      LatencyModel latency,
      NanoClock clock,
      long seed,
      double draftAcceptance) {
    if (!(draftAcceptance >= 0 && draftAcceptance <= 1)) {
      throw new IllegalArgumentException(
          "draftAcceptance must be in [0, 1]: draftAcceptance=" + draftAcceptance);
    }
    this.draftAcceptance = draftAcceptance;
    this.shape = shape;
    this.latency = latency;
    this.clock = clock;
    this.seed = seed;
  }

  @Override
  public ExecutorShape shape() {
    return shape;
  }

  @Override
  public String name() {
    return "simulated";
  }

  @Override
  public void submit(StepPlan step) {
    if (closed) {
      throw new IllegalStateException(
          "the executor must not be closed: name=" + name() + ", submitted=" + step.stepId());
    }
    if (out.size() == shape.maxStepsInFlight()) {
      throw new IllegalStateException(
          "steps out must be <= maxStepsInFlight: oldest="
              + out.getFirst().stepId()
              + ", submitted="
              + step.stepId()
              + ", maxStepsInFlight="
              + shape.maxStepsInFlight());
    }
    if (out.isEmpty()) {
      start(step, clock.nanoTime());
    }
    out.addLast(step);
  }

  private void start(StepPlan step, long nowNs) {
    features.fill(step);
    stepNs = latency.stepNs(features);
    if (stepNs < 0) {
      throw new IllegalStateException(
          "a step must take >= 0 ns: stepNs="
              + stepNs
              + ", stepId="
              + step.stepId()
              + ", latency="
              + latency.getClass().getName());
    }
    busyUntilNs = nowNs + stepNs;
  }

  @Override
  public boolean await(StepOutput output, long timeoutNs) throws InterruptedException {
    if (out.isEmpty()) {
      throw new IllegalStateException("no step is out");
    }
    final long nowNs = clock.nanoTime();
    clock.sleepUntil(busyUntilNs - nowNs > timeoutNs ? nowNs + timeoutNs : busyUntilNs);
    if (clock.nanoTime() < busyUntilNs) {
      if (Thread.interrupted()) {
        throw new InterruptedException();
      }
      return false;
    }
    answer(out.removeFirst(), output);
    if (!out.isEmpty()) {
      start(out.getFirst(), Math.max(busyUntilNs, out.getFirst().endNs()));
    }
    return true;
  }

  private void answer(StepPlan step, StepOutput output) {
    for (int entry = 0; entry < step.size(); entry++) {
      if (step.samples(entry)) {
        sample(step, entry, output);
      }
    }
    output.timing(ABSENT, stepNs, ABSENT);
  }

  private void sample(StepPlan step, int entry, StepOutput output) {
    final PlannedRequest request = step.request(entry);
    final int position = request.outputTokens();
    final int accepted = acceptedDrafts(step, entry, position);
    final int rows = step.constraints().rows(entry);
    if (rows > 0) {
      readMasks(step, entry, rows);
    }
    for (int i = 0; i <= accepted; i++) {
      final int token = tokenFor(request, position + i);
      output.addToken(entry, i < rows ? nextAllowed(token, i) : token);
    }
    for (int i = 1; i <= step.drafts().toPropose(); i++) {
      output.addDraft(entry, tokenFor(request, position + accepted + i));
    }
  }

  private void readMasks(StepPlan step, int entry, int rows) {
    final int words = TokenConstraints.wordsPerRow(shape.vocabularySize());
    if (masks.length < rows * words) {
      masks = new int[rows * words];
    }
    step.constraints().fill(entry, masks, 0, words);
  }

  /** The first token from one on, and behind the last from 0 on, that a row of the masks allows. */
  private int nextAllowed(int from, int row) {
    final int words = TokenConstraints.wordsPerRow(shape.vocabularySize());
    for (int i = 0; i < shape.vocabularySize(); i++) {
      final int token = (from + i) % shape.vocabularySize();
      if ((masks[row * words + (token >> 5)] >>> token & 1) != 0) {
        return token;
      }
    }
    return from; // a grammar that allows none: it refuses this one
  }

  private int acceptedDrafts(StepPlan step, int entry, int position) {
    final int drafts = step.kind(entry) == EntryKind.RUNNING ? step.drafts().count(entry) : 0;
    int accepted = 0;
    while (accepted < drafts && isAccepted(step.request(entry), position + accepted)) {
      accepted++;
    }
    return accepted; // the drafts that pad an admission were not proposed
  }

  private boolean isAccepted(PlannedRequest request, int position) {
    final long random =
        mix(mix(seed + SplitMix64.GOLDEN_GAMMA * position) ^ request.id().hashCode());
    return (random >>> 11) * 0x1.0p-53 < draftAcceptance;
  }

  private int tokenFor(PlannedRequest request, long position) {
    final long mixed =
        mix(seed ^ mix(request.id().hashCode() + SplitMix64.GOLDEN_GAMMA * position));
    return (int) Long.remainderUnsigned(mixed, shape.vocabularySize());
  }

  /** One step. */
  private static long mix(long value) {
    return SplitMix64.mix(value + SplitMix64.GOLDEN_GAMMA);
  }

  @Override
  public void close() {
    closed = true;
    out.clear();
  }
}

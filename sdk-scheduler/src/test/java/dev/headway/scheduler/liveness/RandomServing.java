package dev.headway.scheduler.liveness;

import dev.headway.api.config.Compatibility;
import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.config.SpeculativeMethod;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.kvcache.KvGroup;
import dev.headway.api.policy.Policies;
import dev.headway.api.probe.AdmittedEvent;
import dev.headway.api.probe.PlannedEvent;
import dev.headway.api.probe.PreemptedEvent;
import dev.headway.api.probe.Probe;
import dev.headway.api.request.FinishReason;
import dev.headway.api.request.Hold;
import dev.headway.api.request.Request;
import dev.headway.api.request.RequestView;
import dev.headway.api.schedule.OutputListener;
import dev.headway.api.schedule.PreemptionCause;
import dev.headway.api.schedule.ResetScope;
import dev.headway.api.step.StepOutput;
import dev.headway.api.step.StepPlan;
import dev.headway.scheduler.model.RandomSettings;
import dev.headway.scheduler.testing.SyncDriver;
import dev.headway.testkit.scheduler.Liveness;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Random;
import java.util.SequencedMap;
import java.util.Set;

/**
 * A scheduler with random policies, groups, displacement and gates under a random load: beside the
 * model's world, which knows neither policies nor groups. A seed decides everything. Whatever is
 * drawn, every request ends, once, and no block is lost.
 */
final class RandomServing implements OutputListener {

  private static final int MOST_ALIVE = 14;
  private static final int MOST_STEPS = 40_000;

  private final long seed;
  private final Random random;
  private final RandomSettings settings;
  private final SchedulerConfig config;
  private final KvCacheShape shape;
  private final RandomPolicies policies;
  private final SyncDriver driver;
  private final SequencedMap<RequestView, List<Hold>> held = new LinkedHashMap<>();
  private final Liveness liveness = new Liveness(this::where);
  private final Displacements displacements = new Displacements();
  private final List<RequestView> alive = new ArrayList<>();
  private final Deque<StepPlan> out = new ArrayDeque<>();
  private final boolean throttled;
  private int operation;
  private int added;
  private int ended;

  RandomServing(long seed) {
    this.seed = seed;
    random = new Random(seed);
    settings = new RandomSettings(random);
    config = settings.config(Compatibility.HEADWAY);
    shape = shape();
    policies = new RandomPolicies(random);
    throttled = settings.oneIn(6);
    final Policies drawn = policies.draw(config, shape);
    driver = new SyncDriver(config, shape, RandomSettings.VOCABULARY, displacements, drawn);
  }

  /** A full group, or several of them with windows, local chunks or recurrent states. */
  private KvCacheShape shape() {
    final KvCacheShape paged = settings.shape(config);
    final boolean plain =
        config.speculation().method() == SpeculativeMethod.NONE
            || config.speculation().method() == SpeculativeMethod.NGRAM;
    if (!plain || settings.oneIn(2)) {
      return paged;
    }
    final int size = 2 + 2 * random.nextInt(2);
    final KvGroup full = new KvGroup.FullAttention(size);
    final boolean drafts = config.speculation().method() != SpeculativeMethod.NONE;
    final List<List<? extends KvGroup>> choices =
        List.of(
            List.of(full, new KvGroup.SlidingWindow(size, 1 + random.nextInt(12))),
            List.of(new KvGroup.SlidingWindow(size, 1 + random.nextInt(12))),
            List.of(full, new KvGroup.ChunkedLocal(size, size * (1 + random.nextInt(3)))),
            List.of(full, new KvGroup.Mamba(size, drafts ? 1 : 0)));
    return KvCacheShape.builder()
        .blockSize(size)
        .blocks(paged.numBlocks() + 6)
        .groups(choices.get(random.nextInt(drafts ? 3 : 4)))
        .build();
  }

  /** Runs so many operations, then lets everything end; returns the requests that did. */
  int run(int operations) {
    try {
      for (operation = 0; operation < operations; operation++) {
        operate();
      }
      drain();
    } catch (RuntimeException e) {
      throw new AssertionError("nothing may throw, " + where(), e);
    }
    if (ended != added || !driver.scheduler().resetPrefixCache(ResetScope.IDLE_ONLY)) {
      throw new AssertionError("every request and every block must come back, " + where());
    }
    return ended;
  }

  private void operate() {
    final int dice = random.nextInt(100);
    if (dice < 20 && alive.size() < MOST_ALIVE) {
      add();
    } else if (dice < 22 && !alive.isEmpty()) {
      final RequestView request = alive.get(random.nextInt(alive.size()));
      driver.scheduler().finish(request, FinishReason.ABORTED, null);
    } else if (dice < 26) {
      release();
    } else if (dice < 27) {
      liveness.disturbed();
      driver.scheduler().resetPrefixCache(ResetScope.PREEMPT_RUNNING);
    } else {
      step();
    }
  }

  private void add() {
    final Request request = settings.request("r" + operation, config, shape);
    final RequestView view = driver.scheduler().add(request, this, driver.tick());
    added++;
    alive.add(view);
    if (!request.holds().isEmpty()) {
      held.put(view, new ArrayList<>(request.holds()));
    }
    liveness.added(view);
  }

  /** One hold of a request is over. */
  private void release() {
    if (!held.isEmpty()) {
      final RequestView view = held.firstEntry().getKey();
      final List<Hold> holds = held.firstEntry().getValue();
      driver.scheduler().release(view, holds.remove(random.nextInt(holds.size())));
      if (holds.isEmpty()) {
        held.remove(view);
      }
      liveness.disturbed();
    }
  }

  /** Plans a step or answers the oldest, as many being out as the pipeline takes. */
  private void step() {
    final boolean full = out.size() == config.pipeline().maxStepsInFlight();
    if (!out.isEmpty() && (full || random.nextBoolean())) {
      final StepPlan answered = out.remove();
      driver.update(answered, this::answer);
      liveness.answered(answered);
      return;
    }
    final StepPlan plan = throttled ? driver.scheduleThrottled() : driver.schedule();
    out.add(plan);
    if (held.size() == alive.size()) {
      liveness.disturbed();
    }
    liveness.planned(plan, true);
  }

  private void answer(StepPlan plan, StepOutput output) {
    for (int entry = 0; entry < plan.size(); entry++) {
      final int tokens =
          plan.samples(entry) ? 1 + random.nextInt(plan.drafts().count(entry) + 1) : 0;
      for (int i = 0; i < tokens; i++) {
        output.addToken(entry, settings.token());
      }
    }
  }

  private void drain() {
    while (!held.isEmpty()) {
      release();
    }
    for (int steps = 0; !alive.isEmpty() || !out.isEmpty(); steps++, operation++) {
      if (steps > MOST_STEPS) {
        throw new AssertionError("all requests must end: alive=" + alive + ", " + where());
      }
      step();
    }
  }

  /** A displacement seats the request that it is for, in the same step. */
  private final class Displacements implements Probe {

    private final Set<RequestView> beneficiaries = new HashSet<>();

    @Override
    public void onPreempted(PreemptedEvent event) {
      if (event.cause() == PreemptionCause.DISPLACED) {
        beneficiaries.add(event.beneficiary());
      }
    }

    @Override
    public void onAdmitted(AdmittedEvent event) {
      beneficiaries.remove(event.request());
    }

    @Override
    public void onPlanned(PlannedEvent event) {
      if (!beneficiaries.isEmpty()) {
        throw new AssertionError("displaced in vain: for=" + beneficiaries + ", " + where());
      }
    }
  }

  private String where() {
    return "seed="
        + seed
        + ", operation="
        + operation
        + ", policies="
        + policies.description()
        + ", throttled="
        + throttled
        + ", "
        + config
        + ", "
        + shape;
  }

  @Override
  public void onTokens(RequestView request, int count, long nowNs) {}

  @Override
  public void onFinished(
      RequestView request, FinishReason reason, long stopTokenId, Throwable cause, long nowNs) {
    ended++;
    alive.remove(request);
    held.remove(request);
    liveness.ended(request);
  }
}

package dev.headway.scheduler.model;

import dev.headway.api.config.AsyncScheduling;
import dev.headway.api.config.Compatibility;
import dev.headway.api.config.Displacement;
import dev.headway.api.config.EngineLimits;
import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.config.SchedulerLimits;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.kvcache.connector.ExternalTokens.Kind;
import dev.headway.api.kvcache.connector.KvRole;
import dev.headway.api.policy.Policies;
import dev.headway.api.request.FinishReason;
import dev.headway.api.request.Hold;
import dev.headway.api.request.Request;
import dev.headway.api.request.RequestView;
import dev.headway.api.schedule.BlockFence;
import dev.headway.api.schedule.OutputListener;
import dev.headway.api.schedule.PauseState;
import dev.headway.api.schedule.ResetScope;
import dev.headway.api.schedule.WaitReason;
import dev.headway.api.step.StepOutput;
import dev.headway.api.step.StepPlan;
import dev.headway.scheduler.testing.SyncDriver;
import dev.headway.testkit.FakeKvConnector;
import dev.headway.testkit.scheduler.Liveness;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A scheduler and its model under the same random use: every feature at once, cancels and resets at
 * any moment, failing and unanswered steps, pools of every size. A seed decides everything, the
 * configuration first. After every operation both are compared and the laws are checked.
 */
final class RandomWorld implements OutputListener {

  /** How an entry fails. */
  private enum Failure {
    REPORTED,
    NO_SUCH_TOKEN,
    WRONG_COUNT
  }

  private static final int MOST_ALIVE = 20;

  /** From here on seeds are of runs that had found something before limits could change. */
  private static final long FIRST_SPECIAL_SEED = 1_000_000;

  private final long seed;
  private final Random random;
  private final RandomSettings settings;
  private final Random outside;
  private final @Nullable FakeKvConnector connector;
  private final Map<String, ModelRequest> transfers = new LinkedHashMap<>();
  private final SchedulerConfig drawn;
  private SchedulerConfig config;

  /** Draws limits, so that the other draws of a seed stay as they are. */
  private final Random limitsRandom;

  private final KvCacheShape shape;
  private final boolean async;
  private final int drafts;
  private final Told told = new Told(this::where);
  private final SyncDriver real;
  private final ModelScheduler model;
  private final Comparison comparison;
  private final Liveness liveness = new Liveness(this::where);
  private final Map<String, Pair> alive = new LinkedHashMap<>();
  private final Deque<StepPlan> out = new ArrayDeque<>();
  private long lastUnanswered;
  private int operation;
  private int ended;

  RandomWorld(long seed) {
    this.seed = seed;
    random = new Random(seed);
    settings = new RandomSettings(random);
    outside = new Random(31 * seed + 7);
    drawn = withDrain(settings.config(), new Random(53 * seed + 11));
    final boolean connects =
        drawn.compatibility() == Compatibility.HEADWAY && outside.nextInt(3) == 0;
    connector = connects ? new FakeKvConnector(KvRole.BOTH) : null;
    limitsRandom = new Random(~seed);
    if (connects) {
      config = drawn.toBuilder().displacement(Displacement.OFF).build();
    } else {
      config = seed < FIRST_SPECIAL_SEED ? limited(drawn, false) : drawn;
    }
    shape = settings.shape(config);
    async = config.pipeline().asyncScheduling() == AsyncScheduling.ENABLED;
    drafts = config.speculation().numSpeculativeTokens();
    real =
        new SyncDriver(
            config, shape, RandomSettings.VOCABULARY, told, Policies.NONE, kv -> kv, connector);
    model = new ModelScheduler(config, shape);
    if (connects) {
      model.state.connector = new ModelConnector(model.state);
    }
    comparison = new Comparison(real, model, told, this::where);
  }

  /**
   * Half of those with a limit of adapters drain some; drawn apart, as {@link #limitsRandom} is.
   */
  private static SchedulerConfig withDrain(SchedulerConfig config, Random random) {
    return config.maxLoras() > 0 && random.nextBoolean()
        ? config.toBuilder().loraDrainWaitThresholdNs(1 + random.nextInt(200)).build()
        : config;
  }

  /** Runs so many operations, then lets everything end where that is promised. */
  void run(int operations) {
    try {
      for (operation = 0; operation < operations; operation++) {
        operate();
        check();
        if (connector != null && outside.nextInt(4) == 0) {
          transfer(outside.nextInt(3) == 0);
          check();
        }
      }
      if (config.compatibility() == Compatibility.HEADWAY) {
        drain();
      }
    } catch (RuntimeException e) {
      throw new AssertionError("nothing may throw, " + where(), e);
    }
  }

  int hashOfEvents() {
    return told.hash();
  }

  Set<WaitReason> reasonsTold() {
    return told.everTold;
  }

  Set<FinishReason> endsTold() {
    return told.everEnded;
  }

  int endedRequests() {
    return ended;
  }

  private void operate() {
    final int dice = random.nextInt(208);
    if (dice >= 200) {
      release();
    } else if (dice < 36) {
      add();
    } else if (dice < 44) {
      cancel();
    } else if (dice < 48) {
      reset(random.nextBoolean() ? ResetScope.PREEMPT_RUNNING : ResetScope.IDLE_ONLY);
    } else if (dice < 53) {
      pause(PauseState.values()[dice == 48 ? 2 : dice == 49 ? 1 : 0]);
    } else if (dice < 55 || (model.awaitsAcknowledgement() && settings.oneIn(4))) {
      real.scheduler().releaseFence(lastUnanswered);
      model.acknowledge(lastUnanswered);
    } else if (out.isEmpty() || (!isFull() && random.nextBoolean())) {
      schedule(settings.oneIn(4));
    } else if (dice < 196) {
      update(dice < 62);
    } else {
      abandon(random.nextBoolean());
    }
  }

  private boolean isFull() {
    return out.size() == config.pipeline().maxStepsInFlight();
  }

  private void add() {
    if (alive.size() < MOST_ALIVE) {
      final Request request = settings.request("r" + operation, config, shape);
      final long arrivalNs = real.tick() / 8; // several arrive together
      final RequestView view = real.scheduler().add(request, this, arrivalNs);
      final ModelRequest added = new ModelRequest(request, arrivalNs);
      if (connector != null) {
        connect(added, connector);
      }
      alive.put(request.id(), new Pair(view, model.add(added)));
      liveness.added(view);
    }
  }

  /** What the connector has of a request. */
  private void connect(ModelRequest request, FakeKvConnector has) {
    final ModelTransfer transfer = request.transfer;
    transfer.has = outside.nextInt(3) == 0 ? 0 : outside.nextInt(2 * request.known());
    transfer.ahead = outside.nextBoolean();
    transfer.undecided = outside.nextInt(4) == 0 ? 1 + outside.nextInt(3) : 0;
    transfer.keeps = outside.nextInt(4) == 0;
    has.has(request.id(), transfer.has, transfer.ahead ? Kind.AHEAD : Kind.IN_STEP);
    has.isUndecided(request.id(), transfer.undecided);
    if (transfer.keeps) {
      has.keeps(request.id());
    }
    transfers.put(request.id(), request);
  }

  /** Some transfer ends. */
  private void transfer(boolean fails) {
    final List<String> loads = connector.loads().stream().sorted().toList();
    final List<String> sends = connector.sends().stream().sorted().toList();
    if (!loads.isEmpty() && (sends.isEmpty() || outside.nextBoolean())) {
      receive(loads.get(outside.nextInt(loads.size())), fails);
    } else if (!sends.isEmpty()) {
      final String id = sends.get(outside.nextInt(sends.size()));
      connector.send(id);
      real.scheduler().transfersEnded(connector.takeReport());
      model.state.connector.sent(transfers.get(id));
    }
    liveness.disturbed();
  }

  private void receive(String id, boolean fails) {
    final ModelRequest request = transfers.get(id);
    final Set<Integer> bad = new HashSet<>();
    if (fails) {
      final int first = outside.nextInt(request.blocks.size());
      bad.addAll(request.blocks.subList(first, request.blocks.size()));
      connector.failLoad(id, first * shape.blockSize(), shape.blockSize());
    } else {
      connector.receive(id);
    }
    real.tick();
    real.scheduler().transfersEnded(connector.takeReport());
    model.state.connector.received(request, bad);
    if (alive.containsKey(id)) {
      alive.get(id).released();
    }
  }

  /** Blocks that the step was to load and has not. */
  private Set<Integer> notLoaded(StepPlan plan) {
    final Set<Integer> blocks = new HashSet<>();
    for (int i = 0; i < plan.size(); i++) {
      if (plan.externalTokens(i) > 0 && outside.nextInt(3) == 0) {
        final int first = (plan.computedTokens(i) - plan.externalTokens(i)) / shape.blockSize();
        final int last = (plan.computedTokens(i) - 1) / shape.blockSize();
        final ModelEntry entry = model.oldest().entries().get(i);
        blocks.add(entry.blocks().get(first + outside.nextInt(last - first + 1)));
      }
    }
    return blocks;
  }

  /** Any hold of any request. */
  private void release() {
    final List<Pair> held =
        alive.values().stream().filter(pair -> !pair.model().holds.isEmpty()).toList();
    if (!held.isEmpty()) {
      final Pair pair = held.get(random.nextInt(held.size()));
      final List<Hold> holds = pair.model().holds;
      release(pair, holds.get(random.nextInt(holds.size())));
    }
  }

  private void release(Pair pair, Hold hold) {
    real.tick();
    real.scheduler().release(pair.view(), hold);
    model.release(pair.model(), hold);
    pair.released();
    liveness.disturbed();
  }

  private void cancel() {
    if (!alive.isEmpty()) {
      final List<Pair> pairs = List.copyOf(alive.values());
      final Pair pair = pairs.get(random.nextInt(pairs.size()));
      final boolean wasAlive = real.scheduler().finish(pair.view(), FinishReason.ABORTED, null);
      comparison.same(wasAlive, true, "was alive");
      model.abort(pair.model());
    }
  }

  private void reset(ResetScope scope) {
    liveness.disturbed();
    final boolean done = real.scheduler().resetPrefixCache(scope);
    comparison.same(done, model.reset(scope == ResetScope.PREEMPT_RUNNING), "reset");
  }

  private void pause(PauseState pause) {
    liveness.disturbed();
    real.scheduler().setPauseState(pause);
    model.state.pause = pause;
  }

  /** A configuration with other limits, if there can be one with those drawn. */
  private SchedulerConfig limited(SchedulerConfig now, boolean runs) {
    final EngineLimits.Builder limits = EngineLimits.of(drawn).toBuilder();
    final SchedulerLimits most = drawn.limits();
    if (limitsRandom.nextInt(3) == 0) {
      limits
          .maxNumPartialPrefills(limitsRandom.nextInt(Math.min(3, most.maxNumSeqs()) + 1))
          .longPrefillTokenThreshold(1 + limitsRandom.nextInt(most.maxModelLen()))
          .maxLongPartialPrefills(limitsRandom.nextInt(2));
    }
    if (runs) {
      limits
          .maxNumActiveSeqs(limitsRandom.nextInt(most.maxNumSeqs() + 1))
          .maxNumScheduledTokens(limitsRandom.nextInt(most.maxNumBatchedTokens() + 1))
          .watermark(limitsRandom.nextInt(3) * 0.2);
    }
    try {
      return limits.build().applyTo(now);
    } catch (IllegalArgumentException e) {
      return now; // a dead end
    }
  }

  /** Limits change while requests run and wait. */
  private void changeLimits() {
    config = limited(config, true);
    real.scheduler().setLimits(EngineLimits.of(config));
    model.state.limit(config);
    liveness.disturbed();
  }

  private void schedule(boolean throttled) {
    if (seed < FIRST_SPECIAL_SEED && limitsRandom.nextInt(40) == 0) {
      changeLimits();
    }
    final StepPlan plan = throttled ? real.scheduleThrottled() : real.schedule();
    out.add(plan);
    final ModelScheduler.Plan expected = model.schedule(throttled, plan.beginNs());
    alive.values().forEach(Pair::see);
    if (model.state.pause != PauseState.RUNNING
        || model.awaitsAcknowledgement()
        || (connector != null && model.state.connector.holdsBlocks())
        || alive.values().stream().allMatch(Pair::isHeld)) {
      liveness.disturbed(); // nothing is promised while blocks or the whole step are held back
    }
    liveness.planned(plan, config.compatibility() == Compatibility.HEADWAY);
    comparison.checkPlan(plan, expected);
  }

  private void update(boolean withFailure) {
    final StepPlan plan = out.remove();
    final int failing = withFailure && plan.size() > 0 ? random.nextInt(plan.size()) : -1;
    final Failure failure = Failure.values()[random.nextInt(3)];
    final List<List<Integer>> answers = new ArrayList<>();
    final List<List<Integer>> proposals = new ArrayList<>();
    for (int i = 0; i < plan.size(); i++) {
      final int tokens = plan.samples(i) ? 1 + random.nextInt(plan.drafts().count(i) + 1) : 0;
      answers.add(i == failing ? null : tokens(tokens));
      final boolean speculates = !async && drafts > 0 && plan.samples(i);
      final boolean proposes = speculates && i != failing && !settings.oneIn(4);
      proposals.add(proposes ? tokens(1 + random.nextInt(drafts + 1)) : List.of());
    }
    final Set<Integer> notLoaded = connector == null ? Set.of() : notLoaded(plan);
    real.update(
        plan,
        (same, output) -> {
          notLoaded.forEach(output.transfers()::invalid);
          for (int i = 0; i < plan.size(); i++) {
            if (answers.get(i) == null) {
              fail(plan, output, i, failure);
            } else {
              fill(output, i, answers.get(i), proposals.get(i));
            }
          }
        });
    final List<Integer> produced = new ArrayList<>();
    for (int i = 0; i < plan.size(); i++) {
      produced.add(plan.producedTokens(i));
    }
    liveness.answered(plan);
    comparison.same(produced, model.update(answers, proposals, notLoaded), "produced");
  }

  private List<Integer> tokens(int count) {
    final List<Integer> tokens = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      tokens.add(settings.token());
    }
    return tokens;
  }

  private static void fill(
      StepOutput output, int entry, List<Integer> tokens, List<Integer> proposals) {
    tokens.forEach(token -> output.addToken(entry, token));
    proposals.forEach(token -> output.addDraft(entry, token));
  }

  private static void fail(StepPlan plan, StepOutput output, int entry, Failure failure) {
    if (failure == Failure.REPORTED) {
      output.fail(entry, new IllegalStateException("broken"));
    } else if (failure == Failure.NO_SUCH_TOKEN) {
      output.addToken(entry, RandomSettings.VOCABULARY);
    } else {
      final int most = plan.samples(entry) ? 1 + plan.drafts().count(entry) : 0;
      for (int i = 0; i <= most; i++) {
        output.addToken(entry, 0);
      }
    }
  }

  private void abandon(boolean done) {
    final StepPlan plan = out.remove();
    final BlockFence fence = done ? BlockFence.RELEASE : BlockFence.HOLD;
    lastUnanswered = done ? lastUnanswered : plan.stepId();
    real.scheduler().fail(plan, new IllegalStateException("broken"), fence);
    liveness.answered(plan);
    model.abandon(done);
  }

  /** With nobody interfering, steps make progress, and all requests end. */
  private void drain() {
    pause(PauseState.RUNNING);
    for (Pair pair : alive.values()) {
      List.copyOf(pair.model().holds).forEach(hold -> release(pair, hold));
    }
    for (int steps = 0; !alive.isEmpty(); steps++) {
      while (!out.isEmpty()) {
        update(false);
        check();
      }
      while (connector != null && !(connector.loads().isEmpty() && connector.sends().isEmpty())) {
        transfer(false);
        check();
      }
      schedule(false);
      check();
      operation++;
      if (steps > 5_000) {
        throw comparison.broken("all requests end, alive=" + alive.keySet());
      }
    }
  }

  private void check() {
    told.ends.forEach(
        (id, ends) -> {
          final ModelRequest request = alive.remove(id).model();
          comparison.same(
              ends, List.of(new Told.End(request.ended, request.stopToken)), "one end, of " + id);
          ended++;
        });
    told.ends.clear();
    alive.values().forEach(p -> comparison.same(null, p.model().ended, "end of " + p.model()));
    comparison.check(alive.values());
    told.fold();
  }

  private String where() {
    return "seed=" + seed + ", operation=" + operation + ", " + config + ", " + shape;
  }

  @Override
  public void onTokens(RequestView request, int count, long nowNs) {}

  @Override
  public void onFinished(
      RequestView request, FinishReason reason, long stopTokenId, Throwable cause, long nowNs) {
    liveness.ended(request);
  }
}

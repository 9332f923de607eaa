package dev.headway.scheduler.core;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.config.AdmissionOptions;
import dev.headway.api.config.ChunkedPrefill;
import dev.headway.api.config.Compatibility;
import dev.headway.api.config.FullSequenceGate;
import dev.headway.api.config.PrefixCaching;
import dev.headway.api.config.QueuePolicy;
import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.config.SchedulerLimits;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.kvcache.KvSequence;
import dev.headway.api.request.FinishReason;
import dev.headway.api.request.PrefixReuse;
import dev.headway.api.request.Request;
import dev.headway.api.request.RequestView;
import dev.headway.api.request.StopRule;
import dev.headway.api.schedule.OutputListener;
import dev.headway.api.schedule.ResetScope;
import dev.headway.api.schedule.StepAcknowledgement;
import dev.headway.api.schedule.WaitReason;
import dev.headway.api.step.EntryKind;
import dev.headway.api.step.StepOutput;
import dev.headway.api.step.StepPlan;
import dev.headway.scheduler.state.RequestState;
import dev.headway.scheduler.testing.PlanCopy;
import dev.headway.scheduler.testing.ProbeLog;
import dev.headway.scheduler.testing.SyncDriver;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;

/**
 * A scheduler and its reference under the same random use: shared prefixes, cancels at any moment,
 * resets, failing and unanswered steps, pools of every size. A seed decides everything, the
 * configuration first. After every operation both are compared and the laws of the scheduler are
 * checked, which hold whatever the reference says.
 */
final class RandomWorld implements OutputListener {

  private static final int VOCABULARY = 16;
  private static final int EOS = 3;

  /** A request in both worlds. */
  private static final class Pair {
    final RequestView view;
    final ReferenceScheduler.Req model;
    boolean seenByAStep;
    int ends;
    FinishReason ended;

    Pair(RequestView view, ReferenceScheduler.Req model) {
      this.view = view;
      this.model = model;
    }
  }

  /** Follows what the probe is told of reasons, and counts ends. */
  private final class Told extends ProbeLog {
    final Map<String, WaitReason> own = new HashMap<>();
    final Set<WaitReason> everTold = EnumSet.noneOf(WaitReason.class);
    WaitReason shared;
    int hash = 1;

    @Override
    public void onBlocked(
        long stepId,
        RequestView request,
        WaitReason reason,
        RequestView blocker,
        int needed,
        int free) {
      super.onBlocked(stepId, request, reason, blocker, needed, free);
      assertThat(own.put(request.id(), reason))
          .as("only changes, %s", where())
          .isNotEqualTo(reason);
      everTold.add(reason);
    }

    @Override
    public void onUnblocked(long stepId, RequestView request) {
      super.onUnblocked(stepId, request);
      assertThat(own.remove(request.id())).as(where()).isNotNull();
    }

    @Override
    public void onAdmissionsClosed(long stepId, WaitReason reason, RequestView blocker) {
      super.onAdmissionsClosed(stepId, reason, blocker);
      shared = reason;
      everTold.add(reason);
    }

    @Override
    public void onAdmitted(
        long stepId, RequestView request, EntryKind kind, int cachedTokens, int lostTokens) {
      super.onAdmitted(stepId, request, kind, cachedTokens, lostTokens);
      own.remove(request.id());
    }

    @Override
    public void onFinished(
        long stepId,
        RequestView request,
        FinishReason reason,
        int stopTokenId,
        Throwable cause,
        int freedBlocks,
        long nowNs) {
      super.onFinished(stepId, request, reason, stopTokenId, cause, freedBlocks, nowNs);
      own.remove(request.id());
      final Pair pair = pairs.get(request.id());
      pair.ends++;
      pair.ended = reason;
    }

    /** Folds the lines into the hash of the run and drops them. */
    void fold() {
      hash = 31 * hash + lines().hashCode();
      lines().clear();
    }
  }

  private final long seed;
  private final Random random;
  private final SchedulerConfig config;
  private final KvCacheShape shape;
  private final boolean headway;
  private final Told told = new Told();
  private final SyncDriver real;
  private final ReferenceScheduler model;
  private final Map<String, Pair> pairs = new HashMap<>();
  private final List<Pair> alive = new ArrayList<>();
  private int operation;
  private int ended;
  private StepPlan planOut;
  private List<ReferenceScheduler.Entry> modelPlan = List.of();

  RandomWorld(long seed) {
    this.seed = seed;
    random = new Random(seed);
    config = randomConfig();
    headway = config.compatibility() == Compatibility.HEADWAY;
    final int usable = random.nextInt(4) == 0 ? 60 : 2 + random.nextInt(12);
    shape = new KvCacheShape(1 + random.nextInt(4), usable + 1, 0);
    real = new SyncDriver(config, shape, VOCABULARY, told);
    model = new ReferenceScheduler(config, shape);
  }

  private SchedulerConfig randomConfig() {
    final int seqs = 1 + random.nextInt(6);
    final int maxModelLen = 4 + random.nextInt(40);
    final boolean chunked = random.nextInt(4) > 0;
    final Compatibility mode =
        random.nextInt(3) == 0 ? Compatibility.VLLM_0_28 : Compatibility.HEADWAY;
    int batched = seqs + random.nextInt(random.nextBoolean() ? 6 : 60);
    if (!chunked && mode == Compatibility.HEADWAY) {
      batched = Math.max(batched, maxModelLen);
    }
    final int threshold = random.nextInt(3) == 0 ? 1 + random.nextInt(maxModelLen) : 0;
    return SchedulerConfig.builder(new SchedulerLimits(seqs, batched, maxModelLen))
        .chunkedPrefill(chunked ? ChunkedPrefill.ENABLED : ChunkedPrefill.DISABLED)
        .longPrefillTokenThreshold(threshold)
        .queuePolicy(random.nextInt(3) == 0 ? QueuePolicy.PRIORITY : QueuePolicy.FCFS)
        .prefixCaching(random.nextInt(4) == 0 ? PrefixCaching.DISABLED : PrefixCaching.ENABLED)
        .admission(
            new AdmissionOptions(
                random.nextBoolean()
                    ? FullSequenceGate.WHOLE_SEQUENCE
                    : FullSequenceGate.NEXT_CHUNK,
                random.nextInt(3) == 0 ? random.nextDouble() * 0.5 : 0))
        .compatibility(mode)
        .build();
  }

  /** Runs so many operations, then lets everything end where that is promised. */
  void run(int operations) {
    for (operation = 0; operation < operations; operation++) {
      operate();
      check();
      told.fold();
    }
    if (headway) {
      drain();
    }
  }

  /** A number that differs when anything the probe heard differs. */
  int hashOfEvents() {
    return told.hash;
  }

  Set<WaitReason> reasonsTold() {
    return told.everTold;
  }

  int endedRequests() {
    return ended;
  }

  SchedulerConfig config() {
    return config;
  }

  private void operate() {
    final int dice = random.nextInt(100);
    if (dice < 20) {
      add();
    } else if (dice < 25) {
      cancel();
    } else if (dice < 27) {
      reset(random.nextBoolean() ? ResetScope.PREEMPT_RUNNING : ResetScope.IDLE_ONLY);
    } else if (planOut == null) {
      schedule();
    } else if (dice < 95) {
      update(dice < 31);
    } else {
      abandon();
    }
  }

  private void add() {
    if (alive.size() > 30) {
      return;
    }
    final int longest =
        Math.min(config.limits().maxModelLen() - 1, shape.usableBlocks() * shape.blockSize());
    final int[] prompt = new int[1 + random.nextInt(longest)];
    final int text = random.nextInt(3);
    final int common = random.nextInt(prompt.length + 1);
    for (int i = 0; i < prompt.length; i++) {
      prompt[i] = i < common ? (text * 5 + i) % VOCABULARY : random.nextInt(VOCABULARY);
    }
    final int maxTokens = 1 + random.nextInt(30);
    final int room = config.limits().maxModelLen() - prompt.length;
    StopRule rule =
        StopRule.maxTokens(maxTokens).withMinTokens(random.nextInt(Math.min(maxTokens, room) + 1));
    rule = random.nextBoolean() ? rule.withEosTokenId(EOS) : rule.withStopTokenIds(4, 5);
    final Request.Builder builder =
        Request.builder("r" + operation, prompt)
            .stopRule(rule)
            .priority(random.nextInt(3))
            .prefixReuse(random.nextInt(8) == 0 ? PrefixReuse.SKIPPED : PrefixReuse.ALLOWED)
            .cacheSalt(random.nextInt(6) == 0 ? "salt" : "");
    final Request request = builder.build();
    final long arrivalNs = real.tick() / 8; // several arrive together
    final Pair pair =
        new Pair(
            real.scheduler().add(request, this, arrivalNs, real.tick()),
            model.add(request, arrivalNs));
    pairs.put(request.id(), pair);
    alive.add(pair);
  }

  private void cancel() {
    if (!alive.isEmpty()) {
      final Pair pair = alive.get(random.nextInt(alive.size()));
      final boolean wasAlive =
          real.scheduler().finish(pair.view, FinishReason.ABORTED, null, real.tick());
      assertThat(wasAlive).as(where()).isTrue();
      model.finish(pair.model);
    }
  }

  private void reset(ResetScope scope) {
    final boolean done = real.scheduler().resetPrefixCache(scope, real.tick());
    assertThat(done).as(where()).isEqualTo(model.reset(scope == ResetScope.PREEMPT_RUNNING));
  }

  private void schedule() {
    planOut = real.schedule();
    modelPlan = model.schedule();
    alive.forEach(pair -> pair.seenByAStep = true);
    final List<String> expected = new ArrayList<>();
    for (ReferenceScheduler.Entry entry : modelPlan) {
      expected.add(
          entry.req()
              + " "
              + entry.computed()
              + "+"
              + entry.tokens()
              + entry.blocks()
              + entry.samples());
    }
    final List<String> actual = new ArrayList<>();
    for (PlanCopy.Entry entry : PlanCopy.of(planOut).entries()) {
      actual.add(
          entry.id()
              + " "
              + entry.computed()
              + "+"
              + entry.tokens()
              + entry.blocks()
              + entry.samples());
    }
    same(actual, expected, "plan");
    if (planOut.totalTokens() > config.limits().maxNumBatchedTokens()) {
      throw broken("tokens within the budget");
    }
  }

  private void update(boolean withFailure) {
    final List<Integer> answers = new ArrayList<>();
    final int failing = withFailure && planOut.size() > 0 ? random.nextInt(planOut.size()) : -1;
    for (int i = 0; i < planOut.size(); i++) {
      answers.add(i == failing ? null : (Integer) random.nextInt(VOCABULARY));
    }
    real.update(planOut, (plan, output) -> fill(plan, output, answers));
    model.update(answers);
    planOut = null;
  }

  private void fill(StepPlan plan, StepOutput output, List<Integer> answers) {
    for (int i = 0; i < plan.size(); i++) {
      final Integer token = answers.get(i);
      if (token == null && operation % 2 == 0) {
        output.fail(i, new IllegalStateException("broken"));
      } else if (token == null) {
        output.addToken(i, VOCABULARY);
      } else if (plan.samples(i)) {
        output.addToken(i, token);
      }
    }
  }

  private void abandon() {
    final boolean done = random.nextBoolean();
    final StepAcknowledgement acknowledgement =
        done ? StepAcknowledgement.DONE : StepAcknowledgement.UNANSWERED;
    real.scheduler()
        .abandon(planOut, new IllegalStateException("broken"), acknowledgement, real.tick());
    model.abandon(done);
    if (!done && random.nextBoolean()) {
      check();
      real.scheduler().acknowledge(planOut.stepId());
      model.acknowledge(planOut.stepId());
    }
    planOut = null;
  }

  /** S2: with nothing in flight every second step makes progress, and all requests end. */
  private void drain() {
    int idleSteps = 0;
    int steps = 0;
    while (!alive.isEmpty()) {
      final int endedBefore = ended;
      if (planOut == null) {
        schedule();
      }
      final int size = planOut.size();
      update(false);
      operation++;
      check();
      told.fold();
      idleSteps = size > 0 || ended > endedBefore ? 0 : idleSteps + 1;
      if (idleSteps >= 2) {
        throw broken("progress within two steps, waiting=" + model.waiting);
      }
      if (++steps > 50_000) {
        throw broken("all requests end, alive=" + alive.size());
      }
    }
  }

  // -- laws

  private void check() {
    for (Pair pair : List.copyOf(alive)) {
      if (pair.ends > 0) {
        alive.remove(pair);
        ended++;
      }
      if (pair.ends > 1 || pair.ended != pair.model.ended) {
        throw broken(
            "one end, the right one: id="
                + pair.view.id()
                + ", ends="
                + pair.ends
                + ", ended="
                + pair.ended
                + ", expected="
                + pair.model.ended);
      }
    }
    final List<String> running = new ArrayList<>();
    real.scheduler().forEachRunning(request -> running.add(request.id()));
    same(running, ids(model.running), "running");
    final List<String> waiting = new ArrayList<>();
    real.scheduler().forEachWaiting(request -> waiting.add(request.id()));
    same(waiting, ids(model.waiting), "waiting");
    if (running.size() > config.limits().maxNumSeqs()
        || running.size() + waiting.size() != alive.size()) {
      throw broken("everybody is somewhere: alive=" + alive.size());
    }
    checkTokensAndReasons();
    checkOrder();
    checkBlocks();
  }

  private void checkTokensAndReasons() {
    for (Pair pair : alive) {
      final boolean same =
          pair.view.computedTokens() == pair.model.computed
              && pair.view.knownTokens() == pair.model.known()
              && pair.view.findableTokens() == pair.model.cachedBlocks * shape.blockSize();
      if (!same || pair.view.computedTokens() > pair.view.knownTokens()) {
        throw broken("tokens of " + pair.view.id());
      }
      final boolean waits = model.waiting.contains(pair.model);
      final WaitReason own = told.own.get(pair.view.id());
      if (waits && pair.seenByAStep) {
        same(own != null ? own : told.shared, model.reasonOf(pair.model), pair.view.id());
        if (own == null && told.shared == null) {
          throw broken("every waiting request has a reason: id=" + pair.view.id());
        }
      } else if (!waits) {
        same(own, pair.model.reason, pair.view.id());
      }
    }
  }

  /** Those that wait and never ran stand in order of arrival. */
  private void checkOrder() {
    if (config.queuePolicy() == QueuePolicy.FCFS) {
      long before = -1;
      for (ReferenceScheduler.Req req : model.waiting) {
        final long number = pairs.get(req.id()).view.number();
        if (number <= before) {
          throw broken("order of arrival: waiting=" + model.waiting);
        }
        before = number;
      }
    }
  }

  private void checkBlocks() {
    final int[] free = real.kv().freeBlocksInOrder();
    final List<Integer> freeList = Arrays.stream(free).boxed().toList();
    same(freeList, model.free, "free blocks in order");
    same(real.kv().quarantinedBlocks(), model.quarantined(), "quarantined");
    same(real.kv().cachedContents(), model.cachedContents(), "cached contents");
    final Set<Integer> held = new HashSet<>();
    for (Pair pair : alive) {
      final KvSequence kv = ((RequestState) pair.view).kv();
      final Set<Integer> own = new HashSet<>();
      for (int i = 0; i < kv.blockCount(); i++) {
        if (!own.add(kv.blockId(i)) || kv.blockId(i) < 1) {
          throw broken("a block twice in one table: id=" + pair.view.id());
        }
      }
      held.addAll(own);
    }
    final Set<Integer> seen = new HashSet<>(held);
    for (int block : free) {
      if (!seen.add(block)) {
        throw broken("no block is free twice, or free and held: block=" + block);
      }
    }
    if (free.length + held.size() + real.kv().quarantinedBlocks() != shape.usableBlocks()) {
      throw broken("free + held + quarantined = usable: held=" + held);
    }
  }

  private static List<String> ids(List<ReferenceScheduler.Req> requests) {
    return requests.stream().map(ReferenceScheduler.Req::id).toList();
  }

  private void same(Object actual, Object expected, String what) {
    if (!Objects.equals(actual, expected)) {
      assertThat(actual).as("%s, %s", what, where()).isEqualTo(expected);
    }
  }

  private AssertionError broken(String law) {
    return new AssertionError(law + ", " + where());
  }

  private String where() {
    return "seed=" + seed + ", operation=" + operation + ", " + config + ", " + shape;
  }

  @Override
  public void onTokens(RequestView request, int count, long nowNs) {}

  @Override
  public void onFinished(
      RequestView request, FinishReason reason, int stopTokenId, Throwable cause, long nowNs) {}
}

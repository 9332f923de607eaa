package dev.headway.testkit.scheduler;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.engine.KvCacheContext;
import dev.headway.api.engine.SchedulerContext;
import dev.headway.api.executor.ExecutorShape;
import dev.headway.api.kvcache.KvCacheListener;
import dev.headway.api.kvcache.KvCacheManager;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.policy.Policies;
import dev.headway.api.probe.Probe;
import dev.headway.api.request.FinishReason;
import dev.headway.api.request.PlannedRequest;
import dev.headway.api.request.Request;
import dev.headway.api.request.RequestView;
import dev.headway.api.schedule.BlockFence;
import dev.headway.api.schedule.OutputListener;
import dev.headway.api.schedule.ResetScope;
import dev.headway.api.schedule.Scheduler;
import dev.headway.api.schedule.WaitTimes;
import dev.headway.api.step.StepOutput;
import dev.headway.api.step.StepPlan;
import dev.headway.api.step.TokenLogprobs;
import dev.headway.api.time.NanoClock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A scheduler under test with everything around it, and what it did so far. */
final class SchedulerRun implements OutputListener {

  /** Token ids are below this. */
  static final int VOCABULARY = 100;

  private static final int MOST_STEPS = 2_000;

  private record Context(
      SchedulerConfig config,
      ExecutorShape executorShape,
      KvCacheManager kvCache,
      Probe probe,
      NanoClock clock,
      Policies policies)
      implements SchedulerContext {}

  private record CacheContext(
      KvCacheShape shape, SchedulerConfig config, KvCacheListener listener, NanoClock clock)
      implements KvCacheContext {}

  /** How a request ended. */
  record End(FinishReason reason, @Nullable Throwable cause) {}

  final StepClock clock = new StepClock();
  final EventCheck events;
  final SchedulerConfig config;
  final StrictKvCache kv;
  final Scheduler scheduler;
  final StepOutput output = new StepOutput();

  /** Requests by id, in the order of arrival. */
  final Map<String, RequestView> requests = new LinkedHashMap<>();

  /** What the listener was notified of. */
  final Map<String, List<Integer>> tokens = new HashMap<>();

  final Map<String, End> ends = new HashMap<>();

  /** The stop tokens of the requests that have ended. */
  final Map<String, Long> stopTokens = new HashMap<>();

  /** Instants of first admissions. */
  final Map<String, Long> firstAdmissions = new HashMap<>();

  /** Tokens that came with log-probabilities. */
  final Map<String, Integer> logprobs = new HashMap<>();

  /** What was answered for requests that were alive. */
  final Map<String, List<Integer>> answered = new HashMap<>();

  private final BlockTables tables = new BlockTables();
  private final boolean explainsWaits;
  private final Set<String> waitsToldOf = new HashSet<>();
  private long steps;
  private int nextToken;

  /** Instant of the answer that is being processed; 0 between answers. */
  private long answeredNs;

  private WaitTimes waitTimes = WaitTimes.NONE;

  SchedulerRun(SchedulerContract contract, SchedulerConfig config, KvCacheShape shape) {
    this.config = config;
    explainsWaits = contract.explainsWaits();
    events = new EventCheck(explainsWaits);
    kv = new StrictKvCache(contract.kvCache(new CacheContext(shape, config, events, clock)));
    scheduler =
        contract.create(
            new Context(
                config,
                ExecutorShape.builder()
                    .kvCache(shape)
                    .maxNumSeqs(config.limits().maxNumSeqs())
                    .vocabularySize(VOCABULARY)
                    .maxStepsInFlight(config.pipeline().maxStepsInFlight())
                    .build(),
                kv,
                events,
                clock,
                Policies.NONE));
  }

  /** Adds a request whose prompt shares nothing with another's. */
  RequestView add(String id, int promptTokens, int maxTokens) {
    final int[] prompt = new int[promptTokens];
    for (int i = 0; i < promptTokens; i++) {
      prompt[i] = (requests.size() * 7 + i * i + i) % VOCABULARY;
    }
    return add(Request.builder(id, prompt).maxTokens(maxTokens).build());
  }

  /** Adds a request. */
  RequestView add(Request request) {
    final String id = request.id();
    tokens.put(id, new ArrayList<>());
    answered.put(id, new ArrayList<>());
    final RequestView view = scheduler.add(request, this, clock.nanoTime());
    requests.put(id, view);
    assertEquals(id, view.id(), "add must return the view of the request it was given");
    checkConservation();
    return view;
  }

  /** Plans a step and checks the plan. */
  StepPlan schedule() {
    final int plannedBefore = events.planned.size();
    final long beforeNs = clock.latestNs();
    final StepPlan plan = scheduler.schedule();
    steps++;
    assertTrue(steps < MOST_STEPS, () -> "requests must make progress: steps=" + steps);
    assertEquals(steps, plan.stepId(), "steps must be numbered from 1 without gaps");
    assertTrue(
        beforeNs < plan.beginNs() && plan.beginNs() <= plan.endNs(),
        () ->
            "a plan must be stamped by the scheduler's clock: before="
                + beforeNs
                + ", beginNs="
                + plan.beginNs()
                + ", endNs="
                + plan.endNs());
    assertTrue(plan.endNs() <= clock.latestNs(), "a plan must be stamped by the scheduler's clock");
    assertEquals(
        plannedBefore + 1, events.planned.size(), "the probe must be notified of each plan once");
    assertEquals(
        plan.stepId(), events.planned.getLast(), "the probe must be notified of this plan");
    assertSame(events.latestPlan, plan, "the probe must be notified of the plan that is returned");
    checkPlan(plan);
    tables.take(plan);
    kv.checkPlanned(plan.stepId());
    checkConservation();
    return plan;
  }

  private void checkPlan(StepPlan plan) {
    final int budget = config.limits().maxNumBatchedTokens();
    final Set<String> seen = new HashSet<>();
    int total = 0;
    for (int entry = 0; entry < plan.size(); entry++) {
      final PlannedRequest request = plan.request(entry);
      final String at = "stepId=" + plan.stepId() + ", id=" + request.id();
      assertTrue(seen.add(request.id()), "a request must be in a plan once: " + at);
      assertTrue(!ends.containsKey(request.id()), "an ended request must not be planned: " + at);
      assertTrue(plan.scheduledTokens(entry) >= 1, "an entry must have tokens: " + at);
      final int end = plan.computedTokens(entry) + plan.scheduledTokens(entry);
      assertEquals(
          end >= request.knownTokens(), plan.samples(entry), "samples must say the truth: " + at);
      assertTrue(
          end <= request.knownTokens(), "no more tokens must be scheduled than are known: " + at);
      assertTrue(
          (long) plan.blocks().count(entry, 0) * kv.shape().blockSize() >= end,
          "the block table must hold the scheduled tokens: " + at);
      total += plan.scheduledTokens(entry);
    }
    assertEquals(total, plan.totalTokens(), "totalTokens must be the sum of the entries");
    final int sum = total;
    assertTrue(
        sum <= budget,
        () -> "tokens must be <= maxNumBatchedTokens: tokens=" + sum + ", budget=" + budget);
    final int seats = config.limits().maxNumSeqs();
    assertTrue(
        scheduler.runningCount() <= seats && plan.size() <= scheduler.runningCount(),
        () ->
            "entries must be <= running <= maxNumSeqs: entries="
                + plan.size()
                + ", running="
                + scheduler.runningCount()
                + ", maxNumSeqs="
                + seats);
  }

  /** Answers a step: a token for each sampling entry. */
  void complete(StepPlan plan) {
    complete(plan, -1, null);
  }

  /** Answers a step in which an entry fails, or none with -1. */
  void complete(StepPlan plan, int failing, @Nullable Throwable cause) {
    output.begin(plan.stepId(), plan.size());
    for (int entry = 0; entry < plan.size(); entry++) {
      if (entry == failing && cause != null) {
        output.fail(entry, cause);
        kv.willFail(plan.blocks().of(entry), plan.computedTokens(entry));
      } else if (plan.samples(entry)) {
        answer(plan, entry, nextToken++ % VOCABULARY);
      }
    }
    completeWithOutput(plan, failing >= 0);
  }

  /** Adds a token to the output, and to what is expected of its request. */
  void answer(StepPlan plan, int entry, int token) {
    final String id = plan.request(entry).id();
    final boolean logprobs = plan.request(entry).request().sampling().logprobs().isPresent();
    if (logprobs) {
      output.addToken(entry, token, new TokenLogprobs(-0.5f, 1, new int[0], new float[0]));
    } else {
      output.addToken(entry, token);
    }
    if (!ends.containsKey(id)) {
      of(answered, id).add(token);
    }
  }

  /** Hands over the output as it is, stamped with the present. */
  void completeWithOutput(StepPlan plan, boolean fails) {
    answeredNs = clock.nanoTime();
    output.availableAt(answeredNs);
    scheduler.complete(plan, output);
    answeredNs = 0;
    kv.hasFailed();
    kv.checkEnded(plan.stepId(), fails);
    checkConservation();
  }

  /** A step fails as a whole. */
  void fail(StepPlan plan, Throwable cause, BlockFence fence) {
    for (int entry = 0; entry < plan.size(); entry++) {
      kv.willFail(plan.blocks().of(entry), plan.computedTokens(entry));
    }
    scheduler.fail(plan, cause, fence);
    kv.hasFailed();
    kv.checkEnded(plan.stepId(), true);
    checkConservation();
  }

  /** Resets the prefix cache. */
  boolean resetPrefixCache(ResetScope scope) {
    final boolean done = scheduler.resetPrefixCache(scope);
    events.endReset();
    checkConservation();
    return done;
  }

  /** Runs a whole step; returns how many entries it had. */
  int step() {
    final StepPlan plan = schedule();
    final int entries = plan.size();
    complete(plan);
    return entries;
  }

  /** Runs steps until every request has ended. */
  void drain() {
    while (ends.size() < requests.size()) {
      step();
    }
  }

  /** Runs two empty steps, so that what ended is announced and acknowledged. */
  void settle() {
    step();
    step();
  }

  void checkConservation() {
    final int alive = requests.size() - ends.size();
    final int kept = scheduler.waitingCount() + scheduler.runningCount();
    assertEquals(alive, kept, () -> conservation(alive));
  }

  private String conservation(int alive) {
    return "requests alive must be waiting or running: alive="
        + alive
        + ", waiting="
        + scheduler.waitingCount()
        + ", running="
        + scheduler.runningCount();
  }

  /** Returns what is known of a request. */
  static <T> T of(Map<String, T> known, String id) {
    return Objects.requireNonNull(known.get(id), () -> "nothing is known of request " + id);
  }

  @Override
  public void onFirstAdmitted(RequestView request, long nowNs) {
    assertNull(
        firstAdmissions.put(request.id(), nowNs),
        "a request must be admitted for the first time once: id=" + request.id());
    assertTrue(
        of(tokens, request.id()).isEmpty(), "it must be admitted before it has tokens: " + request);
  }

  @Override
  public void onTokens(RequestView request, int count, long nowNs) {
    checkAnsweredAt(request, nowNs);
    for (int i = request.knownTokens() - count; i < request.knownTokens(); i++) {
      of(tokens, request.id()).add(request.tokenId(i));
    }
  }

  @Override
  public void onTokens(RequestView request, int count, StepOutput answer, int entry, long nowNs) {
    onTokens(request, count, nowNs);
    for (int i = 0; i < count; i++) {
      final int token = request.tokenId(request.knownTokens() - count + i);
      assertEquals(token, answer.token(entry, i), "the entry of the request's tokens");
      if (answer.logprobs(entry, i) != null) {
        logprobs.merge(request.id(), 1, Integer::sum);
      }
    }
  }

  private void checkAnsweredAt(RequestView request, long nowNs) {
    if (answeredNs > 0) {
      assertEquals(
          answeredNs, nowNs, () -> "what an answer causes has its instant: id=" + request.id());
    }
  }

  @Override
  public void onWaitTimes(RequestView request, long[] byReasonNs) {
    final String id = request.id();
    assertTrue(waitsToldOf.add(id), () -> "waits must be reported once: id=" + id);
    waitTimes = WaitTimes.of(byReasonNs);
  }

  @Override
  public void onFinished(
      RequestView request,
      FinishReason reason,
      long stopTokenId,
      @Nullable Throwable cause,
      long nowNs) {
    final String id = request.id();
    checkAnsweredAt(request, nowNs);
    if (explainsWaits) {
      assertTrue(waitsToldOf.contains(id), () -> "waits must be reported before the end: id=" + id);
      assertEquals(
          events.waitsOf(id, nowNs),
          waitTimes.byReason(),
          () -> "waits must be those that the events report: id=" + id);
    }
    stopTokens.put(id, stopTokenId);
    final End before = ends.put(id, new End(reason, cause));
    assertNull(before, () -> "a request must end once: id=" + id);
  }
}

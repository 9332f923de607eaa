package dev.headway.testkit.scheduler;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.engine.KvCacheContext;
import dev.headway.api.engine.SchedulerContext;
import dev.headway.api.executor.ExecutorShape;
import dev.headway.api.kvcache.KvCacheListener;
import dev.headway.api.kvcache.KvCacheManager;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.policy.Policies;
import dev.headway.api.probe.FinishedEvent;
import dev.headway.api.probe.PlannedEvent;
import dev.headway.api.probe.Probe;
import dev.headway.api.request.FinishReason;
import dev.headway.api.request.PlannedRequest;
import dev.headway.api.request.Request;
import dev.headway.api.request.RequestView;
import dev.headway.api.schedule.OutputListener;
import dev.headway.api.schedule.Scheduler;
import dev.headway.api.step.StepOutput;
import dev.headway.api.step.StepPlan;
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
  final Notified notified = new Notified();
  final SchedulerConfig config;
  final KvCacheManager kv;
  final Scheduler scheduler;
  final StepOutput output = new StepOutput();

  /** Requests by id, in the order of arrival. */
  final Map<String, RequestView> requests = new LinkedHashMap<>();

  /** What the listener was notified of. */
  final Map<String, List<Integer>> tokens = new HashMap<>();

  final Map<String, End> ends = new HashMap<>();

  /** What was answered for requests that were alive. */
  final Map<String, List<Integer>> answered = new HashMap<>();

  private long steps;
  private int nextToken;

  SchedulerRun(SchedulerContract contract, SchedulerConfig config, KvCacheShape shape) {
    this.config = config;
    kv = contract.kvCache(new CacheContext(shape, config, notified, clock));
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
                notified,
                clock,
                Policies.NONE));
  }

  /** Adds a request whose prompt shares nothing with another's. */
  RequestView add(String id, int promptTokens, int maxTokens) {
    final int[] prompt = new int[promptTokens];
    for (int i = 0; i < promptTokens; i++) {
      prompt[i] = (requests.size() * 7 + i * i + i) % VOCABULARY;
    }
    final Request request = Request.builder(id, prompt).maxTokens(maxTokens).build();
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
    final int plannedBefore = notified.planned.size();
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
        plannedBefore + 1, notified.planned.size(), "the probe must be notified of each plan once");
    assertEquals(
        plan.stepId(), notified.planned.getLast(), "the probe must be notified of this plan");
    checkPlan(plan);
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
          (long) plan.blockCount(entry, 0) * kv.shape().blockSize() >= end,
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
      final String id = plan.request(entry).id();
      if (entry == failing && cause != null) {
        output.fail(entry, cause);
      } else if (plan.samples(entry)) {
        final int token = nextToken++ % VOCABULARY;
        output.addToken(entry, token);
        if (!ends.containsKey(id)) {
          of(answered, id).add(token);
        }
      }
    }
    scheduler.complete(plan, output);
    checkConservation();
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
  public void onTokens(RequestView request, int count, long nowNs) {
    for (int i = request.knownTokens() - count; i < request.knownTokens(); i++) {
      of(tokens, request.id()).add(request.tokenId(i));
    }
  }

  @Override
  public void onFinished(
      RequestView request,
      FinishReason reason,
      long stopTokenId,
      @Nullable Throwable cause,
      long nowNs) {
    final End before = ends.put(request.id(), new End(reason, cause));
    if (before != null) {
      fail("a request must end once: id=" + request.id() + ", before=" + before);
    }
  }

  /** What the probe was notified of. */
  static final class Notified implements Probe {

    final List<Long> planned = new ArrayList<>();
    final Map<String, Integer> finished = new HashMap<>();

    @Override
    public void onPlanned(PlannedEvent event) {
      planned.add(event.stepId());
    }

    @Override
    public void onFinished(FinishedEvent event) {
      finished.merge(event.request().id(), 1, Integer::sum);
    }
  }
}

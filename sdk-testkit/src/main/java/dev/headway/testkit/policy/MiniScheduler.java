package dev.headway.testkit.policy;

import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.policy.CapacityPolicy;
import dev.headway.api.policy.ChunkPolicy;
import dev.headway.api.policy.Policies;
import dev.headway.api.policy.ServiceLedger;
import dev.headway.api.policy.StepTimeModel;
import dev.headway.api.request.Request;
import dev.headway.api.request.RequestStatus;
import dev.headway.api.step.EntryKind;
import dev.headway.api.step.StepFeatures;
import dev.headway.testkit.FakePlan;
import dev.headway.testkit.FakeRequest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The smallest scheduler that asks every policy what the real one asks: running requests first,
 * then admissions until a request does not fit; blocks are counted, not placed; a step takes 1 ms
 * and 10 us per token. Slow and allocating, for tests only.
 */
final class MiniScheduler {

  private final SchedulerConfig config;
  private final KvCacheShape shape;
  private final AskedPolicies asked;
  private final Policies policies;
  private final SampleStep view;
  private final StepFeatures features = new StepFeatures();
  private final List<FakeRequest> waiting = new ArrayList<>();
  private final Map<FakeRequest, Integer> outputs = new HashMap<>();
  private final StringBuilder trace = new StringBuilder();
  private final Map<String, long[]> servedByTenant = new HashMap<>();
  private FakePlan plan = new FakePlan();
  private long nextNumber;
  private int preemptions;
  private boolean preemptedInStep;

  MiniScheduler(SchedulerConfig config, KvCacheShape shape, AskedPolicies asked) {
    this.config = config;
    this.shape = shape;
    this.asked = asked;
    policies = asked.policies();
    view =
        SampleStep.of(config, shape.blockSize(), shape.usableBlocks())
            .stepTime(policies.stepTime())
            .build();
    view.scheduled = new int[config.limits().maxNumSeqs()];
  }

  /** What happened, a line per step. */
  String trace() {
    return trace.toString();
  }

  int preemptions() {
    return preemptions;
  }

  boolean hasPreempted() {
    return preemptedInStep;
  }

  FakePlan plan() {
    return plan;
  }

  private static String tenantOf(FakeRequest request) {
    return Objects.requireNonNullElse(request.tenant(), "");
  }

  int waitingCount(String tenant) {
    int count = 0;
    for (FakeRequest request : waiting) {
      count += tenantOf(request).equals(tenant) ? 1 : 0;
    }
    return count;
  }

  int waitingCount() {
    return waiting.size();
  }

  long nowNs() {
    return view.nowNs;
  }

  /** Prompt tokens computed at first admissions and outputs of a tenant, the empty one included. */
  long[] served(String tenant) {
    return servedByTenant.computeIfAbsent(tenant, t -> new long[2]);
  }

  /** Puts a request into the queue that will have {@code outputTokens} outputs. */
  FakeRequest arrive(Request request, int outputTokens, int cachedPrefixTokens) {
    final FakeRequest arrived =
        FakeRequest.of(nextNumber++, request)
            .arrived(view.nowNs, view.nowNs)
            .cachedPrefixTokens(cachedPrefixTokens);
    outputs.put(arrived, outputTokens);
    waiting.add(arrived);
    tellLedgers(ledger -> ledger.onQueued(arrived));
    return arrived;
  }

  /** Plans and executes one step. */
  void step() {
    plan = new FakePlan();
    preemptedInStep = false;
    Arrays.fill(view.scheduled, 0);
    view.waitingCount = waiting.size();
    view.tokensLeft = config.limits().maxNumBatchedTokens();
    final CapacityPolicy capacity = policies.capacity();
    if (capacity != null) {
      asked.tell(() -> capacity.onStep(view));
    }
    view.tokensLeft = asked.budget(view, decodes(), view.tokensLeft);
    final ChunkPolicy chunking = policies.chunking();
    if (chunking != null) {
      asked.tell(() -> chunking.onStep(view));
    }
    planRunning();
    final int admittedFrom = view.running.size();
    if (!preemptedInStep) {
      admitWaiting();
    }
    execute(admittedFrom);
  }

  private int decodes() {
    int decodes = 0;
    for (FakeRequest request : view.running) {
      decodes += request.knownTokens() - request.computedTokens() == 1 ? 1 : 0;
    }
    return decodes;
  }

  private void planRunning() {
    int index = 0;
    while (index < view.running.size() && view.tokensLeft > 0) {
      final FakeRequest request = view.running.get(index);
      final int wanted =
          Math.min(request.knownTokens() - request.computedTokens(), view.tokensLeft);
      final int tokens = asked.chunk(request, wanted, view);
      while (!hold(request, request.computedTokens() + tokens, 0)) {
        final int needed = blocks(request.computedTokens() + tokens) - request.kvBlocks();
        final int victim = asked.victim(request, needed - view.freeBlocks, view);
        if (victim < 0 || view.running.get(victim) == request) {
          preempt(victim < 0 ? index : victim);
          return;
        }
        preempt(victim);
        index -= victim < index ? 1 : 0;
      }
      view.scheduled[index++] = tokens;
      view.tokensLeft -= tokens;
    }
  }

  private void preempt(int index) {
    final FakeRequest victim = view.running.remove(index);
    view.tokensLeft += view.scheduled[index];
    System.arraycopy(
        view.scheduled, index + 1, view.scheduled, index, view.scheduled.length - index - 1);
    view.freeBlocks += victim.kvBlocks();
    victim.kvBlocks(0);
    victim.computedTokens(0);
    victim.preemptions(victim.preemptions() + 1);
    victim.status(RequestStatus.PREEMPTED);
    waiting.add(0, victim);
    preemptions++;
    preemptedInStep = true;
    trace.append(" -").append(victim.number());
    final CapacityPolicy capacity = policies.capacity();
    if (capacity != null) {
      asked.tell(() -> capacity.onPreempted(victim, view));
    }
  }

  private void admitWaiting() {
    final List<FakeRequest> candidates = new ArrayList<>(waiting);
    while (view.tokensLeft > 0 && view.running.size() < config.limits().maxNumSeqs()) {
      final FakeRequest next = first(candidates);
      if (next == null) {
        return;
      }
      switch (asked.admit(next, view)) {
        case ADMIT -> {
          if (!admit(next)) {
            return;
          }
          waiting.remove(next);
        }
        case REJECT -> {
          waiting.remove(next);
          tellLedgers(ledger -> ledger.onFinished(next));
          trace.append(" x").append(next.number());
        }
        case DEFER, HOLD -> {}
      }
      candidates.remove(next);
      view.waitingCount = waiting.size();
    }
  }

  private @Nullable FakeRequest first(List<FakeRequest> candidates) {
    final int size = Math.min(candidates.size(), asked.window());
    if (size == 0) {
      return null;
    }
    final double[] ranks = asked.ranks(candidates.subList(0, size), view);
    int first = 0;
    for (int index = 1; index < size; index++) {
      first = ranks[index] < ranks[first] ? index : first;
    }
    return candidates.get(first);
  }

  private boolean admit(FakeRequest request) {
    final int cached = Math.min(request.cachedPrefixTokens(), request.knownTokens() - 1);
    final int wanted = Math.min(request.knownTokens() - cached, view.tokensLeft);
    final int tokens = asked.chunk(request, wanted, view);
    final int keep =
        view.running.isEmpty() ? 0 : asked.blocksToKeepFree(request, cached, tokens, view);
    if (!hold(request, cached + tokens, keep)) {
      return false;
    }
    view.scheduled[view.running.size()] = tokens;
    view.running.add(request);
    view.tokensLeft -= tokens;
    request.computedTokens(cached);
    if (request.status() == RequestStatus.WAITING) {
      served(request)[0] += request.promptTokens() - cached;
      request.cachedTokens(cached);
    }
    request.status(RequestStatus.RUNNING);
    tellLedgers(ledger -> ledger.onAdmitted(request, cached));
    return true;
  }

  /** Gives the request blocks for {@code tokens} tokens, if {@code keep} stay free. */
  private boolean hold(FakeRequest request, int tokens, int keep) {
    final int more = Math.max(0, blocks(tokens) - request.kvBlocks());
    if (more > 0 && (long) more + keep > view.freeBlocks) {
      return false;
    }
    request.kvBlocks(request.kvBlocks() + more);
    view.freeBlocks -= more;
    return true;
  }

  private int blocks(int tokens) {
    return shape.blocksFor(tokens);
  }

  private void execute(int admittedFrom) {
    final List<FakeRequest> ended = new ArrayList<>();
    for (int index = 0; index < view.running.size(); index++) {
      final int tokens = view.scheduled[index];
      if (tokens == 0) {
        continue;
      }
      final FakeRequest request = view.running.get(index);
      final boolean samples = request.computedTokens() + tokens == request.knownTokens();
      final EntryKind kind = index < admittedFrom ? EntryKind.RUNNING : EntryKind.NEW;
      plan.add(request, kind, tokens, samples ? 1 : 0);
      trace.append(' ').append(request.number()).append(':').append(tokens);
      request.computedTokens(request.computedTokens() + tokens);
      if (samples) {
        request.append(0);
        served(request)[1]++;
        if (request.outputTokens() == outputs.getOrDefault(request, 0)) {
          ended.add(request);
        }
      }
    }
    final long durationNs = 1_000_000 + 10_000L * plan.totalTokens();
    finish(ended);
    observe(durationNs);
    view.nowNs += durationNs;
    view.stepId++;
    trace.append('\n');
  }

  private void finish(List<FakeRequest> ended) {
    tellLedgers(ledger -> ledger.onServed(plan));
    for (FakeRequest request : ended) {
      view.freeBlocks += request.kvBlocks();
      request.kvBlocks(0);
      request.status(RequestStatus.FINISHED);
      outputs.remove(request);
      tellLedgers(ledger -> ledger.onFinished(request));
    }
    view.running.removeAll(ended);
  }

  private void observe(long durationNs) {
    final StepTimeModel model = policies.stepTime();
    if (model != null && plan.size() > 0) {
      features.fill(plan);
      asked.tell(() -> model.observe(features, durationNs));
    }
  }

  private long[] served(FakeRequest request) {
    return served(tenantOf(request));
  }

  private void tellLedgers(Consumer<ServiceLedger> event) {
    for (ServiceLedger ledger : policies.ledgers()) {
      asked.tell(() -> event.accept(ledger));
    }
  }
}

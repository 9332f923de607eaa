package dev.headway.scheduler.policy.guard;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.api.policy.AdmissionGate;
import dev.headway.api.policy.AdmissionGate.Verdict;
import dev.headway.api.policy.Candidates;
import dev.headway.api.policy.CapacityPolicy;
import dev.headway.api.policy.ChunkPolicy;
import dev.headway.api.policy.DynamicOrder;
import dev.headway.api.policy.GroupOrder;
import dev.headway.api.policy.Policies;
import dev.headway.api.policy.QueueOrder;
import dev.headway.api.policy.ServiceLedger;
import dev.headway.api.policy.StaticOrder;
import dev.headway.api.policy.StepTimeModel;
import dev.headway.api.policy.StepView;
import dev.headway.api.policy.TokenBudget;
import dev.headway.api.policy.VictimPolicy;
import dev.headway.api.request.Hold;
import dev.headway.api.request.RequestView;
import dev.headway.api.step.StepFeatures;
import dev.headway.api.step.StepPlan;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The policies as the scheduler calls them: whatever they throw is caught, what cannot be is not
 * believed, and the caller's default decides instead. Failures are counted per decision and logged
 * once per policy; a policy that fails or overruns its time again and again, or throws an {@link
 * Error} once, is not asked any more in this run. Nothing is ever thrown; an interrupt stays set.
 *
 * <p>Engine thread only, except {@link #faults} and {@link #disabledCount}. Allocates nothing
 * unless a policy fails. Reads the clock only if there are policies, twice per call of one.
 */
public final class GuardedPolicies {

  private static final int DEFAULT_WINDOW = 128;

  private final Guarded<StaticOrder> keys;
  private final Guarded<GroupOrder> groups;
  private final Guarded<DynamicOrder> scores;
  private final Guarded<AdmissionGate> gate;
  private final Guarded<CapacityPolicy> capacity;
  private final Guarded<TokenBudget> budget;
  private final Guarded<ChunkPolicy> chunking;
  private final Guarded<VictimPolicy> victim;
  private final Guarded<StepTimeModel> stepTime;
  private final List<Guarded<ServiceLedger>> ledgers = new ArrayList<>();
  private final List<Guarded<?>> all = new ArrayList<>();
  private final IdentityHashMap<Object, PolicyHealth> healths = new IdentityHashMap<>();
  private final PolicyHealth[] distinct;
  private final Ranking ranking = new Ranking();
  private final int window;
  private final boolean rescores;
  private double lastKey;
  private long lastGroup;

  /**
   * Guards {@code policies} for one run.
   *
   * @param clock nanoseconds, never decreasing
   */
  public GuardedPolicies(Policies policies, GuardLimits limits, LongSupplier clock) {
    final QueueOrder order = policies.order();
    final StaticOrder fixed = order instanceof StaticOrder o ? o : null;
    final GroupOrder grouped = order instanceof GroupOrder o ? o : null;
    final DynamicOrder moving = order instanceof DynamicOrder o ? o : null;
    keys = guard(PolicyDecision.ORDER, fixed, limits, clock);
    groups = guard(PolicyDecision.ORDER, grouped, limits, clock);
    scores = guard(PolicyDecision.ORDER, moving, limits, clock);
    gate = guard(PolicyDecision.GATE, policies.gate(), limits, clock);
    capacity = guard(PolicyDecision.CAPACITY, policies.capacity(), limits, clock);
    budget = guard(PolicyDecision.BUDGET, policies.budget(), limits, clock);
    chunking = guard(PolicyDecision.CHUNKING, policies.chunking(), limits, clock);
    victim = guard(PolicyDecision.VICTIM, policies.victim(), limits, clock);
    stepTime = guard(PolicyDecision.STEP_TIME, policies.stepTime(), limits, clock);
    for (ServiceLedger ledger : policies.ledgers()) {
      ledgers.add(guard(PolicyDecision.LEDGER, ledger, limits, clock));
    }
    distinct = healths.values().toArray(PolicyHealth[]::new);
    window = askWindow();
    rescores = askRescores();
  }

  private <T> Guarded<T> guard(
      PolicyDecision decision, @Nullable T policy, GuardLimits limits, LongSupplier clock) {
    final PolicyHealth health =
        policy == null
            ? null
            : healths.computeIfAbsent(policy, p -> new PolicyHealth(p, limits, clock));
    final Guarded<T> guarded = new Guarded<>(decision, policy, health);
    all.add(guarded);
    return guarded;
  }

  private int askWindow() {
    final DynamicOrder order = scores.active();
    if (order == null) {
      return DEFAULT_WINDOW;
    }
    try {
      final int answer = order.window();
      return scores.accepts(answer >= 1, answer) ? answer : DEFAULT_WINDOW;
    } catch (Throwable t) {
      scores.failed(t);
      return DEFAULT_WINDOW;
    }
  }

  private boolean askRescores() {
    final DynamicOrder order = scores.active();
    try {
      return order != null && order.changesWithAdmissions();
    } catch (Throwable t) {
      scores.failed(t);
      return false;
    }
  }

  /** Whether waiting requests have keys. Holds for the whole run. */
  public boolean hasKeys() {
    return keys.isPresent();
  }

  /** Whether waiting requests are scored in each step. Holds for the whole run. */
  public boolean ranks() {
    return scores.isPresent();
  }

  /** Whether a gate, a capacity, a budget or a chunk policy has to be asked, and so on. */
  public boolean decides(PolicyDecision decision) {
    for (Guarded<?> guarded : all) {
      if (guarded.decision() == decision && guarded.active() != null) {
        return true;
      }
    }
    return false;
  }

  /** Most requests to be ranked, >= 1. */
  public int window() {
    return window;
  }

  /** Whether an admission changes the ranks of the others. */
  public boolean rescores() {
    return rescores;
  }

  /** Failures so far. Any thread. */
  public long faults() {
    long faults = 0;
    for (Guarded<?> guarded : all) {
      faults += guarded.faults();
    }
    return faults;
  }

  /** Failures so far of one decision. Any thread. */
  public long faults(PolicyDecision decision) {
    long faults = 0;
    for (Guarded<?> guarded : all) {
      faults += guarded.decision() == decision ? guarded.faults() : 0;
    }
    return faults;
  }

  /** Policies that are not asked any more. Any thread. */
  public int disabledCount() {
    int disabled = 0;
    for (PolicyHealth health : distinct) {
      disabled += health.isDisabled() ? 1 : 0;
    }
    return disabled;
  }

  /** Time spent in policies since {@link #beginStep}, in ns. */
  public long policyNsOfStep() {
    long sum = 0;
    for (PolicyHealth health : distinct) {
      sum += health.stepNs();
    }
    return sum;
  }

  /** A step begins: judges the time of the one before. */
  public void beginStep() {
    for (PolicyHealth health : distinct) {
      health.nextStep();
    }
  }

  /** Notifies policies that prepare for a step; the view has the step's whole budget. */
  public void onStep(StepView step) {
    Telling.tell(capacity, (policy, begun, same) -> policy.onStep(begun), step, step);
    Telling.tell(chunking, (policy, begun, same) -> policy.onStep(begun), step, step);
  }

  /**
   * Returns a request's key. One that cannot be had is placed like the request asked for before it.
   */
  public double key(RequestView request) {
    final StaticOrder policy = keys.active();
    if (policy == null) {
      return lastKey;
    }
    final long startNs = keys.start();
    try {
      final double answer = policy.key(request);
      if (keys.accepts(!Double.isNaN(answer), answer)) {
        lastKey = answer;
      }
    } catch (Throwable t) {
      keys.failed(t);
    } finally {
      keys.stop(startNs);
    }
    return lastKey;
  }

  /**
   * Returns a request's group. One that cannot be had is that of the request asked for before it.
   */
  public long group(RequestView request) {
    final GroupOrder policy = groups.active();
    if (policy == null) {
      return lastGroup;
    }
    final long startNs = groups.start();
    try {
      final long answer = policy.group(request);
      if (groups.accepts(answer >= 0, (double) answer)) {
        lastGroup = answer;
      }
    } catch (Throwable t) {
      groups.failed(t);
    } finally {
      groups.stop(startNs);
    }
    return lastGroup;
  }

  /** Whether groups have scores: there is such a policy, and it is still asked. */
  public boolean scoresGroups() {
    return groups.active() != null;
  }

  /**
   * Returns the score of a group.
   *
   * @param known the answer if none can be had
   */
  public double score(long group, double known) {
    final GroupOrder policy = groups.active();
    if (policy == null) {
      return known;
    }
    final long startNs = groups.start();
    try {
      final double answer = policy.score(group);
      return groups.accepts(!Double.isNaN(answer), answer) ? answer : known;
    } catch (Throwable t) {
      groups.failed(t);
      return known;
    } finally {
      groups.stop(startNs);
    }
  }

  /** Ranks candidates; the answer is valid until the next call. */
  public Ranking rank(Candidates candidates, StepView step) {
    final int size = candidates.size();
    final DynamicOrder policy = scores.active();
    if (policy == null) {
      ranking.byArrival(size);
      return ranking;
    }
    final long startNs = scores.start();
    try {
      policy.score(candidates, ranking.open(size), step);
      if (scores.accepts(ranking.unscored(size) == Ranking.NONE, Double.NaN)) {
        ranking.byScore(size);
        return ranking;
      }
    } catch (Throwable t) {
      scores.failed(t);
    } finally {
      scores.stop(startNs);
    }
    ranking.byArrival(size);
    return ranking;
  }

  /** Returns what becomes of the request, {@link Verdict#ADMIT} by default. */
  @SuppressWarnings("ConstantValue") // a policy may answer null whatever its contract says
  public Verdict admit(RequestView request, StepView step) {
    final AdmissionGate policy = gate.active();
    if (policy == null) {
      return Verdict.ADMIT;
    }
    final long startNs = gate.start();
    try {
      final Verdict answer = policy.admit(request, step);
      return gate.accepts(answer != null, Double.NaN) ? answer : Verdict.ADMIT;
    } catch (Throwable t) {
      gate.failed(t);
      return Verdict.ADMIT;
    } finally {
      gate.stop(startNs);
    }
  }

  /**
   * Returns what a request waits for about which {@link #admit} has answered {@link Verdict#HOLD};
   * null by default, and for one that might never end: it is admitted.
   */
  @SuppressWarnings("ConstantValue") // a policy may answer null whatever its contract says
  public @Nullable Hold hold(RequestView request, StepView step) {
    final AdmissionGate policy = gate.active();
    if (policy == null) {
      return null;
    }
    final long startNs = gate.start();
    try {
      final Hold answer = policy.hold(request, step);
      final boolean ends = answer != null && answer.endsByItself();
      return gate.accepts(ends, Double.NaN) ? answer : null;
    } catch (Throwable t) {
      gate.failed(t);
      return null;
    } finally {
      gate.stop(startNs);
    }
  }

  /** Returns the blocks that must stay free, >= 0; 0 by default. */
  public int blocksToKeepFree(
      RequestView candidate, int cachedTokens, int newTokens, StepView step) {
    final CapacityPolicy policy = capacity.active();
    if (policy == null) {
      return 0;
    }
    final long startNs = capacity.start();
    try {
      final int answer = policy.blocksToKeepFree(candidate, cachedTokens, newTokens, step);
      return capacity.accepts(answer >= 0, answer) ? answer : 0;
    } catch (Throwable t) {
      capacity.failed(t);
      return 0;
    } finally {
      capacity.stop(startNs);
    }
  }

  /** Returns the step's tokens, in [1, {@code most}]; {@code most} by default. */
  public int budget(StepView step, int most) {
    final TokenBudget policy = budget.active();
    if (policy == null) {
      return most;
    }
    final long startNs = budget.start();
    try {
      final int answer = policy.tokens(step);
      return budget.accepts(answer >= 1 && answer <= most, answer) ? answer : most;
    } catch (Throwable t) {
      budget.failed(t);
      return most;
    } finally {
      budget.stop(startNs);
    }
  }

  /** Returns the request's tokens, in [1, {@code wanted}]; {@code wanted} by default. */
  public int chunk(RequestView request, int wanted, StepView step) {
    final ChunkPolicy policy = chunking.active();
    if (policy == null) {
      return wanted;
    }
    final long startNs = chunking.start();
    try {
      final int answer = policy.largestChunk(request, wanted, step);
      return chunking.accepts(answer >= 1, answer) ? Math.min(answer, wanted) : wanted;
    } catch (Throwable t) {
      chunking.failed(t);
      return wanted;
    } finally {
      chunking.stop(startNs);
    }
  }

  /**
   * Returns the running request to preempt, or {@link VictimPolicy#STALL}.
   *
   * @param fallback the default victim
   */
  public int victim(RequestView needy, int neededBlocks, StepView step, int fallback) {
    final VictimPolicy policy = victim.active();
    if (policy == null) {
      return fallback;
    }
    final long startNs = victim.start();
    try {
      final int answer = policy.victim(needy, neededBlocks, step);
      final boolean possible = answer >= VictimPolicy.STALL && answer < step.runningCount();
      return victim.accepts(possible, answer) ? answer : fallback;
    } catch (Throwable t) {
      victim.failed(t);
      return fallback;
    } finally {
      victim.stop(startNs);
    }
  }

  /** Predicts a step's duration, in ns; {@link dev.headway.api.Absent#ABSENT} by default. */
  public long estimateNs(StepFeatures step) {
    final StepTimeModel policy = stepTime.active();
    if (policy == null) {
      return ABSENT;
    }
    final long startNs = stepTime.start();
    try {
      final long answer = policy.estimateNs(step);
      return stepTime.accepts(answer >= 0 || answer == ABSENT, (double) answer) ? answer : ABSENT;
    } catch (Throwable t) {
      stepTime.failed(t);
      return ABSENT;
    } finally {
      stepTime.stop(startNs);
    }
  }

  /** A step took {@code durationNs}. */
  public void observe(StepFeatures step, long durationNs) {
    final StepTimeModel policy = stepTime.active();
    if (policy == null) {
      return;
    }
    final long startNs = stepTime.start();
    try {
      policy.observe(step, durationNs);
    } catch (Throwable t) {
      stepTime.failed(t);
    } finally {
      stepTime.stop(startNs);
    }
  }

  /** A running request was preempted because blocks ran out. */
  public void onPreempted(RequestView victim, StepView step) {
    Telling.tell(capacity, CapacityPolicy::onPreempted, victim, step);
  }

  /** A request begins to wait. */
  public void onQueued(RequestView request) {
    Telling.tellAll(ledgers, (ledger, queued, none) -> ledger.onQueued(queued), request, 0);
  }

  /** A request was admitted. */
  public void onAdmitted(RequestView request, int cachedTokens) {
    Telling.tellAll(ledgers, ServiceLedger::onAdmitted, request, cachedTokens);
  }

  /** A step's output was taken over. */
  public void onServed(StepPlan plan) {
    Telling.tellAll(ledgers, (ledger, served, none) -> ledger.onServed(served), plan, 0);
  }

  /** A request has ended. */
  public void onFinished(RequestView request) {
    Telling.tellAll(ledgers, (ledger, ended, none) -> ledger.onFinished(ended), request, 0);
  }
}

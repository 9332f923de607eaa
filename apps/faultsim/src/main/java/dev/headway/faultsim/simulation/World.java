package dev.headway.faultsim.simulation;

import dev.headway.api.engine.Engine;
import dev.headway.api.engine.EngineState;
import dev.headway.api.engine.EngineStats;
import dev.headway.api.engine.RequestOutcome;
import dev.headway.api.engine.TurnOutcome;
import dev.headway.api.probe.Probe;
import dev.headway.api.schedule.PauseState;
import dev.headway.api.schedule.ResetScope;
import dev.headway.api.time.NanoClock;
import dev.headway.scheduler.time.VirtualClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** One scenario: the engine, what happens around it, and the checks after every step. */
final class World {

  private static final int MOST_STEPS_TO_THE_END = 1_000_000;
  private static final int MOST_TRIES = 300;
  private static final long IDLE_NS = 1_000_000;

  private final Scenario scenario;
  private final Drawn drawn;
  private final Coverage coverage;
  private final EventDigest digest = new EventDigest();
  private final RuleBook rules = new RuleBook();
  private final RequestLedger ledger = new RequestLedger();
  private final CheckedKvCache cache = new CheckedKvCache(rules);
  private final VirtualClock clock = new VirtualClock();
  private final ModelExecutor executor;
  private final OracleProbe oracle;
  private final @Nullable FaultyConnector connector;
  private final EndCheck ends;
  private final Engine engine;
  private final Callers callers;
  private final List<TrackedRequest> ended = new ArrayList<>();

  private int step;
  private long stepsBegun;
  private long stepBeganNs;
  private long probeFaults;
  private boolean isEnding;

  World(Scenario scenario, Drawn drawn, EngineMaker maker, List<Probe> more, Coverage coverage) {
    this.scenario = scenario;
    this.drawn = drawn;
    this.coverage = coverage;
    final long seed = scenario.seed();
    clock.sleepUntil(drawn.has(Feature.LATE_CLOCK) ? Long.MAX_VALUE / 4 * 3 : 0);
    ends = new EndCheck(rules, drawn);
    executor = new ModelExecutor(this, seed, drawn);
    oracle = new OracleProbe(this, drawn, executor, cache, coverage, digest);
    final List<Probe> probes = new ArrayList<>();
    probes.add(oracle);
    for (Feature fault : new Feature[] {Feature.THROWING_PROBES, Feature.SLOW_PROBES}) {
      if (drawn.has(fault)) {
        probes.add(new FaultyProbe(this, fault, seed));
      }
    }
    if (drawn.has(Feature.MAPPED_FAULTS)) {
      probes.add(new FaultyProbe.Mapped(this, seed));
    }
    probes.addAll(more);
    connector =
        drawn.has(Feature.KV_CONNECTOR)
            ? new FaultyConnector(this, seed, drawn, executor.memory())
            : null;
    engine = maker.make(new EngineParts(seed, drawn, executor, clock, probes, cache, connector));
    callers = new Callers(this, engine, seed, drawn, coverage);
  }

  NanoClock clock() {
    return clock;
  }

  /** Lets time pass; at the end of the range it stands still. */
  void passTime(long durationNs) {
    final long nowNs = clock.nanoTime();
    clock.sleepUntil(nowNs + Math.min(durationNs, Long.MAX_VALUE - nowNs));
  }

  RuleBook rules() {
    return rules;
  }

  RequestLedger ledger() {
    return ledger;
  }

  /** Calls of {@code Engine.step} so far, the one that runs included. */
  long stepsBegun() {
    return stepsBegun;
  }

  /** The first rule that was broken, or null. */
  @Nullable Violation violation() {
    return rules.violation();
  }

  /** SHA-256 of all events. */
  String digest() {
    return digest.end();
  }

  boolean injectsFaults() {
    return !isEnding && scenario.failsIn(step);
  }

  /** A fault was injected. */
  void faultHappened(Feature fault) {
    coverage.fault(fault);
    ends.faultHappened(fault);
  }

  /** A probe has thrown, which detaches it. */
  void probeThrew() {
    probeFaults++;
  }

  boolean isPaused() {
    return callers.isPaused();
  }

  /** Of the progress so far nothing is promised. */
  void disturbed() {
    oracle.disturbed();
  }

  /** Whether results of preempted requests are dropped, since their KV is handed on. */
  boolean sendsKv() {
    return connector != null && connector.role().sends();
  }

  private boolean isTransferringKv() {
    return connector != null && connector.isTransferring();
  }

  /** Resets of the prefix cache so far. */
  int generation() {
    return executor.generation();
  }

  /** The prefix cache holds nothing of before any more. */
  void cacheWasReset() {
    executor.cacheWasReset();
  }

  void received(TrackedRequest request, int index, int tokenId) {
    coverage.tokens++;
    digest.add(20, request.request.id().hashCode(), index, tokenId);
  }

  /** A turn of a session has ended. */
  void turnEnded(TrackedRequest request, TurnOutcome ended) {
    coverage.turns++;
    digest.add(21, request.request.id().hashCode(), ended.index(), ended.endedNs());
    if (request.conversesAtTurns && !isEnding) {
      callers.converse(request);
    }
  }

  /** A request has ended, or was refused. */
  void ended(TrackedRequest request) {
    ledger.ended(request);
    final RequestOutcome outcome = request.outcome;
    if (outcome != null) {
      coverage.ended(outcome);
    }
  }

  /** A listener uses the engine from inside a step. */
  void useEngineFrom(TrackedRequest request) {
    if (!isEnding) {
      faultHappened(Feature.BUSY_LISTENERS);
      callers.useEngineFrom(request);
    }
  }

  /** Runs everything. */
  void run() {
    try {
      for (step = 0; step < scenario.steps() && !rules.isBroken() && isOpen(); step++) {
        rules.at(step);
        if (scenario.operatesBefore(step)) {
          callers.operate(step);
        }
        stepOnce();
      }
      end();
    } catch (Throwable e) {
      rules.violate(Rule.ENGINE_LIVES, "nothing may throw: " + e + origin(e));
    } finally {
      Thread.interrupted();
      closeQuietly();
    }
  }

  private static String origin(Throwable e) {
    final StackTraceElement[] trace = e.getStackTrace();
    return (trace.length > 0 ? " at " + trace[0] : "")
        + (trace.length > 1 ? " from " + trace[1] : "");
  }

  private boolean isOpen() {
    final EngineState state = engine.state();
    return state != EngineState.CLOSED && state != EngineState.FAILED;
  }

  private void closeQuietly() {
    try {
      engine.close();
    } catch (Throwable e) {
      rules.violate(Rule.ENGINE_LIVES, "close must not throw: " + e);
    }
  }

  private void stepOnce() {
    beginStep();
    final boolean worked = engine.step();
    Thread.interrupted(); // what an interrupted wait has left
    coverage.steps++;
    if (!worked) {
      coverage.emptySteps++;
      passTime(IDLE_NS);
    }
    checkAfterStep();
  }

  private void beginStep() {
    stepsBegun++;
    coverage.beat();
    stepBeganNs = clock.nanoTime();
    if (connector != null) {
      connector.passTime();
    }
  }

  private void checkAfterStep() {
    cache.check();
    if (ledger.hasEnded()) {
      ledger.takeEnded(ended);
      for (int i = 0; i < ended.size(); i++) {
        ended.get(i).turn();
        ends.ended(ended.get(i));
      }
      ended.clear();
    }
    final List<TrackedRequest> alive = ledger.alive();
    for (int i = 0; i < alive.size(); i++) {
      ends.stillAlive(alive.get(i), stepBeganNs, stepsBegun);
    }
    if ((step & 255) == 0) {
      checkBooks();
    }
  }

  private void end() throws InterruptedException {
    if (rules.isBroken()) {
      return;
    }
    isEnding = true;
    if (isOpen() && !drawn.has(Feature.CLOSE_EARLY)) {
      callers.setPause(PauseState.RUNNING);
      callers.releaseAll();
      callers.endAllInputs(drawn.has(Feature.DRAIN));
      if (drawn.has(Feature.DRAIN)) {
        beginStep();
        engine.drain(Duration.ZERO); // runs one step
        checkAfterStep();
      }
      letAllEnd();
      checkIdle();
    }
    ends.closing();
    final boolean hadFailed = engine.state() == EngineState.FAILED;
    engine.close();
    checkAfterStep();
    rules.require(
        engine.state() == (hadFailed ? EngineState.FAILED : EngineState.CLOSED),
        Rule.ENGINE_LIVES,
        "a closed engine must be closed: state=" + engine.state());
    rules.require(
        executor.closes() == 1,
        Rule.ENGINE_LIVES,
        "the executor must be closed once: closes=" + executor.closes());
    rules.require(
        connector == null || connector.closes() == 1,
        Rule.ENGINE_LIVES,
        "the connector must be closed once");
    for (TrackedRequest request : ledger.alive()) {
      rules.require(request.isDone(), Rule.ONE_END, "no request may be left: " + request);
    }
    checkBooks();
    coverage.policyFaults += engine.stats().scheduler().policyFaults();
    coverage.acceptedDrafts += engine.stats().scheduler().acceptedDraftTokens();
    coverage.probesDetached += engine.stats().probesDetached();
  }

  private void letAllEnd() {
    int steps = 0;
    while (!rules.isBroken() && isOpen() && (ledger.left() > 0 || isTransferringKv())) {
      stepOnce();
      if (++steps > MOST_STEPS_TO_THE_END) {
        rules.violate(
            Rule.PROGRESS,
            "all requests must end when faults do: steps=" + steps + ", left=" + ledger.left());
      }
    }
  }

  /** With nothing left to do every block must be free, which only an idle cache can be reset. */
  private void checkIdle() {
    CompletableFuture<Boolean> reset = CompletableFuture.completedFuture(false);
    for (int tries = 0; !rules.isBroken() && isOpen() && tries < MOST_TRIES; tries++) {
      if (reset.isDone()) {
        if (reset.join()) {
          break;
        }
        reset = callers.reset(ResetScope.IDLE_ONLY).toCompletableFuture();
      }
      stepOnce();
    }
    if (!rules.isBroken() && isOpen()) {
      rules.require(
          reset.isDone() && reset.join(),
          Rule.BLOCKS_CONSERVED,
          "an idle cache must have every block: " + engine.stats().kvCache());
      rules.require(
          cache.openSequences() == 0,
          Rule.BLOCKS_CONSERVED,
          "an idle cache must have no sequences: open=" + cache.openSequences());
      for (int tries = 0;
          !rules.isBroken() && isOpen() && oracle.firstNotTold() != null && tries < MOST_TRIES;
          tries++) {
        stepOnce(); // answers may be late, before which nothing is planned
      }
      oracle.checkIdle();
    }
  }

  private void checkBooks() {
    final EngineStats stats = engine.stats();
    rules.require(
        stats.submitted() == ledger.submitted()
            && stats.rejected() == ledger.rejected()
            && stats.finished() == ledger.finished(),
        Rule.BOOKS,
        "counters must be what callers have seen: submitted="
            + ledger.submitted()
            + ", rejected="
            + ledger.rejected()
            + ", finished="
            + ledger.finished()
            + ", "
            + stats);
    rules.require(
        stats.probesDetached() == probeFaults,
        Rule.BOOKS,
        "probes must be detached that throw, and no others: detached="
            + stats.probesDetached()
            + ", thrown="
            + probeFaults);
  }
}

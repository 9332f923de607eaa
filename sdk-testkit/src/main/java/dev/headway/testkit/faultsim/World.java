package dev.headway.testkit.faultsim;

import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.engine.Engine;
import dev.headway.api.engine.EngineState;
import dev.headway.api.engine.EngineStats;
import dev.headway.api.engine.RequestHandle;
import dev.headway.api.engine.RequestOutcome;
import dev.headway.api.kvcache.KvGroup;
import dev.headway.api.probe.JourneyEvent;
import dev.headway.api.probe.JourneyStage;
import dev.headway.api.probe.Probe;
import dev.headway.api.request.FinishReason;
import dev.headway.api.request.Request;
import dev.headway.api.request.RequestView;
import dev.headway.api.schedule.PauseState;
import dev.headway.api.schedule.ResetScope;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** One scenario: the engine, all that happens around it, and the rules. */
final class World {

  private static final int MOST_ALIVE = 40;
  private static final int STEPS_OF_A_PHASE = 64;
  private static final int MOST_STEPS_TO_THE_END = 200_000;
  private static final long IDLE_NS = 1_000_000;
  private static final PauseState[] PAUSES = PauseState.values();
  private static final ResetScope[] SCOPES = ResetScope.values();
  private static final JourneyStage[] STAGES = JourneyStage.values();
  private static final long[] JUMPS_NS = {
    TimeUnit.SECONDS.toNanos(1), TimeUnit.HOURS.toNanos(1), TimeUnit.DAYS.toNanos(400)
  };

  private final Scenario scenario;
  private final Drawn drawn;
  private final Coverage coverage;
  private final EventDigest digest = new EventDigest();
  private final VirtualTime clock;
  private final CheckedKvCache cache = new CheckedKvCache();
  private final RequestDraw requests;
  private final OracleProbe oracle;
  private final Engine engine;
  private final Dice dice = new Dice();
  private final Dice busyDice = new Dice();

  private final List<TrackedRequest> alive = new ArrayList<>();
  private final List<TrackedRequest> endedInStep = new ArrayList<>();
  private final Map<String, TrackedRequest> byId = new HashMap<>();
  private final List<TrackedRequest> byNumber = new ArrayList<>();
  private final boolean[] hasHappened = new boolean[Feature.values().length];

  private @Nullable Violation violation;
  private int step;
  private long submitted;
  private long rejected;
  private long finished;
  private long requestNumber;
  private boolean isEnding;
  private boolean isPaused;
  private boolean isClosing;
  private int executorCloses;

  World(Scenario scenario, Drawn drawn, EngineMaker maker, List<Probe> more, Coverage coverage) {
    this.scenario = scenario;
    this.drawn = drawn;
    this.coverage = coverage;
    final long seed = scenario.seed();
    clock = new VirtualTime(drawn.has(Feature.LATE_CLOCK) ? Long.MAX_VALUE / 4 * 3 : 0);
    requests = new RequestDraw(seed, drawn);
    oracle = new OracleProbe(this, drawn.config(), coverage, digest);
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
    engine =
        maker.make(
            new EngineParts(drawn, new ModelExecutor(this, seed, drawn), clock, probes, cache));
  }

  VirtualTime clock() {
    return clock;
  }

  /** The first rule that was broken, or null. */
  @Nullable Violation violation() {
    return violation;
  }

  /** SHA-256 of all events. */
  String digest() {
    return digest.end();
  }

  /** Notes that a rule is broken; the first counts. */
  void violate(Rule rule, String message) {
    if (violation == null) {
      violation = new Violation(rule, step, message);
    }
  }

  private void require(boolean holds, Rule rule, String message) {
    if (!holds) {
      violate(rule, message);
    }
  }

  boolean injectsFaults() {
    return !isEnding && scenario.failsIn(step);
  }

  @SuppressWarnings("EnumOrdinal") // an index within this process
  void faultHappened(Feature fault) {
    hasHappened[fault.ordinal()] = true;
    coverage.fault(fault);
  }

  boolean isPaused() {
    return isPaused;
  }

  void executorClosed() {
    executorCloses++;
  }

  TrackedRequest tracked(long number) {
    return byNumber.get((int) number);
  }

  /** The scheduler has queued a request. */
  TrackedRequest queued(RequestView view) {
    final TrackedRequest request =
        Objects.requireNonNull(byId.get(view.id()), "a queued request was submitted");
    while (byNumber.size() <= view.number()) {
      byNumber.add(request);
    }
    byNumber.set((int) view.number(), request);
    return request;
  }

  void received(TrackedRequest request, int index, int tokenId) {
    coverage.tokens++;
    digest.add(20, request.request.id().hashCode(), index, tokenId);
  }

  /** A request has ended, or was refused. */
  void ended(TrackedRequest request) {
    final RequestOutcome outcome = request.outcome;
    if (outcome instanceof RequestOutcome.Rejected) {
      rejected++;
      checkRejection(request);
    } else {
      finished++;
      byId.remove(request.request.id(), request);
      endedInStep.add(request);
    }
    if (outcome != null) {
      coverage.ended(outcome);
    }
  }

  /** Runs everything. */
  void run() {
    try {
      for (step = 0; step < scenario.steps() && violation == null && isOpen(); step++) {
        if (scenario.operatesBefore(step)) {
          operate();
        }
        stepOnce();
      }
      end();
    } catch (Broken e) {
      violate(e.violation().rule(), e.violation().message());
    } catch (Throwable e) {
      final StackTraceElement[] trace = e.getStackTrace();
      violate(
          Rule.ENGINE_LIVES,
          "nothing may throw: "
              + e
              + (trace.length > 0 ? " at " + trace[0] : "")
              + (trace.length > 1 ? " from " + trace[1] : ""));
    } finally {
      Thread.interrupted();
      closeQuietly();
    }
  }

  private boolean isOpen() {
    final EngineState state = engine.state();
    return state != EngineState.CLOSED && state != EngineState.FAILED;
  }

  private void closeQuietly() {
    try {
      engine.close();
    } catch (Throwable e) {
      violate(Rule.ENGINE_LIVES, "close must not throw: " + e);
    }
  }

  private void stepOnce() {
    final boolean worked = engine.step();
    Thread.interrupted(); // what an interrupted wait has left
    coverage.steps++;
    if (!worked) {
      coverage.emptySteps++;
      clock.advance(IDLE_NS);
    }
    checkAfterStep();
  }

  private void checkAfterStep() {
    if (cache.isUsed()) {
      final String lost = cache.findLostBlocks();
      if (lost != null) {
        violate(Rule.BLOCKS_CONSERVED, lost);
      }
    }
    if (!endedInStep.isEmpty()) {
      for (int i = 0; i < endedInStep.size(); i++) {
        checkEnd(endedInStep.get(i));
      }
      endedInStep.clear();
    }
    if ((step & 255) == 0) {
      checkBooks();
    }
  }

  private void operate() {
    dice.start(scenario.seed(), "operations", step);
    final int phase = step / STEPS_OF_A_PHASE;
    final int left = operations(phase);
    for (int i = 0; i < left; i++) {
      operateOnce();
    }
  }

  /** Operations before this step: in each phase they come at another rate. */
  private int operations(int phase) {
    busyDice.start(scenario.seed(), "phase", phase);
    if (drawn.has(Feature.BURSTS)) {
      return busyDice.oneIn(3) ? (step % STEPS_OF_A_PHASE < 3 ? 10 : 0) : dice.below(2);
    }
    return switch (busyDice.below(4)) {
      case 0 -> 0;
      case 1 -> dice.oneIn(10) ? 1 : 0;
      case 2 -> dice.below(2);
      default -> dice.oneIn(3) ? 3 : 0;
    };
  }

  private void operateOnce() {
    switch (dice.below(20)) {
      case 0, 1 -> cancel();
      case 2 -> stop();
      case 3 -> reset();
      case 4 -> pause();
      case 5 -> jump();
      case 6 -> report();
      default -> submit();
    }
  }

  private void submit() {
    if (alive.size() < MOST_ALIVE) {
      submitOne(scenario.seed() * 31 + step * 64L + requestNumber % 64, false);
    }
  }

  private void submitOne(long number, boolean isQuiet) {
    final boolean isDuplicate =
        drawn.has(Feature.DUPLICATE_IDS) && !alive.isEmpty() && dice.oneIn(10);
    final String id = isDuplicate ? anyAlive().request.id() : "r" + requestNumber;
    requestNumber++;
    final Request drawnRequest = requests.request(number, id);
    final TrackedRequest request =
        new TrackedRequest(
            this, drawnRequest, drawn.config().limits().maxModelLen(), Drawn.VOCABULARY);
    if (!isQuiet) {
      drawListener(request);
    }
    final Duration timeout = drawnRequest.timeout();
    if (timeout != null) {
      final long ns = TimeUnit.NANOSECONDS.convert(timeout);
      request.deadlineNs = clock.nanoTime() + Math.min(ns, Long.MAX_VALUE - clock.nanoTime());
    }
    submitted++;
    coverage.requests++;
    final TrackedRequest other = byId.put(id, request);
    request.handle = engine.submit(drawnRequest, request);
    if (request.outcome instanceof RequestOutcome.Rejected) {
      if (other != null) {
        byId.put(id, other);
      } else {
        byId.remove(id);
      }
    } else if (!request.isDone()) {
      alive.add(request);
    }
  }

  private void drawListener(TrackedRequest request) {
    if (drawn.has(Feature.THROWING_LISTENERS) && dice.oneIn(12)) {
      request.throwsAt = dice.below(6) - 1;
    }
    if (drawn.has(Feature.BUSY_LISTENERS) && dice.oneIn(6)) {
      request.busyAt = dice.below(4) - 1;
    }
  }

  private TrackedRequest anyAlive() {
    return alive.get(dice.below(alive.size()));
  }

  private void cancel() {
    if (drawn.has(Feature.CANCELS) && !alive.isEmpty()) {
      cancel(anyAlive());
    }
  }

  private static void cancel(TrackedRequest request) {
    final RequestHandle handle = request.handle;
    if (handle != null) {
      request.isCancelled = true;
      handle.cancel();
    }
  }

  private void stop() {
    if (drawn.has(Feature.STOPS) && !alive.isEmpty()) {
      final TrackedRequest request = anyAlive();
      final RequestHandle handle = request.handle;
      if (handle != null) {
        request.isStopped = true;
        handle.stop();
      }
    }
  }

  private void reset() {
    if (drawn.has(Feature.RESETS) && dice.oneIn(4)) {
      engine.resetPrefixCache(dice.pick(SCOPES));
    }
  }

  private void pause() {
    if (drawn.has(Feature.PAUSES)) {
      setPause(dice.pick(PAUSES));
    }
  }

  private void setPause(PauseState state) {
    isPaused = state != PauseState.RUNNING;
    oracle.disturbed();
    engine.setPauseState(state);
  }

  private void jump() {
    if (drawn.has(Feature.CLOCK_JUMPS) && dice.oneIn(4)) {
      clock.advance(JUMPS_NS[dice.below(JUMPS_NS.length)]);
    }
  }

  private void report() {
    if (drawn.has(Feature.JOURNEYS) && !alive.isEmpty()) {
      final String id = anyAlive().request.id();
      final JourneyStage stage = dice.pick(STAGES);
      engine.report(
          stage == JourneyStage.ABORTED
              ? JourneyEvent.aborted(id, clock.nanoTime(), "client_disconnect", null)
              : JourneyEvent.of(id, stage, clock.nanoTime()));
    }
  }

  /** A listener uses the engine from inside a step. */
  void useEngineFrom(TrackedRequest request) {
    if (isEnding) {
      return;
    }
    faultHappened(Feature.BUSY_LISTENERS);
    busyDice.start(scenario.seed(), "listener", request.request.id().hashCode());
    switch (busyDice.below(4)) {
      case 0 -> cancel(request);
      case 1 -> {
        if (!alive.isEmpty()) {
          cancel(alive.get(busyDice.below(alive.size())));
        }
      }
      case 2 -> engine.resetPrefixCache(ResetScope.IDLE_ONLY);
      default -> {
        if (alive.size() < MOST_ALIVE) {
          submitOne(busyDice.next(), true);
        }
      }
    }
  }

  private void end() throws InterruptedException {
    if (violation != null) {
      return;
    }
    isEnding = true;
    if (isOpen() && !drawn.has(Feature.CLOSE_EARLY)) {
      setPause(PauseState.RUNNING);
      if (drawn.has(Feature.DRAIN)) {
        engine.drain(Duration.ZERO); // runs one step
        checkAfterStep();
      }
      letAllEnd();
      checkIdle();
    }
    isClosing = true;
    final boolean hadFailed = engine.state() == EngineState.FAILED;
    engine.close();
    checkAfterStep();
    require(
        engine.state() == (hadFailed ? EngineState.FAILED : EngineState.CLOSED),
        Rule.ENGINE_LIVES,
        "a closed engine must be closed: state=" + engine.state());
    require(
        executorCloses == 1,
        Rule.ENGINE_LIVES,
        "the executor must be closed once: closes=" + executorCloses);
    for (TrackedRequest request : alive) {
      require(request.isDone(), Rule.ONE_END, "no request may be left: " + request);
    }
    checkBooks();
    coverage.policyFaults += engine.stats().scheduler().policyFaults();
    coverage.acceptedDrafts += engine.stats().scheduler().acceptedDraftTokens();
    coverage.probesDetached += engine.stats().probesDetached();
  }

  private void letAllEnd() {
    int steps = 0;
    while (violation == null && isOpen() && finished + rejected < submitted) {
      stepOnce();
      if (++steps > MOST_STEPS_TO_THE_END) {
        violate(
            Rule.PROGRESS,
            "all requests must end when faults do: steps="
                + steps
                + ", left="
                + (submitted - finished - rejected));
      }
    }
  }

  /** With nothing left to do every block must be free, which only an idle cache can be reset. */
  private void checkIdle() {
    CompletableFuture<Boolean> reset = CompletableFuture.completedFuture(false);
    for (int tries = 0; violation == null && isOpen() && tries < 300; tries++) {
      if (reset.isDone()) {
        if (reset.join()) {
          break;
        }
        reset = engine.resetPrefixCache(ResetScope.IDLE_ONLY).toCompletableFuture();
      }
      stepOnce();
    }
    if (violation == null && isOpen()) {
      require(
          reset.isDone() && reset.join(),
          Rule.BLOCKS_CONSERVED,
          "an idle cache must have every block: " + engine.stats().kvCache());
      require(
          !cache.isUsed() || cache.openSequences() == 0,
          Rule.BLOCKS_CONSERVED,
          "an idle cache must have no sequences: open=" + cache.openSequences());
    }
  }

  private void checkBooks() {
    final EngineStats stats = engine.stats();
    require(
        stats.submitted() == submitted
            && stats.rejected() == rejected
            && stats.finished() == finished,
        Rule.BOOKS,
        "counters must be what callers have seen: submitted="
            + submitted
            + ", rejected="
            + rejected
            + ", finished="
            + finished
            + ", "
            + stats);
  }

  private void checkRejection(TrackedRequest request) {
    require(
        request.outputs == 0 && request.queuedEvents == 0,
        Rule.ONE_END,
        "a rejected request must not run: " + request);
  }

  private void checkEnd(TrackedRequest request) {
    alive.remove(request);
    if (!(request.outcome instanceof RequestOutcome.Finished end)) {
      return;
    }
    final FinishReason reason = end.reason();
    require(
        mayEnd(request, reason, end),
        Rule.ONE_END,
        "a request must end for a reason that happened: "
            + request
            + ", reason="
            + reason
            + ", cause="
            + end.cause());
    final int outputs = end.outputTokens();
    require(
        outputs <= request.endOutputs
            && (outputs < request.endOutputs
                || reason == request.endReason
                || !isNatural(reason)
                || request.isStopped),
        Rule.STOP_RULE,
        "a request must end where its stop rule says: "
            + request
            + ", reason="
            + reason
            + ", outputs="
            + outputs);
    if (!request.hasThrown) {
      require(
          outputs == request.outputs,
          Rule.TOKENS,
          "the outcome must have the tokens of the listener: " + request + ", outcome=" + end);
    }
    if (request.queuedEvents > 0) {
      require(
          request.queuedEvents == 1 && request.finishedEvents == 1,
          Rule.ONE_END,
          "probes must be notified of one beginning and one end: "
              + request
              + ", queued="
              + request.queuedEvents
              + ", finished="
              + request.finishedEvents);
      require(
          end.waits().totalNs() == request.waitedNs,
          Rule.WAITS_ADD_UP,
          "waits by reason must add up: "
              + request
              + ", byReason="
              + end.waits()
              + ", totalNs="
              + end.waits().totalNs()
              + ", waitedNs="
              + request.waitedNs);
    }
  }

  private static boolean isNatural(FinishReason reason) {
    return reason == FinishReason.STOP
        || reason == FinishReason.LENGTH
        || reason == FinishReason.REPETITION;
  }

  @SuppressWarnings("EnumOrdinal") // an index within this process
  private boolean mayEnd(TrackedRequest request, FinishReason reason, RequestOutcome.Finished end) {
    return switch (reason) {
      case STOP, LENGTH, REPETITION ->
          (reason == FinishReason.STOP && request.isStopped)
              || (reason == request.endReason && end.outputTokens() == request.endOutputs);
      case ABORTED -> request.isCancelled;
      case DEADLINE -> end.finishedNs() >= request.deadlineNs;
      case LISTENER_FAILED -> request.hasThrown;
      case SHUTDOWN -> isClosing;
      case EXECUTOR_FAILED -> hasExecutorFailed();
      case REJECTED_BY_POLICY -> drawn.has(Feature.NAMED_ORDER) || drawn.policies().gate() != null;
      case KV_CACHE_EXHAUSTED -> isExhausted(request, end);
    };
  }

  /** Whether a request of that length, with all that may be out for it, can fill the cache. */
  private boolean isExhausted(TrackedRequest request, RequestOutcome.Finished end) {
    final SchedulerConfig config = drawn.config();
    final int drafts = config.speculation().numSpeculativeTokens() + 1;
    final int inFlight = config.pipeline().maxStepsInFlight() * drafts;
    final int tokens = request.request.promptTokens() + end.outputTokens() + 1;
    final int longest = config.limits().maxModelLen();
    int needed =
        drawn
            .kvCache()
            .blocksToHold(
                tokens + inFlight + config.speculation().lookaheadTokens(),
                config.inFlightTokenLimit(),
                longest + inFlight + drafts);
    for (KvGroup group : drawn.kvCache().groups()) {
      needed += group instanceof KvGroup.Mamba ? inFlight + drafts + 1 : 0; // states on their way
    }
    return needed > drawn.kvCache().usableBlocks();
  }

  @SuppressWarnings("EnumOrdinal") // an index within this process
  private boolean hasExecutorFailed() {
    for (Feature fault : Feature.values()) {
      if (fault.kind() == Feature.Kind.FAULT && hasHappened[fault.ordinal()]) {
        return true;
      }
    }
    return false;
  }
}

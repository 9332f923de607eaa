package dev.headway.faultsim.simulation;

import dev.headway.api.config.EngineLimits;
import dev.headway.api.config.SchedulerLimits;
import dev.headway.api.engine.Engine;
import dev.headway.api.engine.RequestHandle;
import dev.headway.api.probe.JourneyEvent;
import dev.headway.api.probe.JourneyStage;
import dev.headway.api.request.Request;
import dev.headway.api.request.SessionInput;
import dev.headway.api.schedule.PauseState;
import dev.headway.api.schedule.ResetScope;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

/** What callers do between two steps, and from inside their listeners. */
final class Callers {

  private static final int MOST_ALIVE = 40;
  private static final int MOST_INPUTS = 3;
  private static final int STEPS_OF_A_PHASE = 64;
  private static final PauseState[] PAUSES = PauseState.values();
  private static final ResetScope[] SCOPES = ResetScope.values();
  private static final JourneyStage[] STAGES = JourneyStage.values();
  private static final long[] JUMPS_NS = {
    TimeUnit.SECONDS.toNanos(1), TimeUnit.HOURS.toNanos(1), TimeUnit.DAYS.toNanos(400)
  };

  private final World world;
  private final Engine engine;
  private final long seed;
  private final Drawn drawn;
  private final RequestLedger ledger;
  private final RequestDraw requests;
  private final RefusalCheck refusals;
  private final Coverage coverage;
  private final int resetsOneIn;
  private final Dice dice = new Dice();
  private final Dice busyDice = new Dice();
  private final Dice talkDice = new Dice();
  private int step;
  private long requestNumber;
  private long talks;
  private boolean isPaused;

  Callers(World world, Engine engine, long seed, Drawn drawn, Coverage coverage) {
    this.world = world;
    this.engine = engine;
    this.seed = seed;
    this.drawn = drawn;
    this.coverage = coverage;
    ledger = world.ledger();
    resetsOneIn = dice.start(seed, "reset rate", 0).pick(new Integer[] {1, 4, 16});
    requests = new RequestDraw(seed, drawn);
    refusals = new RefusalCheck(world.rules(), drawn, engine);
  }

  /** Whether scheduling is held back. */
  boolean isPaused() {
    return isPaused;
  }

  /** Does what is due before a step. */
  void operate(int beforeStep) {
    step = beforeStep;
    dice.start(seed, "operations", step);
    for (int left = operations(step / STEPS_OF_A_PHASE); left > 0; left--) {
      operateOnce();
    }
  }

  /** Operations before this step: in each phase they come at another rate. */
  private int operations(int phase) {
    busyDice.start(seed, "phase", phase);
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
      case 4 -> {
        if (drawn.has(Feature.LIMIT_CHANGES) && dice.oneIn(2)) {
          changeLimits();
        } else {
          pause();
        }
      }
      case 5 -> jump();
      case 6 -> report();
      case 7, 8 -> {
        if (drawn.has(Feature.HOLDS)) {
          release();
        } else {
          submit();
        }
      }
      case 9, 10, 11 -> {
        if (drawn.has(Feature.SESSIONS)) {
          converseWithAny();
        } else {
          submit();
        }
      }
      default -> submit();
    }
  }

  private void submit() {
    if (ledger.alive().size() < MOST_ALIVE) {
      submitOne(seed * 31 + step * 64L + requestNumber % 64, false);
    }
  }

  private void submitOne(long number, boolean isQuiet) {
    final boolean isDuplicate =
        drawn.has(Feature.DUPLICATE_IDS) && !ledger.alive().isEmpty() && dice.oneIn(10);
    final String id = isDuplicate ? anyAlive().request.id() : "r" + requestNumber;
    requestNumber++;
    final Request drawnRequest = requests.request(number, id);
    final TrackedRequest request = new TrackedRequest(world, drawnRequest, drawn);
    if (!isQuiet) {
      drawListener(request);
    }
    request.submitted(world.clock().nanoTime());
    coverage.requests++;
    final TrackedRequest namesake = ledger.submitting(request);
    request.handle = engine.submit(drawnRequest, request);
    ledger.submitted(request, namesake);
    refusals.check(request, namesake != null);
    if (request.session != null && !isQuiet) {
      while (!request.isDone() && dice.oneIn(3)) {
        converse(request);
      }
    }
  }

  /** A session gets something, if there is one. */
  private void converseWithAny() {
    final List<TrackedRequest> alive = ledger.alive();
    final int from = alive.isEmpty() ? 0 : dice.below(alive.size());
    for (int i = 0; i < alive.size(); i++) {
      final TrackedRequest request = alive.get((from + i) % alive.size());
      if (request.session != null && !request.session.isInputEnded()) {
        converse(request);
        return;
      }
    }
  }

  /** A session gets further input, or the end of it; from a listener too. */
  void converse(TrackedRequest request) {
    final TrackedSession session = request.session;
    final RequestHandle handle = request.handle;
    if (session == null || handle == null) {
      return;
    }
    final Dice talk = talkDice.start(seed, "talk", ++talks);
    if (session.inputs() >= MOST_INPUTS || talk.oneIn(6)) {
      requireNews(request, handle.endInput());
      session.endInput();
      return;
    }
    final boolean isForeign = drawn.has(Feature.UNSERVABLE) && talk.oneIn(12);
    final SessionInput input = requests.input(talks, isForeign);
    try {
      final boolean taken = handle.append(input);
      requireNews(request, taken);
      if (taken) {
        session.append(input);
      }
    } catch (IllegalArgumentException refused) {
      world
          .rules()
          .require(isForeign, Rule.REFUSALS, "an input must be taken: " + request + ", " + refused);
    }
  }

  private void requireNews(TrackedRequest request, boolean taken) {
    final TrackedSession session = request.session;
    world
        .rules()
        .require(
            taken == (session != null && !session.isInputEnded() && !request.isDone()),
            Rule.TURNS,
            "a session must take input until that, or it, has ended: "
                + request
                + ", taken="
                + taken);
  }

  /**
   * No session gets more input.
   *
   * @param byEngine whether it is the engine that ends them
   */
  void endAllInputs(boolean byEngine) {
    for (TrackedRequest request : ledger.alive()) {
      final TrackedSession session = request.session;
      final RequestHandle handle = request.handle;
      if (session != null && handle != null) {
        if (!byEngine) {
          requireNews(request, handle.endInput());
        }
        session.endInput();
      }
    }
  }

  private void drawListener(TrackedRequest request) {
    request.conversesAtTurns = request.session != null && dice.oneIn(3);
    if (drawn.has(Feature.THROWING_LISTENERS) && dice.oneIn(12)) {
      request.throwsAt = dice.below(6) - (request.session == null ? 1 : 2);
      request.throwsInLogprobs = dice.oneIn(3);
    }
    if (drawn.has(Feature.BUSY_LISTENERS) && dice.oneIn(6)) {
      request.busyAt = dice.below(4) - 1;
    }
  }

  private TrackedRequest anyAlive() {
    return ledger.alive().get(dice.below(ledger.alive().size()));
  }

  private void cancel() {
    if (drawn.has(Feature.CANCELS) && !ledger.alive().isEmpty()) {
      cancel(anyAlive());
    }
  }

  private void cancel(TrackedRequest request) {
    final RequestHandle handle = request.handle;
    if (handle != null) {
      request.isCancelled = true;
      request.mustEndBehind(world.stepsBegun());
      handle.cancel();
    }
  }

  private void stop() {
    if (drawn.has(Feature.STOPS) && !ledger.alive().isEmpty()) {
      final TrackedRequest request = anyAlive();
      final RequestHandle handle = request.handle;
      if (handle != null) {
        request.isStopped = true;
        request.mustEndBehind(world.stepsBegun());
        handle.stop();
      }
    }
  }

  /** What holds a request happens, or cannot happen any more. */
  private void release() {
    if (!ledger.alive().isEmpty()) {
      final TrackedRequest request = anyAlive();
      if (request.isHeld()) {
        final int pending = dice.below(request.holds.size());
        if (dice.oneIn(8)) {
          request.failHold(pending);
        } else {
          request.release(pending);
        }
      }
    }
  }

  /** All that holds requests happens. */
  void releaseAll() {
    for (TrackedRequest request : ledger.alive()) {
      while (request.isHeld()) {
        request.release(0);
      }
    }
  }

  private void reset() {
    if (drawn.has(Feature.RESETS) && dice.oneIn(resetsOneIn)) {
      reset(dice.pick(SCOPES));
    }
  }

  /** Asks for a reset of the prefix cache, behind which nothing of before may be found. */
  CompletionStage<Boolean> reset(ResetScope scope) {
    return engine
        .resetPrefixCache(scope)
        .thenApply(
            done -> {
              if (done) {
                world.cacheWasReset();
              }
              return done;
            });
  }

  private void pause() {
    if (drawn.has(Feature.PAUSES)) {
      setPause(dice.pick(PAUSES));
    }
  }

  /** Holds scheduling back, or lets it go on. */
  void setPause(PauseState state) {
    isPaused = state != PauseState.RUNNING;
    world.disturbed();
    engine.setPauseState(state);
  }

  /** Limits that an engine can have, or such as it refuses and then does not take over. */
  private void changeLimits() {
    final SchedulerLimits most = drawn.config().limits();
    final EngineLimits old = engine.limits();
    final EngineLimits.Builder changed = EngineLimits.of(drawn.config()).toBuilder();
    if (dice.oneIn(2)) {
      changed
          .maxNumActiveSeqs(dice.below(most.maxNumSeqs() + 2))
          .maxNumScheduledTokens(dice.below(most.maxNumBatchedTokens() + 2))
          .longPrefillTokenThreshold(dice.below(most.maxModelLen() + 2))
          .maxNumPartialPrefills(dice.below(3))
          .maxLongPartialPrefills(dice.below(2))
          .watermark(dice.below(3) * 0.2);
    }
    world.disturbed();
    try {
      engine.setLimits(changed.build());
    } catch (IllegalArgumentException e) {
      world
          .rules()
          .require(
              engine.limits().equals(old),
              Rule.LIMITS,
              "limits that are refused must change nothing: " + e.getMessage());
    }
  }

  private void jump() {
    if (drawn.has(Feature.CLOCK_JUMPS) && dice.oneIn(4)) {
      world.passTime(JUMPS_NS[dice.below(JUMPS_NS.length)]);
    }
  }

  private void report() {
    if (drawn.has(Feature.JOURNEYS) && !ledger.alive().isEmpty()) {
      final String id = anyAlive().request.id();
      final JourneyStage stage = dice.pick(STAGES);
      final long nowNs = world.clock().nanoTime();
      engine.report(
          stage == JourneyStage.ABORTED
              ? JourneyEvent.aborted(id, nowNs, "client_disconnect", null)
              : JourneyEvent.of(id, stage, nowNs));
    }
  }

  /** A listener uses the engine from inside a step. */
  void useEngineFrom(TrackedRequest request) {
    busyDice.start(seed, "listener", request.request.id().hashCode());
    switch (busyDice.below(4)) {
      case 0 -> cancel(request);
      case 1 -> {
        if (!ledger.alive().isEmpty()) {
          cancel(ledger.alive().get(busyDice.below(ledger.alive().size())));
        }
      }
      case 2 -> reset(ResetScope.IDLE_ONLY);
      default -> {
        if (ledger.alive().size() < MOST_ALIVE) {
          submitOne(busyDice.next(), true);
        }
      }
    }
  }
}

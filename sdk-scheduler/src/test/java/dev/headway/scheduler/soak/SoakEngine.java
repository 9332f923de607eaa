package dev.headway.scheduler.soak;

import dev.headway.api.engine.Engine;
import dev.headway.api.engine.EngineState;
import dev.headway.api.engine.EngineStats;
import dev.headway.api.executor.Executor;
import dev.headway.api.policy.PolicySpec;
import dev.headway.api.schedule.ResetScope;
import dev.headway.api.time.NanoClock;
import dev.headway.scheduler.engine.EngineBuilder;
import dev.headway.scheduler.engine.HeadwayEngine;
import dev.headway.scheduler.sim.LinearLatencyModel;
import dev.headway.scheduler.sim.SimulatedExecutor;
import dev.headway.scheduler.time.SystemNanoClock;
import dev.headway.scheduler.time.VirtualClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * An engine with its traffic and the laws it must keep: driven by the caller in virtual time, or
 * with a thread of its own and two that submit.
 */
final class SoakEngine implements AutoCloseable {

  private static final int WINDOW = 200;
  private static final int QUEUE_CAPACITY = 190; // below the window: some are refused
  private static final long PATIENCE_NS = TimeUnit.SECONDS.toNanos(60);

  private final String name;
  private final boolean threaded;
  private final Engine engine;
  private final SoakTally tally = new SoakTally();
  private final SoakProbe probe = new SoakProbe();
  private final List<SoakTraffic> traffic = new ArrayList<>();

  private SoakEngine(SoakSetup setup, long seed, boolean threaded) {
    this.threaded = threaded;
    final NanoClock clock = threaded ? new SystemNanoClock() : new VirtualClock();
    final LinearLatencyModel latency =
        threaded ? new LinearLatencyModel(0, 0, 0, 0) : LinearLatencyModel.LLAMA_3_1_8B_ON_H100;
    final Executor executor = new SimulatedExecutor(setup.shape(), latency, clock, seed, 0.5);
    final String policies = SoakSetup.policies(seed);
    final EngineBuilder builder =
        HeadwayEngine.builder(new FlakyExecutor(executor, seed))
            .config(setup.config())
            .clock(clock)
            .submissionQueueCapacity(QUEUE_CAPACITY)
            .probe(probe)
            .probe(new SoakProbe.Throwing());
    PolicySpec.parse(policies).forEach(builder::policy);
    engine = builder.build();
    name = "seed=" + seed + ", threaded=" + threaded + ", policies='" + policies + "', " + setup;
    for (int i = 0; i < (threaded ? 2 : 1); i++) {
      final String prefix = (char) ('a' + i) + "-";
      traffic.add(new SoakTraffic(prefix, seed + i, setup.maxModelLen(), engine, tally));
    }
    if (threaded) {
      engine.start(task -> Thread.ofPlatform().name("soak-engine").daemon().unstarted(task));
    }
  }

  /** Driven by its caller. */
  static SoakEngine inVirtualTime(SoakSetup setup, long seed) {
    return new SoakEngine(setup, seed, false);
  }

  /** Drives itself; two threads submit. */
  static SoakEngine withThreads(SoakSetup setup, long seed) {
    return new SoakEngine(setup, seed, true);
  }

  /** Serves so many requests, waits until all have ended, and checks the books. */
  void round(int requests) {
    if (threaded) {
      submitFromThreads(requests);
    } else {
      submitBetweenSteps(requests);
    }
    until("every request must end", () -> tally.undone() == 0);
    checkIdle();
  }

  private void submitBetweenSteps(int requests) {
    for (int i = 0; i < requests; i++) {
      traffic.getFirst().act();
      if (i % 3 == 0) {
        engine.step();
      }
      until("the window must move", () -> tally.undone() < WINDOW);
    }
  }

  private void submitFromThreads(int requests) {
    final List<Thread> threads = new ArrayList<>();
    for (SoakTraffic each : traffic) {
      threads.add(Thread.ofPlatform().start(() -> submit(each, requests / traffic.size())));
    }
    join(threads);
  }

  private void submit(SoakTraffic traffic, int requests) {
    for (int i = 0; i < requests; i++) {
      while (tally.undone() >= WINDOW) {
        LockSupport.parkNanos(10_000);
      }
      traffic.act();
    }
  }

  private static void join(List<Thread> threads) {
    try {
      for (Thread thread : threads) {
        thread.join();
      }
    } catch (InterruptedException e) {
      throw new AssertionError("nobody interrupts", e);
    }
  }

  /** Waits; in virtual time this is what drives the engine. */
  private void until(String what, BooleanSupplier condition) {
    final long beginNs = System.nanoTime();
    while (!condition.getAsBoolean()) {
      if (threaded) {
        LockSupport.parkNanos(20_000);
      } else {
        engine.step();
      }
      if (System.nanoTime() - beginNs > PATIENCE_NS) {
        throw new AssertionError(
            what + ": undone=" + tally.undone() + ", " + engine.stats() + ", " + name);
      }
    }
  }

  private void checkIdle() {
    // an idle cache can be reset if and only if every block is free: none held, none quarantined
    until("all blocks must be free when nobody runs", this::canReset);
    until("nobody must be left", () -> engine.stats().waiting() + engine.stats().running() == 0);
    checkBooks();
  }

  private boolean canReset() {
    final CompletableFuture<Boolean> reset =
        engine.resetPrefixCache(ResetScope.IDLE_ONLY).toCompletableFuture();
    until("a reset must be answered", reset::isDone);
    return reset.join();
  }

  private void checkBooks() {
    traffic.forEach(SoakTraffic::requireDone);
    tally.requireNone(name);
    final EngineStats stats = engine.stats();
    if (stats.submitted() != tally.submitted.get()
        || stats.submitted() != stats.finished() + stats.rejected()
        || tally.ended.get() != stats.submitted()) {
      throw new AssertionError(
          "submitted must be finished + rejected: ended=" + tally.ended + ", " + stats + name);
    }
    if (probe.queued.get() != probe.finished.get()) {
      throw new AssertionError(
          "every queued request must be told to have finished: queued="
              + probe.queued
              + ", finished="
              + probe.finished
              + ", "
              + name);
    }
  }

  /** Serves requests and ends in the middle of it, or drains. */
  void liveAndEnd(int requests, long seed) {
    final List<Thread> threads = new ArrayList<>();
    if (threaded) {
      for (SoakTraffic each : traffic) {
        threads.add(Thread.ofPlatform().start(() -> submitUntilClosed(each, requests)));
      }
      LockSupport.parkNanos(new SplittableRandom(seed).nextLong(20_000_000));
    } else {
      submitBetweenSteps(requests);
    }
    if (seed % 2 == 0) {
      drain();
    }
    engine.close();
    join(threads);
    if (tally.undone() != 0 || engine.state() != EngineState.CLOSED) {
      throw new AssertionError(
          "a closed engine must have ended all: undone=" + tally.undone() + ", " + name);
    }
    checkBooks();
  }

  private void submitUntilClosed(SoakTraffic traffic, int requests) {
    for (int i = 0; i < requests && engine.state() != EngineState.CLOSED; i++) {
      while (tally.undone() >= WINDOW) {
        LockSupport.parkNanos(10_000);
      }
      traffic.act();
    }
  }

  private void drain() {
    try {
      if (!engine.drain(Duration.ofNanos(PATIENCE_NS))) {
        throw new AssertionError("a drain must end: " + engine.stats() + ", " + name);
      }
    } catch (InterruptedException e) {
      throw new AssertionError("nobody interrupts", e);
    }
  }

  long served() {
    return tally.ended.get();
  }

  /** Adds what has happened, by name. */
  void addTo(Map<String, Long> totals) {
    tally.addTo(totals);
    final EngineStats stats = engine.stats();
    totals.merge("requests", tally.ended.get(), Long::sum);
    totals.merge("tokens", tally.tokens.sum(), Long::sum);
    totals.merge("steps", stats.steps(), Long::sum);
    totals.merge("steps failed", stats.stepsFailed(), Long::sum);
    totals.merge("listeners failed", stats.listenersFailed(), Long::sum);
    totals.merge("probes detached", stats.probesDetached(), Long::sum);
    totals.merge("preemptions", probe.preempted.get(), Long::sum);
  }

  @Override
  public void close() {
    engine.close();
  }
}

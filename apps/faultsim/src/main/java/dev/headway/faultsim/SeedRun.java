package dev.headway.faultsim;

import dev.headway.faultsim.simulation.Coverage;
import dev.headway.faultsim.simulation.FaultSimulation;
import dev.headway.faultsim.simulation.Outcome;
import dev.headway.faultsim.simulation.Scenario;
import dev.headway.faultsim.simulation.Shrinker;
import dev.headway.faultsim.simulation.Violation;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Runs the seeds, several side by side if asked to; ends with the first that fails. */
final class SeedRun {

  private static final long PROGRESS_NS = TimeUnit.SECONDS.toNanos(5);

  private final FaultSim command;
  private final Options options;
  private final PrintWriter out;
  private final PrintWriter err;
  private final long beginNs = System.nanoTime();
  private final AtomicLong next;
  private final AtomicLong seedsDone = new AtomicLong();
  private final AtomicLong failures = new AtomicLong();
  private final AtomicLong stepsDone = new AtomicLong();
  private final AtomicLong progressAtNs = new AtomicLong(beginNs + PROGRESS_NS);
  private final AtomicReference<@Nullable Outcome> failure = new AtomicReference<>();
  private final AtomicReference<@Nullable Throwable> broken = new AtomicReference<>();
  private final Coverage coverage = new Coverage();
  private final StepWatch watch;

  SeedRun(FaultSim command, Options options, PrintWriter out, PrintWriter err) {
    this.command = command;
    this.options = options;
    this.out = out;
    this.err = err;
    next = new AtomicLong(options.first());
    watch = new StepWatch(TimeUnit.SECONDS.toNanos(command.stallSeconds));
  }

  int run() throws InterruptedException {
    Thread.ofPlatform().name("faultsim-watch").daemon().start(this::endIfStalled);
    final List<Thread> threads = new ArrayList<>();
    for (int i = 1; i < command.threads; i++) {
      threads.add(Thread.ofPlatform().name("faultsim-" + i).start(this::runSeeds));
    }
    runSeeds();
    for (Thread thread : threads) {
      thread.join();
    }
    final Throwable thrown = broken.get();
    if (thrown != null) {
      throw new IllegalStateException("a seed could not be simulated", thrown);
    }
    return report();
  }

  /** Ends the program if a seed makes no step any more: nothing else could end it. */
  private void endIfStalled() {
    try {
      StepWatch.Worker stalled = null;
      while (stalled == null) {
        TimeUnit.SECONDS.sleep(1);
        stalled = watch.findStalled(System.nanoTime());
      }
      final String arguments = options.scenario(stalled.seed()).arguments();
      out.println(
          "stalled: seed " + stalled.seed() + ", no step in " + command.stallSeconds + " s");
      for (StackTraceElement frame : stalled.thread().getStackTrace()) {
        out.println("    at " + frame);
      }
      out.println("  again: scripts/faultsim.sh " + arguments);
      out.flush();
      Runtime.getRuntime().halt(FaultSim.STALLED);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void runSeeds() {
    try (JournaledEngines engines = JournaledEngines.open()) {
      runSeeds(new FaultSimulation(engines));
    } catch (Throwable t) {
      broken.compareAndSet(null, t);
    }
  }

  private void runSeeds(FaultSimulation simulation) {
    final StepWatch.Worker worker =
        watch.watch(Thread.currentThread(), simulation.coverage()::beats);
    try {
      while ((command.keepsGoing || failure.get() == null) && broken.get() == null && hasTime()) {
        final long seed = next.getAndIncrement();
        if (seed > options.last() || seed < options.first()) {
          break;
        }
        worker.begin(seed);
        runSeed(simulation, seed);
      }
    } finally {
      worker.end();
      synchronized (coverage) {
        coverage.add(simulation.coverage());
      }
    }
  }

  private boolean hasTime() {
    return command.minutes == null
        || System.nanoTime() - beginNs < command.minutes * TimeUnit.MINUTES.toNanos(1);
  }

  private void runSeed(FaultSimulation simulation, long seed) {
    final Scenario scenario = options.scenario(seed);
    final long before = simulation.coverage().steps();
    Outcome outcome = simulation.run(scenario);
    if (outcome.held() && command.rerun > 0 && seed % command.rerun == 0) {
      outcome = simulation.runAgain(outcome);
    }
    if (!outcome.held()) {
      failure.compareAndSet(null, outcome);
      failures.incrementAndGet();
      if (command.keepsGoing) {
        printLine(outcome);
      }
    }
    seedsDone.incrementAndGet();
    stepsDone.addAndGet(simulation.coverage().steps() - before);
    if (command.isVerbose) {
      synchronized (out) {
        out.println("seed " + seed + ": " + outcome.digest() + ", " + outcome.settings());
      }
    }
    progress(seed);
  }

  private void progress(long seed) {
    final long nowNs = System.nanoTime();
    final long dueNs = progressAtNs.get();
    if (!command.isQuiet
        && nowNs - dueNs > 0
        && progressAtNs.compareAndSet(dueNs, nowNs + PROGRESS_NS)) {
      err.println(figures() + ", at seed " + seed);
      err.flush();
    }
  }

  private String figures() {
    final double seconds = (System.nanoTime() - beginNs) / 1e9;
    final long steps = stepsDone.get();
    return String.format(
        "%,d seeds, %,d steps, %.1f s, %,.0f steps/s",
        seedsDone.get(), steps, seconds, steps / Math.max(seconds, 1e-9));
  }

  private int report() {
    final Outcome failed = failure.get();
    if (command.printsCoverage) {
      out.print(coverage);
    }
    if (failed == null) {
      if (!command.isQuiet) {
        out.println("every rule held: " + figures());
      }
      out.flush();
      return 0;
    }
    if (command.keepsGoing) {
      out.println("failed: " + failures + " seeds, " + figures());
      out.flush();
      return FaultSim.VIOLATION;
    }
    print("failed", failed);
    if (!command.isUnshrunk) {
      try (JournaledEngines engines = JournaledEngines.open()) {
        print("shrunk", new Shrinker(new FaultSimulation(engines)).shrink(failed));
      }
    }
    out.flush();
    return FaultSim.VIOLATION;
  }

  private void printLine(Outcome outcome) {
    synchronized (out) {
      out.println("failed: " + outcome.scenario().arguments() + ", " + outcome.violation());
      out.flush();
    }
  }

  private void print(String what, Outcome outcome) {
    final Violation violation = outcome.violation();
    if (violation == null) {
      return;
    }
    out.println(
        what
            + ": seed "
            + outcome.scenario().seed()
            + ", step "
            + violation.step()
            + ", rule "
            + violation.rule());
    out.println("  " + violation.message());
    out.println("  with " + outcome.scenario().turnedOn() + ", " + outcome.settings());
    out.println("  again: scripts/faultsim.sh " + outcome.scenario().arguments());
    out.flush();
  }
}

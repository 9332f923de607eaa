package dev.headway.benchmarks;

import dev.headway.api.engine.Engine;
import dev.headway.api.engine.TokenListener;
import dev.headway.api.executor.Executor;
import dev.headway.api.executor.ExecutorShape;
import dev.headway.api.request.Request;
import dev.headway.api.request.StopRule;
import dev.headway.api.step.EntryKind;
import dev.headway.api.step.StepOutput;
import dev.headway.api.step.StepPlan;
import dev.headway.scheduler.time.VirtualClock;
import dev.headway.simulation.run.EngineSettings;
import dev.headway.simulation.run.RunMeter;
import dev.headway.simulation.workload.PromptTokens;
import dev.headway.simulation.workload.Workload;
import dev.headway.simulation.workload.WorkloadRequest;
import dev.headway.simulation.workload.generated.NamedLoads;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * What a simulation could save by jumping over steps in which nothing changes. A step is still if
 * it decodes exactly the requests of the step before, one token each, and nothing was submitted in
 * between; it is at rest if besides none of them takes a new KV block. Prints a table with a row
 * per load.
 *
 * <p>{@code length} is how many such steps follow each other, {@code requests} how many a step has.
 * The columns on the right are shares of real time, medians of several runs: all steps of the
 * run's, still steps, planning these, and steps at rest of that of all steps. What looks at the
 * plans is not in it. Not a JMH benchmark: one run has all kinds of steps.
 */
public final class StillTable {

  private static final int WARM_UPS = 2;
  private static final int RUNS = 5;
  private static final String ROW = "%-56s %9s %8s %6s %6s %6s %6s | %7s %8s %7s %8s%n";

  private StillTable() {}

  /**
   * Prints the table.
   *
   * @param args made-up loads, as {@code headway simulate} takes them; a few if empty
   */
  public static void main(String[] args) {
    final List<String> loads =
        args.length > 0
            ? List.of(args)
            : List.of(
                "chatbot(rate=30,requests=10000)",
                "chatbot(rate=2,requests=10000)",
                "long-outputs(rate=6,requests=10000)",
                "contentgen(rate=6,requests=10000)",
                "contentgen(rate=0.5,requests=10000)",
                "generated(rate=0.1,input=256,output=2048,requests=10000)");
    System.out.printf(
        Locale.ROOT,
        ROW,
        "load",
        "steps",
        "requests",
        "still",
        "length",
        "rest",
        "length",
        "steps",
        "still",
        "planned",
        "rest");
    for (String load : loads) {
      Watch watch = run(load);
      for (int i = 1; i < WARM_UPS; i++) {
        watch = run(load);
      }
      final double[][] shares = new double[RUNS][];
      for (int i = 0; i < RUNS; i++) {
        watch = run(load);
        shares[i] = watch.shares();
      }
      System.out.printf(
          Locale.ROOT,
          ROW,
          load,
          watch.steps,
          decimal((double) watch.entries / watch.steps),
          percent((double) watch.still.steps / watch.steps),
          decimal(watch.still.length()),
          percent((double) watch.rest.steps / watch.steps),
          decimal(watch.rest.length()),
          percent(median(shares, 0)),
          percent(median(shares, 1)),
          percent(median(shares, 2)),
          percent(median(shares, 3)));
    }
  }

  private static double median(double[][] shares, int column) {
    return Arrays.stream(shares).mapToDouble(run -> run[column]).sorted().toArray()[RUNS / 2];
  }

  private static String percent(double share) {
    return String.format(Locale.ROOT, "%.1f%%", 100 * share);
  }

  private static String decimal(double value) {
    return String.format(Locale.ROOT, "%.1f", value);
  }

  /** As {@code headway simulate} runs it without a journal, with its usual engine. */
  private static Watch run(String load) {
    final EngineSettings settings = SimulationTable.usualSettings();
    final VirtualClock clock = new VirtualClock();
    final Watch watch = new Watch();
    final long startNs = System.nanoTime();
    try (Workload workload = NamedLoads.open(load);
        Engine engine =
            settings
                .engine(clock, load, model -> new Watched(model, watch))
                .probe(new RunMeter().probe())
                .build()) {
      drive(engine, clock, workload, watch);
    }
    watch.wholeNs = System.nanoTime() - startNs - watch.lookedNs;
    return watch;
  }

  private static void drive(Engine engine, VirtualClock clock, Workload workload, Watch watch) {
    final PromptTokens prompts = new PromptTokens(EngineSettings.VOCABULARY_SIZE, 1);
    WorkloadRequest next = workload.next();
    while (true) {
      while (next != null && next.arrivalNs() <= clock.nanoTime()) {
        engine.submit(requestOf(next, prompts), TokenListener.NONE, next.arrivalNs());
        watch.submitted();
        next = workload.next();
      }
      watch.begins();
      final boolean didSomething = engine.step();
      watch.ends();
      if (!didSomething) {
        if (next == null) {
          return;
        }
        clock.sleepUntil(next.arrivalNs());
      }
    }
  }

  private static Request requestOf(WorkloadRequest row, PromptTokens prompts) {
    return Request.builder(row.requestId(), prompts.of(row))
        .stopRule(StopRule.maxTokens(row.outputTokens()))
        .priority(row.priority())
        .build();
  }

  /** Steps of a kind, and how many follow each other. */
  private static final class Kind {
    long steps;
    long runs;
    long plannedNs;
    long ns;
    private boolean isRunning;

    void next(boolean isOfThisKind) {
      if (isOfThisKind) {
        steps++;
        runs += isRunning ? 0 : 1;
      }
      isRunning = isOfThisKind;
    }

    void took(long planning, long whole) {
      if (isRunning) {
        plannedNs += planning;
        ns += whole;
      }
    }

    double length() {
      return runs == 0 ? 0 : (double) steps / runs;
    }
  }

  /** What a run's steps are, and what they took. */
  private static final class Watch {
    final Kind still = new Kind();
    final Kind rest = new Kind();
    long steps;
    long entries;
    long wholeNs;
    long lookedNs;
    private long stepsNs;
    private long beginNs;
    private long plannedNs;
    private boolean isNewRequest;
    private boolean hasPlan;
    private String[] before = new String[0];
    private int size;

    void submitted() {
      isNewRequest = true;
    }

    void begins() {
      beginNs = System.nanoTime();
      hasPlan = false;
    }

    /** A step was planned; looked at outside of what is timed. */
    void planned(StepPlan plan) {
      final long nowNs = System.nanoTime();
      plannedNs = nowNs - beginNs;
      hasPlan = true;
      steps++;
      entries += plan.size();
      final boolean isStill = !isNewRequest && repeats(plan);
      still.next(isStill);
      rest.next(isStill && !takesBlocks(plan));
      keep(plan);
      isNewRequest = false;
      final long doneNs = System.nanoTime();
      lookedNs += doneNs - nowNs;
      beginNs = doneNs - plannedNs;
    }

    private boolean repeats(StepPlan plan) {
      boolean same = plan.size() == size;
      for (int entry = 0; entry < plan.size() && same; entry++) {
        same =
            plan.kind(entry) == EntryKind.RUNNING
                && plan.scheduledTokens(entry) == 1
                && plan.samples(entry)
                && plan.request(entry).id().equals(before[entry]);
      }
      return same;
    }

    private static boolean takesBlocks(StepPlan plan) {
      for (int entry = 0; entry < plan.size(); entry++) {
        if (plan.blocks().newFrom(entry, 0) < plan.blocks().count(entry, 0)) {
          return true;
        }
      }
      return false;
    }

    private void keep(StepPlan plan) {
      size = plan.size();
      before = before.length < size ? new String[2 * size] : before;
      for (int entry = 0; entry < size; entry++) {
        before[entry] = plan.request(entry).id();
      }
    }

    void ends() {
      final long ns = System.nanoTime() - beginNs;
      stepsNs += ns;
      if (hasPlan) {
        still.took(plannedNs, ns);
        rest.took(plannedNs, ns);
      }
    }

    /** Of the steps' time: the whole run's, still steps, their planning, steps at rest. */
    double[] shares() {
      return new double[] {
        (double) stepsNs / wholeNs,
        (double) still.ns / stepsNs,
        (double) still.plannedNs / stepsNs,
        (double) rest.ns / stepsNs
      };
    }
  }

  /** Shows the watch each plan. */
  private record Watched(Executor model, Watch watch) implements Executor {
    @Override
    public ExecutorShape shape() {
      return model.shape();
    }

    @Override
    public void submit(StepPlan plan) {
      watch.planned(plan);
      model.submit(plan);
    }

    @Override
    public boolean await(StepOutput output, long timeoutNs) throws InterruptedException {
      return model.await(output, timeoutNs);
    }

    @Override
    public void close() {
      model.close();
    }
  }
}

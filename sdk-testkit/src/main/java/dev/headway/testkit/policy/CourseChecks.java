package dev.headway.testkit.policy;

import dev.headway.api.policy.Policies;
import dev.headway.api.request.Request;
import dev.headway.api.request.RequestStatus;
import dev.headway.api.step.EntryKind;
import dev.headway.testkit.FakePlan;
import dev.headway.testkit.FakeRequest;
import java.time.Duration;
import java.util.function.Supplier;

/** Clauses that need a course of events: each runs a {@link MiniScheduler}. */
final class CourseChecks {

  private static final int STEPS = 150;

  private CourseChecks() {}

  private static MiniScheduler scheduler(Supplier<Policies> policies, long seed, Findings found) {
    final AskedPolicies asked = new AskedPolicies(policies.get(), found, seed);
    return new MiniScheduler(PolicyContract.CONFIG, PolicyContract.KV_CACHE, asked);
  }

  /** Answers are possible ones, and the same for the same events. */
  static final class Determinism implements Check {

    @Override
    public String name() {
      return "valid answers, determinism";
    }

    @Override
    public void run(Supplier<Policies> policies, long seed, Findings findings) {
      final String[] first = trace(policies, seed, findings).split("\n", -1);
      final String[] second = trace(policies, seed, findings).split("\n", -1);
      for (int step = 0; step < first.length; step++) {
        if (!first[step].equals(second[step])) {
          findings.add(
              name(),
              seed,
              "two fresh instances must decide alike: step="
                  + (step + 1)
                  + ", one=["
                  + first[step]
                  + "], other=["
                  + second[step]
                  + "]");
          return;
        }
      }
    }

    private static String trace(Supplier<Policies> policies, long seed, Findings findings) {
      final MiniScheduler scheduler = scheduler(policies, seed, findings);
      final RandomLoad load = new RandomLoad(seed);
      for (int step = 0; step < STEPS; step++) {
        load.arrive(scheduler);
        scheduler.step();
      }
      return scheduler.trace();
    }
  }

  /** No request is preempted for blocks. */
  static final class NoPreemptions implements Check {

    @Override
    public String name() {
      return "no preemptions";
    }

    @Override
    public void run(Supplier<Policies> policies, long seed, Findings findings) {
      final MiniScheduler scheduler = scheduler(policies, seed, findings);
      final RandomLoad load = new RandomLoad(seed);
      for (int step = 0; step < 2 * STEPS; step++) {
        load.arrive(scheduler);
        scheduler.step();
      }
      if (scheduler.preemptions() > 0) {
        findings.add(name(), seed, "preemptions must be 0: preemptions=" + scheduler.preemptions());
      }
    }
  }

  /**
   * Old requests are admitted in spite of a stream of newer ones that are neither as long as one of
   * them nor as short as the other, so that no order by length favours both.
   */
  static final class NoStarvation implements Check {

    private static final int WAITING = 24;

    private final long withinNs;

    NoStarvation(Duration within) {
      withinNs = within.toNanos();
    }

    @Override
    public String name() {
      return "no starvation";
    }

    @Override
    public void run(Supplier<Policies> policies, long seed, Findings findings) {
      final MiniScheduler scheduler = scheduler(policies, seed, findings);
      final RandomLoad load = new RandomLoad(seed);
      final FakeRequest[] old = {
        scheduler.arrive(Request.builder("long", new int[300]).maxTokens(100).build(), 100, 0),
        scheduler.arrive(Request.builder("short", new int[2]).maxTokens(1).build(), 1, 0)
      };
      final long startNs = scheduler.nowNs();
      while (scheduler.nowNs() - startNs < withinNs) {
        flood(scheduler, load);
        scheduler.step();
        if (!waits(old[0]) && !waits(old[1])) {
          return;
        }
      }
      findings.add(
          name(),
          seed,
          "an old request must be admitted at last: id="
              + (waits(old[0]) ? old[0] : old[1]).id()
              + ", waitedNs="
              + withinNs);
    }

    private static boolean waits(FakeRequest request) {
      return request.status() == RequestStatus.WAITING;
    }

    private static void flood(MiniScheduler scheduler, RandomLoad load) {
      while (scheduler.waitingCount() < WAITING) {
        scheduler.arrive(load.next(24, 2), 2, 4);
      }
    }
  }

  /** Chunks of prompts that go on differ by at most a unit. */
  static final class EvenChunks implements Check {

    private final int unit;

    EvenChunks(int unit) {
      this.unit = unit;
    }

    @Override
    public String name() {
      return "even chunks";
    }

    @Override
    public void run(Supplier<Policies> policies, long seed, Findings findings) {
      final MiniScheduler scheduler = scheduler(policies, seed, findings);
      final RandomLoad load = new RandomLoad(seed);
      for (int step = 0; step < STEPS; step++) {
        load.arrive(scheduler);
        scheduler.step();
        if (!scheduler.hasPreempted()) {
          compare(scheduler.plan(), seed, findings);
        }
      }
    }

    private void compare(FakePlan plan, long seed, Findings findings) {
      int largest = 0;
      int smallest = Integer.MAX_VALUE;
      for (int entry = 0; entry < plan.size(); entry++) {
        if (plan.kind(entry) == EntryKind.RUNNING) {
          largest = Math.max(largest, plan.scheduledTokens(entry));
          if (!plan.samples(entry)) {
            smallest = Math.min(smallest, plan.scheduledTokens(entry));
          }
        }
      }
      if (smallest != Integer.MAX_VALUE && largest - smallest > unit) {
        findings.add(
            name(),
            seed,
            "chunks must differ by at most a unit: unit="
                + unit
                + ", smallest="
                + smallest
                + ", largest="
                + largest);
      }
    }
  }

  /**
   * The service of two tenants that always wait drifts apart by at most twice the larger of the
   * longest prompt's cost and that of a full cache, over any period.
   */
  static final class ServiceGap implements Check {

    private static final int LONGEST_PROMPT = 200;
    private static final int WAITING = 20;

    private final double wp;
    private final double wq;
    private int made;

    ServiceGap(double wp, double wq) {
      this.wp = wp;
      this.wq = wq;
    }

    @Override
    public String name() {
      return "fair between tenants";
    }

    @Override
    public void run(Supplier<Policies> policies, long seed, Findings findings) {
      final MiniScheduler scheduler = scheduler(policies, seed, findings);
      final int tokens =
          PolicyContract.KV_CACHE.usableBlocks() * PolicyContract.KV_CACHE.blockSize();
      final double bound = 2 * Math.max(wp * LONGEST_PROMPT, wq * tokens);
      double least = 0;
      double most = 0;
      for (int step = 0; step < 8 * STEPS; step++) {
        backlog(scheduler, "long", LONGEST_PROMPT, 60);
        backlog(scheduler, "short", 10, 4);
        scheduler.step();
        final double gap = service(scheduler, "long") - service(scheduler, "short");
        least = Math.min(least, gap);
        most = Math.max(most, gap);
      }
      if (most - least > bound) {
        findings.add(
            name(),
            seed,
            "service must drift apart by at most " + bound + ": drift=" + (most - least));
      }
    }

    private void backlog(MiniScheduler scheduler, String tenant, int promptTokens, int maxTokens) {
      while (scheduler.waitingCount(tenant) < WAITING) {
        scheduler.arrive(
            Request.builder(tenant + made++, new int[promptTokens])
                .maxTokens(maxTokens)
                .tenant(tenant)
                .build(),
            maxTokens,
            0);
      }
    }

    private double service(MiniScheduler scheduler, String tenant) {
      final long[] served = scheduler.served(tenant);
      return wp * served[0] + wq * served[1];
    }
  }
}

package dev.headway.benchmarks;

import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.policy.PolicyProvider;
import dev.headway.api.request.Hold;
import dev.headway.api.request.HoldReason;
import dev.headway.api.request.LoraAdapter;
import dev.headway.api.request.Request;
import dev.headway.scheduler.policy.BuiltInPolicies;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;

/**
 * What a step costs while 1,000, 10,000 and 100,000 requests wait, for every built-in policy and
 * for the situations in which a step has to look for a request that it may admit. Prints a table of
 * medians in us; one column per number of waiting requests.
 *
 * <p>Not a JMH benchmark: a step changes the state that the next one begins with. Each cell warms
 * up itself, {@link #WARM_UP_ROUNDS} times as long as is measured: the first steps of a new
 * scheduler take branches that the compiled code of a busy one has left out, and measured there a
 * step costs twice as much.
 */
public final class WaitingTable {

  private static final int[] WAITING = {1_000, 10_000, 100_000};
  private static final int SEATS = 64;
  private static final int MAX_LORAS = 4;
  private static final int PROMPT_TOKENS = 32;
  private static final int OUTPUTS = 16;
  private static final int STEPS = 2_000;
  private static final int WARM_UP_ROUNDS = 50;
  private static final int POOL_BLOCKS = 4_096;
  private static final long STEP_NS = 10_000_000;
  private static final Hold NEVER = Hold.until(HoldReason.EXTERNAL, new CompletableFuture<>());

  private enum Load {
    /** Requests end and others are admitted, four in a step. */
    CHURN,
    /** All places for adapters are taken; nearly all requests wait for one. */
    ADAPTERS,
    /** As churn, each request with one of 1,000 adapters, of which 4 have a place. */
    LORA_CHURN,
    /** No request can have its first token in time, and the gate defers such. */
    DEFERRED,
    /** Nearly all requests are held from outside. */
    HELD,
    /** As churn, each request of a tenant of its own. */
    TENANTS
  }

  private WaitingTable() {}

  /**
   * Prints the table.
   *
   * @param args policies to measure, or {@code held} for held requests under some; all if empty
   */
  public static void main(String[] args) {
    final List<String> asked = List.of(args);
    System.out.printf(Locale.ROOT, "%-10s %-62s", "load", "policy");
    for (int waiting : WAITING) {
      System.out.printf(Locale.ROOT, "%,12d", waiting);
    }
    System.out.println();
    for (String policy : policies()) {
      if (asked.isEmpty() || asked.contains(nameOf(policy))) {
        row(Load.CHURN, policy);
      }
    }
    for (Load load : List.of(Load.ADAPTERS, Load.LORA_CHURN)) {
      for (String policy :
          List.of(
              "",
              "priority",
              "shortest-job",
              "shortest-prefill",
              "hrrn",
              "routing-key",
              "vtc",
              "longest-prefix-match")) {
        if (asked.isEmpty() || asked.contains(nameOf(policy))) {
          row(load, policy);
        }
      }
    }
    for (String policy :
        List.of(
            "earliest-deadline(unattainable=defer)+linear(step-us=10000,prefill-token-us=1000)",
            "least-slack(unattainable=defer)+linear(step-us=10000,prefill-token-us=1000)")) {
      if (asked.isEmpty() || asked.contains(nameOf(policy))) {
        row(Load.DEFERRED, policy);
      }
    }
    for (String policy : List.of("", "priority", "shortest-job", "vtc", "longest-prefix-match")) {
      if (asked.isEmpty() || asked.contains("held") || asked.contains(nameOf(policy))) {
        row(Load.HELD, policy);
      }
    }
    if (asked.isEmpty() || asked.contains("vtc")) {
      row(Load.TENANTS, "vtc");
    }
  }

  private static List<String> policies() {
    final List<String> names = new ArrayList<>();
    names.add("");
    for (PolicyProvider policy : new BuiltInPolicies().policies()) {
      names.add(policy.name());
    }
    return names;
  }

  private static String nameOf(String policy) {
    final int end = policy.indexOf('(');
    return end < 0 ? policy : policy.substring(0, end);
  }

  private static void row(Load load, String policy) {
    System.out.printf(
        Locale.ROOT,
        "%-10s %-62s",
        load.name().toLowerCase(Locale.ROOT),
        policy.isEmpty() ? "(default)" : policy);
    for (int waiting : WAITING) {
      final Crowd crowd = new Crowd(load, policy, waiting);
      for (int round = 0; round < WARM_UP_ROUNDS; round++) {
        crowd.medianUs();
      }
      System.out.printf(Locale.ROOT, "%12.1f", crowd.medianUs());
      System.out.flush();
    }
    System.out.println();
  }

  /** A scheduler with as many requests that wait as at its beginning, whatever ends. */
  private static final class Crowd {

    private final Load load;
    private final SchedulerLoop loop;
    private final long[] ns = new long[STEPS];
    private int next;

    Crowd(Load load, String policy, int waiting) {
      this.load = load;
      loop = new SchedulerLoop(config(load), POOL_BLOCKS, Listener.NONE.probe(), policy);
      while (next < SEATS + waiting) {
        loop.add(request(load, next++, true));
      }
    }

    /** Runs {@link #STEPS} steps; the median of their duration, in us. */
    double medianUs() {
      for (int step = 0; step < STEPS; step++) {
        final long before = loop.finished;
        final long startNs = System.nanoTime();
        loop.step();
        ns[step] = System.nanoTime() - startNs;
        loop.clock.advance(STEP_NS);
        for (long ended = loop.finished - before; ended > 0; ended--) {
          loop.add(request(load, next++, false));
        }
      }
      Arrays.sort(ns);
      return ns[STEPS / 2] / 1e3;
    }
  }

  private static SchedulerConfig config(Load load) {
    final SchedulerConfig config = SchedulerLoop.config(SEATS, 2_048, 2_048);
    return load == Load.ADAPTERS || load == Load.LORA_CHURN
        ? config.toBuilder().maxLoras(MAX_LORAS).build()
        : config;
  }

  private static Request request(Load load, int index, boolean isFirst) {
    final int[] prompt = new int[PROMPT_TOKENS];
    for (int i = 0; i < PROMPT_TOKENS; i++) {
      prompt[i] = (index * 31 + i) & 0xffff;
    }
    prompt[0] = index;
    final Request.Builder request = Request.builder("r" + index, prompt);
    // the first ones end at different steps, so that seats become free one after another
    final boolean first = index < SEATS;
    request.maxTokens(
        load == Load.ADAPTERS || load == Load.DEFERRED || load == Load.HELD
            ? 2_000
            : first ? 1 + index % OUTPUTS : OUTPUTS);
    switch (load) {
      case ADAPTERS -> {
        final int adapter = index < SEATS / 2 ? index % MAX_LORAS : MAX_LORAS + index % 1_000;
        request.lora(new LoraAdapter(1 + adapter, "a" + adapter));
      }
      case LORA_CHURN -> {
        final int adapter = index % 1_000;
        request.lora(new LoraAdapter(1 + adapter, "a" + adapter));
      }
      case DEFERRED -> {
        if (index >= SEATS / 2) {
          request.ttftTarget(Duration.ofMillis(1));
        }
      }
      case HELD -> {
        if (isFirst && index >= SEATS / 2) {
          request.hold(NEVER);
        }
      }
      case TENANTS -> request.tenant("t" + index);
      case CHURN -> {}
    }
    return request.build();
  }
}

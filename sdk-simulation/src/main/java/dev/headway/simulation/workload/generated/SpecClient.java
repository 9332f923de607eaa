package dev.headway.simulation.workload.generated;

import dev.headway.simulation.workload.arrival.Gaps;
import dev.headway.simulation.workload.length.LengthDistribution;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A client of a workload spec, or a cohort of equal ones.
 *
 * @param id of the client, or what the ids of a cohort's members start with
 * @param population how many members it has; 0 for a single client
 * @param tenant of every request, or null
 * @param fraction share of the aggregate rate, of all members together
 * @param usual how requests arrive and how long they are where a window does not say
 * @param prefixGroup whose prefix prompts start with, or empty
 * @param prefixTokens its length, 0 where the spec does not say
 * @param prefixPerMember whether each member of a cohort has a prefix of its own
 * @param windows when it is active; empty for always
 */
record SpecClient(
    String id,
    int population,
    @Nullable String tenant,
    double fraction,
    Behaviour usual,
    String prefixGroup,
    int prefixTokens,
    boolean prefixPerMember,
    List<Window> windows) {

  /** What requests are like. */
  record Behaviour(Gaps gaps, LengthDistribution input, LengthDistribution output) {}

  /**
   * A time in which a client is active.
   *
   * @param traceRate requests per second of all members together, NaN where the spec has none
   * @param own what requests are like in it, or null for the usual
   */
  record Window(double startSeconds, double endSeconds, double traceRate, @Nullable Behaviour own) {
    boolean overlaps(Window other) {
      return startSeconds < other.endSeconds && other.startSeconds < endSeconds;
    }

    boolean isOwn() {
      return own != null || !Double.isNaN(traceRate);
    }
  }

  private static final long MOST_US = 1L << 53;
  private static final String CLOSED = "requests that follow on answers are no stream of arrivals";

  /** Reads a client. */
  static SpecClient client(SpecNode node) {
    node.refuse(CLOSED, "concurrency", "think_time_us");
    final Behaviour usual = behaviour(node);
    final List<Window> windows = new ArrayList<>();
    final SpecNode lifecycle = node.child("lifecycle");
    if (lifecycle != null) {
      for (SpecNode window : lifecycle.children("windows")) {
        windows.add(window(window, usual));
      }
      lifecycle.requireNoOthers();
    }
    return common(node, 0, usual, false, windows);
  }

  /** Reads a cohort. */
  static SpecClient cohort(SpecNode node) {
    final int population = (int) node.integer("population", 0, 1, 100_000);
    final String sharing = node.text("prefix_sharing", "shared");
    if (!sharing.equals("shared") && !sharing.equals("per_member")) {
      throw node.wrong("prefix_sharing", "must be shared or per_member");
    }
    return common(
        node,
        population,
        behaviour(node),
        sharing.equals("per_member"),
        SpecPatterns.windows(node));
  }

  private static SpecClient common(
      SpecNode node, int population, Behaviour usual, boolean perMember, List<Window> windows) {
    final String id = node.text("id", "");
    final String tenant = node.text("tenant_id", "");
    final double fraction = node.number("rate_fraction", 0);
    final SpecNode reasoning = node.child("reasoning");
    if (reasoning != null) {
      reasoning.refuse(CLOSED, "multi_turn");
      reasoning.ignore("reason_ratio_distribution");
      reasoning.requireNoOthers();
    }
    node.refuse("images, audio and video have no tokens here", "multimodal");
    final SpecClient client =
        new SpecClient(
            id,
            population,
            tenant.isBlank() ? null : tenant,
            fraction,
            usual,
            node.text("prefix_group", ""),
            (int) node.integer("prefix_length", 0, 0, 1 << 20),
            perMember,
            List.copyOf(windows));
    node.ignore("slo_class", "model", "streaming", "network", "timeout", "slo_target_us");
    node.ignore("closed_loop");
    node.requireNoOthers();
    if (fraction < 0
        || (fraction == 0 && windows.stream().anyMatch(w -> Double.isNaN(w.traceRate)))) {
      throw node.wrong("rate_fraction", "must be > 0 where a window has no trace_rate");
    }
    if (fraction == 0 && windows.isEmpty()) {
      throw node.wrong("rate_fraction", "must be > 0");
    }
    return client;
  }

  private static Behaviour behaviour(SpecNode node) {
    return new Behaviour(
        SpecForms.gaps(node.requiredChild("arrival")),
        SpecForms.lengths(node.requiredChild("input_distribution")),
        SpecForms.lengths(node.requiredChild("output_distribution")));
  }

  private static Window window(SpecNode node, Behaviour usual) {
    final double start = seconds(node, "start_us");
    final double end = seconds(node, "end_us");
    if (end <= start) {
      throw node.wrong("end_us", "must be > start_us");
    }
    final double traceRate = node.number("trace_rate", Double.NaN);
    final SpecNode arrival = node.child("arrival");
    final SpecNode input = node.child("input_distribution");
    final SpecNode output = node.child("output_distribution");
    final Behaviour own =
        arrival == null && input == null && output == null
            ? null
            : new Behaviour(
                arrival == null ? usual.gaps : SpecForms.gaps(arrival),
                input == null ? usual.input : SpecForms.lengths(input),
                output == null ? usual.output : SpecForms.lengths(output));
    node.requireNoOthers();
    return new Window(start, end, traceRate, own);
  }

  /** A time that the spec has in microseconds. */
  static double seconds(SpecNode node, String key) {
    return node.integer(key, 0, 0, MOST_US) / 1e6;
  }

  /** How many clients it represents. */
  int members() {
    return Math.max(1, population);
  }

  /** The id of a member. */
  String memberId(int member) {
    return population == 0 ? id : id + "-" + member;
  }

  /** Whether it is active at a time when the other one is. */
  boolean overlaps(SpecClient other) {
    return windows.isEmpty()
        || other.windows.isEmpty()
        || windows.stream().anyMatch(w -> other.windows.stream().anyMatch(w::overlaps));
  }
}

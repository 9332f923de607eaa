package dev.headway.simulation.plan;

import dev.headway.simulation.workload.Workload;
import dev.headway.simulation.workload.WorkloadRequest;
import dev.headway.simulation.workload.Workloads;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** A load in memory, which can be sent at any rate. Immutable; any thread. */
public final class PlanLoad {

  /** Most requests of a load. */
  public static final int MOST_REQUESTS = 1_000_000;

  private static final double NS_PER_S = 1e9;

  private final String name;
  private final List<WorkloadRequest> requests;
  private final double ratePerSecond;

  private PlanLoad(String name, List<WorkloadRequest> requests) {
    this.name = name;
    this.requests = requests;
    ratePerSecond = requests.size() * NS_PER_S / requests.getLast().arrivalNs();
  }

  /**
   * Reads a load to its end.
   *
   * @param workload stays the caller's
   * @throws IllegalArgumentException if all requests arrive at once or there are more than {@link
   *     #MOST_REQUESTS}
   */
  public static PlanLoad read(Workload workload) {
    final List<WorkloadRequest> requests = new ArrayList<>();
    for (WorkloadRequest next = workload.next(); next != null; next = workload.next()) {
      if (requests.size() == MOST_REQUESTS) {
        throw new IllegalArgumentException(
            "a load must have at most " + MOST_REQUESTS + " requests; use --limit");
      }
      requests.add(next);
    }
    if (requests.isEmpty() || requests.getLast().arrivalNs() <= 0) {
      throw new IllegalArgumentException(
          "a load must have a rate to be sent at others; its requests arrive at once: load="
              + workload.name());
    }
    return new PlanLoad(workload.name(), List.copyOf(requests));
  }

  /** What reports call it. */
  public String name() {
    return name;
  }

  /** How many requests there are, >= 1. */
  public int size() {
    return requests.size();
  }

  /** Requests per second as it is: requests over the time of the last arrival. */
  public double ratePerSecond() {
    return ratePerSecond;
  }

  /** Mean tokens of a prompt. */
  public double meanInputTokens() {
    return requests.stream().mapToInt(WorkloadRequest::inputTokens).average().orElse(0);
  }

  /** Mean tokens of an answer. */
  public double meanOutputTokens() {
    return requests.stream().mapToInt(WorkloadRequest::outputTokens).average().orElse(0);
  }

  /** Share of the prompt tokens that a cache which forgets nothing would serve, in [0, 1]. */
  double sharedInput() {
    return shares()[requests.size() - 1];
  }

  /**
   * How many of the first requests it takes until such a cache serves nearly the share of their
   * prompt tokens that it serves of all: a shorter part of the load would find it cold.
   *
   * @param tolerance how much less the share may be
   */
  int requestsUntilWarm(double tolerance) {
    final double[] shares = shares();
    int warm = 1;
    while (shares[warm - 1] < shares[shares.length - 1] - tolerance) {
      warm++;
    }
    return warm;
  }

  /** For each request the share served of its prompt and all before it. */
  private double[] shares() {
    final BitSet seen = new BitSet();
    final double[] shares = new double[requests.size()];
    double all = 0;
    double known = 0;
    for (int i = 0; i < shares.length; i++) {
      final WorkloadRequest request = requests.get(i);
      long left = request.inputTokens();
      all += left;
      for (int id : request.prefixBlockIds()) {
        known += seen.get(id) ? Math.min(left, request.prefixBlockTokens()) : 0;
        seen.set(id);
        left = Math.max(0, left - request.prefixBlockTokens());
      }
      shares[i] = all == 0 ? 0 : known / all;
    }
    return shares;
  }

  /** Its first requests, at most {@code most}; itself if it is no longer. */
  PlanLoad first(int most) {
    return most >= requests.size() || requests.get(most - 1).arrivalNs() <= 0
        ? this
        : new PlanLoad(name, requests.subList(0, most));
  }

  /** The requests at another mean rate, every gap by the same factor; as {@code --rate-scale}. */
  Workload at(double newRatePerSecond) {
    return Workloads.scaleRate(new FromMemory(), newRatePerSecond / ratePerSecond);
  }

  /** The requests once. */
  private final class FromMemory implements Workload {
    private int next;

    @Override
    public String name() {
      return name;
    }

    @Override
    public OptionalLong sizeHint() {
      return OptionalLong.of(requests.size() - (long) next);
    }

    @Override
    public @Nullable WorkloadRequest next() {
      return next < requests.size() ? requests.get(next++) : null;
    }

    @Override
    public void close() {
      next = requests.size();
    }
  }
}

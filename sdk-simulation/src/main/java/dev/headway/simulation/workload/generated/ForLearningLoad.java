package dev.headway.simulation.workload.generated;

import dev.headway.simulation.workload.RandomStream;
import dev.headway.simulation.workload.Workload;
import dev.headway.simulation.workload.WorkloadRequest;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * A load to learn a machine from: bursts of 1 to {@code concurrency} requests at once, each with
 * short prompts, with long ones, and with one long among short, so that the number of decodes and
 * their contexts vary apart; and single prompts of every length. The bursts are in a drawn order,
 * {@code gap} seconds apart, which should be longer than one takes: where it is not they overlap,
 * which does no harm but to the smallest.
 */
final class ForLearningLoad implements Workload {
  static final String NAME = "for-learning";

  private static final double NANOS_PER_SECOND = 1e9;
  private static final int SHORTEST = 16;
  private static final int FEW_TOKENS = 4;

  /** Requests at once; of each other length than that of the step that it decodes in. */
  private record Burst(int requests, int mostTokens, int oneOf, int outputTokens) {}

  private final Queue<WorkloadRequest> requests;

  private ForLearningLoad(List<WorkloadRequest> requests) {
    this.requests = new ArrayDeque<>(requests);
  }

  /** Reads the options. */
  static Workload make(Options options) {
    final int concurrency =
        Options.inRange("concurrency", options.integer("concurrency", 64), 1, 1 << 14);
    final int input =
        Options.inRange(
            "input", options.integer("input", 4_000), SHORTEST, WorkloadRequest.MAX_TOKENS);
    final int output = Options.inRange("output", options.integer("output", 64), 2, 1 << 20);
    final double gap = options.number("gap", 5);
    if (!(gap > 0 && gap <= 1e6)) {
      throw options.wrong("gap must be above 0, in seconds", "gap", String.valueOf(gap), null);
    }
    final long seed = options.whole("seed", 1);
    final List<WorkloadRequest> all = requests(bursts(concurrency, input, output), gap, seed);
    final int most =
        Options.inRange("requests", options.integer("requests", all.size()), 1, 1 << 24);
    return new ForLearningLoad(all.subList(0, Math.min(most, all.size())));
  }

  private static List<Burst> bursts(int concurrency, int input, int output) {
    final List<Burst> bursts = new ArrayList<>();
    final int few = Math.min(input, 20 * SHORTEST);
    for (int requests = 1; requests > 0; requests = next(requests, concurrency)) {
      bursts.add(new Burst(requests, few, few, output));
      bursts.add(new Burst(requests, input / 2, input / 2, output));
      bursts.add(new Burst(requests, few, input, output));
    }
    for (int tokens = SHORTEST; tokens > 0; tokens = next(tokens, input)) {
      bursts.add(new Burst(1, tokens, tokens, FEW_TOKENS));
    }
    return bursts;
  }

  /** 1, 2, 3, 4, 6, 8, 12 and so on, the last of them {@code most}; 0 behind it. */
  private static int next(int value, int most) {
    final int power = Integer.highestOneBit(value);
    final int next = value == power && power > 1 ? power + power / 2 : 2 * power;
    return value == most ? 0 : Math.min(next, most);
  }

  private static List<WorkloadRequest> requests(List<Burst> bursts, double gap, long seed) {
    final RandomStream random = RandomStream.of(seed, NAME);
    final List<Burst> left = new ArrayList<>(bursts);
    final List<WorkloadRequest> requests = new ArrayList<>();
    for (int i = 0; !left.isEmpty(); i++) {
      final Burst burst = left.remove(random.nextInt(left.size()));
      final long arrivalNs = Math.round(i * gap * NANOS_PER_SECOND);
      for (int j = 0; j < burst.requests; j++) {
        final int tokens =
            j == 0
                ? burst.oneOf
                : SHORTEST + random.nextInt(Math.max(1, burst.mostTokens - SHORTEST + 1));
        requests.add(
            new WorkloadRequest(
                "learn-" + requests.size(),
                arrivalNs,
                Math.max(1, tokens),
                burst.outputTokens + (burst.requests > 1 ? random.nextInt(burst.outputTokens) : 0),
                new int[0],
                0,
                null,
                0));
      }
    }
    return requests;
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public OptionalLong sizeHint() {
    return OptionalLong.of(requests.size());
  }

  @Override
  public @Nullable WorkloadRequest next() {
    return requests.poll();
  }

  @Override
  public void close() {
    requests.clear();
  }
}

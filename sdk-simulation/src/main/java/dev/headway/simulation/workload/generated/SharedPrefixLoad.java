package dev.headway.simulation.workload.generated;

import dev.headway.simulation.workload.RandomStream;
import dev.headway.simulation.workload.Workload;
import dev.headway.simulation.workload.WorkloadRequest;
import dev.headway.simulation.workload.arrival.ArrivalTimes;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The data set {@code generated-shared-prefix} of {@code sglang.bench_serving}, the usual load for
 * routers that look at caches: groups of prompts that begin with the same system prompt, each group
 * with the same number of prompts, their order drawn.
 */
final class SharedPrefixLoad implements Workload {
  static final String NAME = "generated-shared-prefix";

  private static final double NANOS_PER_SECOND = 1e9;

  private final int[] groups;
  private final int systemTokens;
  private final int questionTokens;
  private final int outputTokens;
  private final ArrivalTimes arrivals;
  private final int requests;
  private int made;

  private SharedPrefixLoad(
      int[] groups,
      int systemTokens,
      int questionTokens,
      int outputTokens,
      ArrivalTimes arrivals,
      int requests) {
    this.groups = groups;
    this.systemTokens = systemTokens;
    this.questionTokens = questionTokens;
    this.outputTokens = outputTokens;
    this.arrivals = arrivals;
    this.requests = requests;
  }

  /** Reads the options. */
  static Workload make(Options options) {
    final int groups = options.integer("num-groups", 64);
    final int prompts = options.integer("prompts-per-group", 16);
    if (groups < 1 || prompts < 1 || (long) groups * prompts > WorkloadRequest.MAX_TOKENS) {
      throw new IllegalArgumentException(
          "num-groups and prompts-per-group must be >= 1, and at most "
              + WorkloadRequest.MAX_TOKENS
              + " together: num-groups="
              + groups
              + ", prompts-per-group="
              + prompts);
    }
    final int requests = Math.min(options.integer("requests", groups * prompts), groups * prompts);
    final long seed = options.whole("seed", 1);
    final SharedPrefixLoad load =
        new SharedPrefixLoad(
            shuffled(groups, prompts, seed),
            options.integer("system-prompt-len", 2_048),
            options.integer("question-len", 128),
            options.integer("output-len", 256),
            ArrivalForms.read(options, "inf", true, requests).start(seed),
            requests);
    load.request(0, 0); // the lengths are checked before the load is used
    return load;
  }

  private static int[] shuffled(int groups, int prompts, long seed) {
    final int[] order = new int[groups * prompts];
    for (int i = 0; i < order.length; i++) {
      order[i] = i / prompts;
    }
    final RandomStream random = RandomStream.of(seed, "order");
    for (int i = order.length - 1; i > 0; i--) {
      final int other = random.nextInt(i + 1);
      final int moved = order[i];
      order[i] = order[other];
      order[other] = moved;
    }
    return order;
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public OptionalLong sizeHint() {
    return OptionalLong.of(requests - made);
  }

  @Override
  public @Nullable WorkloadRequest next() {
    final double seconds = made == requests ? Double.POSITIVE_INFINITY : arrivals.next();
    if (seconds == Double.POSITIVE_INFINITY) {
      made = requests;
      return null;
    }
    return request(made++, (long) StrictMath.rint(seconds * NANOS_PER_SECOND));
  }

  private WorkloadRequest request(int index, long arrivalNs) {
    return new WorkloadRequest(
        "gsp-" + index,
        arrivalNs,
        systemTokens + questionTokens,
        outputTokens,
        new int[] {groups[index]},
        systemTokens,
        null,
        0);
  }

  @Override
  public void close() {
    made = requests;
  }
}

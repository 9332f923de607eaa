package dev.headway.simulation.workload.generated;

import dev.headway.simulation.workload.RandomStream;
import dev.headway.simulation.workload.Workload;
import dev.headway.simulation.workload.WorkloadRequest;
import dev.headway.simulation.workload.arrival.ArrivalProcess;
import dev.headway.simulation.workload.arrival.ArrivalTimes;
import dev.headway.simulation.workload.arrival.Gaps;
import dev.headway.simulation.workload.arrival.RateProfile;
import dev.headway.simulation.workload.length.LengthDistribution;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Requests of an arrival process, with lengths of two distributions, drawn independently.
 *
 * <p>With prefix groups, each prompt starts with the prefix of one group, drawn evenly; the prefix
 * comes before the prompt's own tokens, so that a prompt is as long as both together.
 *
 * <p>Each purpose has its own random stream: another rate leaves lengths as they were, another
 * prompt distribution leaves arrivals and outputs as they were. Equal parameters give equal
 * requests on every machine. One thread.
 */
public final class GeneratedLoad implements Workload {
  private static final double NANOS_PER_SECOND = 1e9;
  private static final int[] NO_BLOCKS = {};

  private final Builder parameters;
  private final ArrivalTimes arrivals;
  private final RandomStream inputs;
  private final RandomStream outputs;
  private final RandomStream prefixes;
  private final RandomStream tenants;
  private long lastArrivalNs;
  private int made;
  private boolean ended;

  private GeneratedLoad(Builder parameters) {
    this.parameters = parameters;
    this.arrivals = parameters.arrivals.start(parameters.seed);
    this.inputs = RandomStream.of(parameters.seed, "input");
    this.outputs = RandomStream.of(parameters.seed, "output");
    this.prefixes = RandomStream.of(parameters.seed, "prefix");
    this.tenants = RandomStream.of(parameters.seed, "tenant");
  }

  /**
   * Starts from 2,000 Poisson requests at 8 per second, 512 tokens in and 128 out, seed 1, nothing
   * shared, no tenants.
   *
   * @param name what reports call the load; request ids are the name and a number from 0
   * @return a new builder
   */
  public static Builder builder(String name) {
    return new Builder(name);
  }

  @Override
  public String name() {
    return parameters.name;
  }

  /** Known unless the load ends by time or with its arrivals. */
  @Override
  public OptionalLong sizeHint() {
    if (ended) {
      return OptionalLong.of(0);
    }
    return parameters.endSeconds < Double.POSITIVE_INFINITY
        ? OptionalLong.empty()
        : OptionalLong.of((long) parameters.requests - made);
  }

  @Override
  public @Nullable WorkloadRequest next() {
    ended = ended || made == parameters.requests;
    final double seconds = ended ? Double.POSITIVE_INFINITY : arrivals.next();
    if (seconds == Double.POSITIVE_INFINITY || seconds > parameters.endSeconds) {
      ended = true;
      return null;
    }
    lastArrivalNs = Math.max(lastArrivalNs, nanos(seconds));
    return request();
  }

  private WorkloadRequest request() {
    final int own = parameters.input.draw(inputs);
    final int output = parameters.output.draw(outputs);
    final int group = prefixes.nextInt(Math.max(1, parameters.prefixGroups));
    final int prefix = parameters.prefixGroups == 0 ? 0 : parameters.prefixTokens;
    final int input = (int) Math.min(WorkloadRequest.MAX_TOKENS, (long) prefix + own);
    return new WorkloadRequest(
        parameters.idPrefix + made++,
        lastArrivalNs,
        input,
        output,
        prefix == 0 ? NO_BLOCKS : new int[] {parameters.firstGroup + group},
        prefix,
        tenant(),
        parameters.priority);
  }

  private @Nullable String tenant() {
    return parameters.tenants == 0
        ? parameters.tenant
        : "tenant-" + tenants.nextInt(parameters.tenants);
  }

  private static long nanos(double seconds) {
    final double ns = StrictMath.rint(seconds * NANOS_PER_SECOND);
    if (!(ns < 0x1p63)) {
      throw new ArithmeticException("arrival must fit 64 bits of nanoseconds: seconds=" + seconds);
    }
    return (long) ns;
  }

  @Override
  public void close() {
    ended = true;
  }

  /** Collects the parameters; every setter checks its own. One thread only. */
  public static final class Builder {
    private static final int MOST_REQUESTS = 10_000_000;
    private static final int LONGEST_PREFIX = WorkloadRequest.MAX_TOKENS - 1;

    private final String name;
    private String idPrefix;
    private long seed = 1;
    private int requests = 2_000;
    private double endSeconds = Double.POSITIVE_INFINITY;
    private ArrivalProcess arrivals =
        ArrivalProcess.of(Gaps.exponential(), RateProfile.constant(8));
    private LengthDistribution input = LengthDistribution.constant(512);
    private LengthDistribution output = LengthDistribution.constant(128);
    private int firstGroup;
    private int prefixGroups;
    private int prefixTokens;
    private int tenants;
    private @Nullable String tenant;
    private int priority;

    private Builder(String name) {
      this.name = name;
      this.idPrefix = name + "-";
    }

    private Builder(Builder other) {
      this.name = other.name;
      this.idPrefix = other.idPrefix;
      this.seed = other.seed;
      this.requests = other.requests;
      this.endSeconds = other.endSeconds;
      this.arrivals = other.arrivals;
      this.input = other.input;
      this.output = other.output;
      this.firstGroup = other.firstGroup;
      this.prefixGroups = other.prefixGroups;
      this.prefixTokens = other.prefixTokens;
      this.tenants = other.tenants;
      this.tenant = other.tenant;
      this.priority = other.priority;
    }

    /** What comes before the number in request ids. */
    public Builder idPrefix(String value) {
      idPrefix = value;
      return this;
    }

    /** Any number; equal seeds give equal requests. */
    public Builder seed(long value) {
      seed = value;
      return this;
    }

    /** The most requests, in [0, 10,000,000]. */
    public Builder requests(int value) {
      requests = Options.inRange("requests", value, 0, MOST_REQUESTS);
      return this;
    }

    /** The load ends after so many seconds, above 0, if it has not ended by requests before. */
    public Builder endSeconds(double value) {
      if (!(value > 0)) {
        throw new IllegalArgumentException("seconds must be > 0: seconds=" + value);
      }
      endSeconds = value;
      return this;
    }

    /** When requests arrive. */
    public Builder arrivals(ArrivalProcess value) {
      arrivals = value;
      return this;
    }

    /** The prompt's own tokens, without a shared prefix. */
    public Builder input(LengthDistribution value) {
      input = value;
      return this;
    }

    /** Tokens to generate. */
    public Builder output(LengthDistribution value) {
      output = value;
      return this;
    }

    /**
     * Prefixes that prompts start with.
     *
     * @param groups how many different prefixes, in [0, 65,536], equally frequent; 0 for none
     * @param tokens length of each, in [1, 16,777,215] where there are groups
     * @return this
     */
    public Builder prefixes(int groups, int tokens) {
      return prefixes(0, groups, tokens);
    }

    /** The same with other block ids, for loads that are merged. */
    Builder prefixes(int first, int groups, int tokens) {
      firstGroup = first;
      prefixGroups = Options.inRange("prefix-groups", groups, 0, 1 << 16);
      prefixTokens = Options.inRange("prefix-tokens", tokens, groups == 0 ? 0 : 1, LONGEST_PREFIX);
      return this;
    }

    /** How many tenants, equally busy, in [0, 10,000]; 0 leaves requests without one. */
    public Builder tenants(int value) {
      tenants = Options.inRange("tenants", value, 0, 10_000);
      return this;
    }

    /** The one tenant of all requests, or null; only where {@link #tenants} is 0. */
    public Builder tenant(@Nullable String value) {
      tenant = value;
      return this;
    }

    /** The priority of all requests: lower is more urgent. */
    public Builder priority(int value) {
      priority = value;
      return this;
    }

    /** Makes the load; the builder can go on being used. */
    public GeneratedLoad build() {
      return new GeneratedLoad(new Builder(this));
    }
  }
}

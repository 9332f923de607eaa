package dev.headway.simulation.workload;

import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Requests made up from a seed, modelled on Azure's conversation trace of 2023.
 *
 * <p><b>Arrivals</b>: gaps are Gamma with shape {@code burstiness} and mean {@code 1 / rate}, as in
 * {@code vllm bench serve}; 1 is a Poisson process, below 1 is burstier. The trace has 5.53
 * requests per second and gaps with a coefficient of variation of 1.09, which is burstiness 0.84.
 *
 * <p><b>Lengths</b>: drawn together from a table of the trace's ranks; mean 1,157 in and 211 out,
 * medians 1,020 and 129, against 1,155 and 211, 1,020 and 129 in the trace. The Javadoc of {@code
 * AzureConversationLengths} says how the table was made and how close it is. Azure Public Dataset,
 * Microsoft, CC-BY 4.0; cite Patel et al., Splitwise, ISCA 2024.
 *
 * <p><b>Sharing</b> is invented, since the trace has no text: some requests start with one of a few
 * system prompts, some continue a conversation. See {@link Sharing}.
 *
 * <p>Equal parameters give equal requests on every machine. Each purpose has its own random stream,
 * so that another rate leaves lengths unchanged, and other tenants leave arrivals unchanged. (Which
 * conversations continue depends on the rate, through the time between turns.)
 */
public final class SyntheticWorkload implements Workload {
  private static final double NANOS_PER_SECOND = 1e9;
  private static final int MAX_REQUESTS = 10_000_000;

  private final Builder parameters;
  private final RandomStream arrivalRandom;
  private final RandomStream lengthRandom;
  private final RandomStream tenantRandom;
  private final AzureConversationLengths lengths = new AzureConversationLengths();
  private final Conversations conversations;
  private long arrivalNs;
  private int made;

  private SyntheticWorkload(Builder parameters) {
    this.parameters = parameters;
    this.arrivalRandom = RandomStream.of(parameters.seed, "arrival");
    this.lengthRandom = RandomStream.of(parameters.seed, "length");
    this.tenantRandom = RandomStream.of(parameters.seed, "tenant");
    this.conversations = new Conversations(parameters.sharing, parameters.seed);
  }

  /** Starts from 2,000 Poisson requests at 5.53 per second, seed 1, default sharing, no tenants. */
  public static Builder builder() {
    return new Builder();
  }

  @Override
  public String name() {
    return "synthetic(requests=%d, ratePerSecond=%s, burstiness=%s, seed=%d)"
        .formatted(
            parameters.requests, parameters.ratePerSecond, parameters.burstiness, parameters.seed);
  }

  @Override
  public OptionalLong sizeHint() {
    return OptionalLong.of(parameters.requests - made);
  }

  @Override
  public @Nullable WorkloadRequest next() {
    if (made == parameters.requests) {
      return null;
    }
    arrivalNs = Math.addExact(arrivalNs, nextGapNs());
    lengths.draw(lengthRandom);
    final int tenant = tenantRandom.nextInt(Math.max(1, parameters.tenants));
    final WorkloadRequest plain =
        new WorkloadRequest(
            "synthetic-" + made++,
            arrivalNs,
            lengths.inputTokens(),
            lengths.outputTokens(),
            new int[0],
            0,
            parameters.tenants == 0 ? null : "tenant-" + tenant,
            0);
    return conversations.place(plain);
  }

  private long nextGapNs() {
    final double gap =
        parameters.burstiness == 1
            ? arrivalRandom.nextExponential()
            : arrivalRandom.nextGammaOfMeanOne(parameters.burstiness);
    return (long) StrictMath.rint(gap * NANOS_PER_SECOND / parameters.ratePerSecond);
  }

  @Override
  public void close() {
    made = parameters.requests;
  }

  /**
   * What prompts have in common.
   *
   * @param systemPromptShare share of conversations that start with a system prompt, in [0, 1];
   *     prompts that are not longer than it go without
   * @param systemPrompts number of different system prompts, in [1, 10,000], equally frequent
   * @param systemPromptTokens length of each, a multiple of 16 in [16, 65,536]
   * @param continuedShare share of requests that continue a conversation where one fits, in [0, 1]
   * @param turnGapNs shortest time between two turns of a conversation, at least 0
   */
  public record Sharing(
      double systemPromptShare,
      int systemPrompts,
      int systemPromptTokens,
      double continuedShare,
      long turnGapNs) {
    /** Nothing in common: every prompt is the request's own. */
    public static final Sharing NONE = new Sharing(0, 1, Conversations.BLOCK_TOKENS, 0, 0);

    /**
     * Half with one of 4 system prompts of 256 tokens, 40 % continued after 10 s or more: 20 % of
     * the default workload's 16-token blocks were there before.
     */
    public static final Sharing DEFAULT = new Sharing(0.5, 4, 256, 0.4, 10_000_000_000L);

    /** Checks every component. */
    public Sharing {
      requireShare("systemPromptShare", systemPromptShare);
      requireRange("systemPrompts", systemPrompts, 1, 10_000);
      requireRange("systemPromptTokens", systemPromptTokens, 16, 65_536);
      if (systemPromptTokens % Conversations.BLOCK_TOKENS != 0) {
        throw new IllegalArgumentException(
            "systemPromptTokens must be a multiple of 16: systemPromptTokens="
                + systemPromptTokens);
      }
      requireShare("continuedShare", continuedShare);
      requireRange("turnGapNs", turnGapNs, 0, Long.MAX_VALUE);
    }
  }

  /** Collects the parameters; every setter checks its own. One thread only. */
  public static final class Builder {
    private long seed = 1;
    private int requests = 2_000;
    private double ratePerSecond = 5.53;
    private double burstiness = 1;
    private int tenants;
    private Sharing sharing = Sharing.DEFAULT;

    private Builder() {}

    private Builder(Builder other) {
      this.seed = other.seed;
      this.requests = other.requests;
      this.ratePerSecond = other.ratePerSecond;
      this.burstiness = other.burstiness;
      this.tenants = other.tenants;
      this.sharing = other.sharing;
    }

    /** Any number; equal seeds give equal requests. */
    public Builder seed(long value) {
      seed = value;
      return this;
    }

    /** How many requests, in [0, 10,000,000]. */
    public Builder requests(int value) {
      requireRange("requests", value, 0, MAX_REQUESTS);
      requests = value;
      return this;
    }

    /** Mean arrivals per second, in [0.000001, 1,000,000]. */
    public Builder ratePerSecond(double value) {
      requireRange("ratePerSecond", value, 1e-6, 1e6);
      ratePerSecond = value;
      return this;
    }

    /** Shape of the Gamma gaps, in [0.01, 100]: 1 is Poisson, less is burstier. */
    public Builder burstiness(double value) {
      requireRange("burstiness", value, 0.01, 100);
      burstiness = value;
      return this;
    }

    /** How many tenants, equally busy, in [0, 10,000]; 0 leaves requests without one. */
    public Builder tenants(int value) {
      requireRange("tenants", value, 0, 10_000);
      tenants = value;
      return this;
    }

    /** What prompts have in common. */
    public Builder sharing(Sharing value) {
      sharing = value;
      return this;
    }

    /** Makes the workload; the builder can go on being used. */
    public SyntheticWorkload build() {
      return new SyntheticWorkload(new Builder(this));
    }
  }

  private static void requireShare(String name, double value) {
    if (!(value >= 0 && value <= 1)) {
      throw new IllegalArgumentException(name + " must be in [0, 1]: " + name + "=" + value);
    }
  }

  private static void requireRange(String name, long value, long min, long max) {
    if (value < min || value > max) {
      throw new IllegalArgumentException(
          "%s must be in [%d, %d]: %s=%d".formatted(name, min, max, name, value));
    }
  }

  private static void requireRange(String name, double value, double min, double max) {
    if (!(value >= min && value <= max)) {
      throw new IllegalArgumentException(
          name + " must be in [" + min + ", " + max + "]: " + name + "=" + value);
    }
  }
}

package dev.headway.simulation.workload;

import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * A made-up load for studies, whose short and long requests and tenants are known beforehand.
 * Nothing is shared between prompts. Equal parameters give equal requests on every machine.
 *
 * <p>{@link Kind#SHORT_LONG}: Poisson arrivals; prompts are log-normal with median 256 (sigma 0.6),
 * outputs with median 128 (0.7); a share of the requests has prompts with median 12,000 (0.4) and
 * outputs with median 256 (0.5).
 *
 * <p>{@link Kind#BURSTY_TENANTS}: prompts log-normal with median 512 (0.7), outputs with median 128
 * (0.7). Half of all requests belong to {@code tenant-0}, which sends them in 10 s of every 60 s;
 * the others share the other half evenly, as Poisson arrivals.
 *
 * <p>{@link Kind#LONG_OUTPUTS}: Poisson arrivals; prompts log-normal with median 512 (sigma 0.7),
 * outputs with median 1,024 (0.7).
 *
 * <p>{@link Kind#PRIORITIES}: as SHORT_LONG, where the long ones have priority 10 and the others 0.
 */
public final class MixedLoad implements Workload {

  private static final double NANOS_PER_SECOND = 1e9;
  private static final double PERIOD_SECONDS = 60;
  private static final double BURST_SECONDS = 10;
  private static final int LONGEST_PROMPT = 65_536;
  private static final int LONGEST_OUTPUT = 4_096;

  /** Which load. */
  public enum Kind {
    /** Short prompts, and a few very long ones. */
    SHORT_LONG,
    /** One tenant floods, the others are steady. */
    BURSTY_TENANTS,
    /** The long ones are less important. */
    PRIORITIES,
    /** Outputs are longer than prompts. */
    LONG_OUTPUTS
  }

  /**
   * What to make.
   *
   * @param kind which load
   * @param requests how many, in [0, 10,000,000]
   * @param ratePerSecond mean arrivals per second, > 0
   * @param longShare share of long requests, in [0, 1]
   * @param tenants how many, in [0, 10,000]; BURSTY_TENANTS has 2 at least
   * @param seed any number
   */
  public record Parameters(
      Kind kind, int requests, double ratePerSecond, double longShare, int tenants, long seed) {

    /** Checks every component. */
    public Parameters {
      final boolean flooded = kind == Kind.BURSTY_TENANTS;
      require("requests", requests, 0, 10_000_000);
      require("ratePerSecond", ratePerSecond, 1e-6, 1e6);
      require("longShare", longShare, 0, 1);
      require("tenants", tenants, flooded ? 2 : 0, 10_000);
    }

    private static void require(String name, double value, double min, double max) {
      if (!(value >= min && value <= max)) {
        throw new IllegalArgumentException(
            name + " must be in [" + min + ", " + max + "]: " + name + "=" + value);
      }
    }
  }

  private final Parameters parameters;
  private final RandomStream arrivals;
  private final RandomStream floods;
  private final RandomStream lengths;
  private final RandomStream classes;
  private final RandomStream tenants;
  private double nextSteady;
  private double nextFlood;
  private int made;

  /** Makes a load. */
  public MixedLoad(Parameters parameters) {
    this.parameters = parameters;
    arrivals = RandomStream.of(parameters.seed, "arrival");
    floods = RandomStream.of(parameters.seed, "flood");
    lengths = RandomStream.of(parameters.seed, "length");
    classes = RandomStream.of(parameters.seed, "class");
    tenants = RandomStream.of(parameters.seed, "tenant");
    nextSteady = steadyGap();
    nextFlood = isFlooded() ? floodTime(0) : Double.POSITIVE_INFINITY;
  }

  @Override
  public String name() {
    return parameters.toString();
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
    final boolean flood = nextFlood < nextSteady;
    final double seconds = flood ? nextFlood : nextSteady;
    if (flood) {
      nextFlood = floodTime(nextFlood);
    } else {
      nextSteady += steadyGap();
    }
    return request((long) StrictMath.rint(seconds * NANOS_PER_SECOND), flood);
  }

  private WorkloadRequest request(long arrivalNs, boolean flood) {
    final boolean sameLengths = isFlooded() || parameters.kind == Kind.LONG_OUTPUTS;
    final boolean isLong = classes.nextDouble() < parameters.longShare && !sameLengths;
    final double promptMedian = sameLengths ? 512 : isLong ? 12_000 : 256;
    final double promptSigma = sameLengths ? 0.7 : isLong ? 0.4 : 0.6;
    final double outputMedian = parameters.kind == Kind.LONG_OUTPUTS ? 1_024 : isLong ? 256 : 128;
    final int input = logNormal(promptMedian, promptSigma, LONGEST_PROMPT);
    final int output = logNormal(outputMedian, isLong ? 0.5 : 0.7, LONGEST_OUTPUT);
    final int priority = parameters.kind == Kind.PRIORITIES && isLong ? 10 : 0;
    return new WorkloadRequest(
        "made-" + made++, arrivalNs, input, output, new int[0], 0, tenant(flood), priority);
  }

  private @Nullable String tenant(boolean flood) {
    if (parameters.tenants == 0) {
      return null;
    }
    final int others = isFlooded() ? parameters.tenants - 1 : parameters.tenants;
    final int drawn = tenants.nextInt(others);
    return "tenant-" + (flood ? 0 : isFlooded() ? drawn + 1 : drawn);
  }

  private boolean isFlooded() {
    return parameters.kind == Kind.BURSTY_TENANTS;
  }

  private double steadyGap() {
    final double rate = parameters.ratePerSecond * (isFlooded() ? 0.5 : 1);
    return arrivals.nextExponential() / rate;
  }

  /** The next instant of a Poisson process that only lives in the first seconds of each period. */
  private double floodTime(double after) {
    final double rate = parameters.ratePerSecond * 0.5 * PERIOD_SECONDS / BURST_SECONDS;
    final double gap = floods.nextExponential() / rate;
    final double period = StrictMath.floor(after / PERIOD_SECONDS);
    final double inBurst = after - period * PERIOD_SECONDS + gap;
    final double passed = StrictMath.floor(inBurst / BURST_SECONDS);
    return (period + passed) * PERIOD_SECONDS + inBurst - passed * BURST_SECONDS;
  }

  private int logNormal(double median, double sigma, int most) {
    final double value = median * StrictMath.exp(sigma * lengths.nextGaussian());
    return (int) Math.clamp(StrictMath.rint(value), 1, most);
  }

  @Override
  public void close() {
    made = parameters.requests;
  }
}

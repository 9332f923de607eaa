package dev.headway.simulation.workload;

import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Changes a workload on the way: faster, shorter, smaller.
 *
 * <p>Each method takes ownership of its argument: closing the result closes it.
 */
public final class Workloads {
  private Workloads() {}

  /**
   * Multiplies the request rate by dividing every arrival time.
   *
   * @param source the workload to change
   * @param factor finite and above 0; 2 sends twice as many requests per second, 0.5 half as many
   * @return the changed workload; arrivals are rounded to the nearest nanosecond
   */
  public static Workload scaleRate(Workload source, double factor) {
    if (!(factor > 0) || Double.isInfinite(factor)) {
      throw new IllegalArgumentException("rate scale must be finite and > 0: factor=" + factor);
    }
    return factor == 1.0 ? source : new RateScaled(source, factor);
  }

  /**
   * Ends a workload after so many requests; a trace is then read no further than its look-ahead.
   *
   * @param source the workload to change
   * @param maxRequests at least 0
   * @return the shortened workload
   */
  public static Workload limit(Workload source, long maxRequests) {
    if (maxRequests < 0) {
      throw new IllegalArgumentException("limit must be >= 0: maxRequests=" + maxRequests);
    }
    return new Limited(source, maxRequests);
  }

  /**
   * Puts the rows of another kind of file in order of arrival, as {@link TraceReaders} does.
   *
   * @param name what messages and {@link Workload#name()} call it
   * @param rows out of order by at most 4,096; closed with the workload
   * @return the workload; it owns the rows
   */
  public static Workload ordered(String name, RowSource rows) {
    return new OrderedTrace(name, rows, false, TraceLimits.DEFAULT);
  }

  /**
   * Cuts prompts and outputs that are too long for the engine; each cut is counted.
   *
   * @param source the workload to change
   * @param maxInputTokens longest prompt, at least 1
   * @param maxOutputTokens longest output, at least 1
   * @return the workload with {@link Workload#adjustments()} that include the cuts
   */
  public static Workload cap(Workload source, int maxInputTokens, int maxOutputTokens) {
    if (maxInputTokens < 1 || maxOutputTokens < 1) {
      throw new IllegalArgumentException(
          "caps must be >= 1: maxInputTokens="
              + maxInputTokens
              + ", maxOutputTokens="
              + maxOutputTokens);
    }
    return new Capped(source, maxInputTokens, maxOutputTokens);
  }

  /**
   * Takes from requests what the one that runs them cannot do; each is noted.
   *
   * @param source the workload to change
   * @param extras what is taken, at least one
   * @return the workload with {@link Workload#adjustments()} that note it
   */
  public static Workload without(Workload source, Set<RequestExtra> extras) {
    return new WithoutExtras(source, extras);
  }

  /**
   * Requests that are in memory.
   *
   * @param requests in the order of arrival; not copied
   */
  public static Workload of(String name, List<WorkloadRequest> requests) {
    return new Listed(name, requests);
  }

  private static final class Listed implements Workload {
    private final String name;
    private final List<WorkloadRequest> requests;
    private int index;

    Listed(String name, List<WorkloadRequest> requests) {
      this.name = name;
      this.requests = requests;
    }

    @Override
    public String name() {
      return name;
    }

    @Override
    public OptionalLong sizeHint() {
      return OptionalLong.of(requests.size());
    }

    @Override
    public @Nullable WorkloadRequest next() {
      return index == requests.size() ? null : requests.get(index++);
    }

    @Override
    public void close() {
      index = requests.size();
    }
  }

  private static final class RateScaled extends ForwardingWorkload {
    private final double factor;

    RateScaled(Workload source, double factor) {
      super(source);
      this.factor = factor;
    }

    @Override
    public @Nullable WorkloadRequest next() {
      final WorkloadRequest request = source().next();
      return request == null ? null : request.withArrivalNs(scaled(request.arrivalNs()));
    }

    private long scaled(long arrivalNs) {
      final double scaledNs = StrictMath.rint(arrivalNs / factor);
      if (scaledNs >= 0x1p63) {
        throw new ArithmeticException(
            "scaled arrival must fit 64 bits: arrivalNs=" + arrivalNs + ", factor=" + factor);
      }
      return (long) scaledNs;
    }
  }

  private static final class Limited extends ForwardingWorkload {
    private long remaining;

    Limited(Workload source, long maxRequests) {
      super(source);
      this.remaining = maxRequests;
    }

    @Override
    public OptionalLong sizeHint() {
      final OptionalLong hint = super.sizeHint();
      return hint.isEmpty() ? hint : OptionalLong.of(Math.min(remaining, hint.getAsLong()));
    }

    @Override
    public @Nullable WorkloadRequest next() {
      if (remaining == 0) {
        return null;
      }
      remaining--;
      return source().next();
    }
  }

  private static final class Capped extends ForwardingWorkload {
    private final int maxInputTokens;
    private final int maxOutputTokens;
    private long cappedInputs;
    private long cappedOutputs;

    Capped(Workload source, int maxInputTokens, int maxOutputTokens) {
      super(source);
      this.maxInputTokens = maxInputTokens;
      this.maxOutputTokens = maxOutputTokens;
    }

    @Override
    public @Nullable WorkloadRequest next() {
      final WorkloadRequest request = source().next();
      return request == null ? null : capped(request);
    }

    private WorkloadRequest capped(WorkloadRequest request) {
      final int input = Math.min(request.inputTokens(), maxInputTokens);
      final int output = Math.min(request.outputTokens(), maxOutputTokens);
      final boolean cutsInput = input < request.inputTokens();
      final boolean cutsOutput = output < request.outputTokens();
      cappedInputs += cutsInput ? 1 : 0;
      cappedOutputs += cutsOutput ? 1 : 0;
      return cutsInput || cutsOutput ? request.withLengths(input, output) : request;
    }

    @Override
    public Adjustments adjustments() {
      final Adjustments before = super.adjustments();
      return new Adjustments(
          before.rows(),
          before.leftOut(),
          before.firstLeftOut(),
          before.notes(),
          before.cappedInputRows() + cappedInputs,
          before.cappedOutputRows() + cappedOutputs);
    }
  }
}

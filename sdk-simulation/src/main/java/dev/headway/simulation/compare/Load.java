package dev.headway.simulation.compare;

import dev.headway.api.policy.PolicySpec;
import dev.headway.simulation.workload.Adjustments;
import dev.headway.simulation.workload.ForwardingWorkload;
import dev.headway.simulation.workload.RequestExtra;
import dev.headway.simulation.workload.TraceFormat;
import dev.headway.simulation.workload.TraceFormatException;
import dev.headway.simulation.workload.Workload;
import dev.headway.simulation.workload.WorkloadRequest;
import dev.headway.simulation.workload.Workloads;
import dev.headway.simulation.workload.generated.LoadFiles;
import dev.headway.simulation.workload.generated.NamedLoads;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The load that every policy gets: a file or directory that describes one, or a made-up load in the
 * syntax of a policy.
 *
 * @param source path of it, or a name with options, as in {@code short-long(rate=4)}
 * @param format of a trace
 * @param rateScale how many times as fast requests arrive
 * @param limit most requests
 * @param tenants to how many tenants requests without one are dealt, 0 for none
 * @param strict whether a row that is no request is an error rather than left out
 * @param remarks gets a line when an opened load has ended and rows were left out of it; called by
 *     the thread that reads the load
 */
public record Load(
    String source,
    TraceFormat format,
    double rateScale,
    long limit,
    int tenants,
    boolean strict,
    Consumer<String> remarks) {

  /** A load whose left out rows only {@link Workload#adjustments()} counts. */
  public Load(String source, TraceFormat format, double rateScale, long limit, int tenants) {
    this(source, format, rateScale, limit, tenants, false, remark -> {});
  }

  /** The same, read as said. */
  public Load reading(boolean newStrict, Consumer<String> newRemarks) {
    return new Load(source, format, rateScale, limit, tenants, newStrict, newRemarks);
  }

  /**
   * Ends the reading of this load: passes on what was left out of it.
   *
   * @throws TraceFormatException if there was no request, or {@link #strict} allows none to be left
   *     out
   */
  public void requireGood(Adjustments read, boolean hasRequests) {
    requireWhole(read);
    final String leftOut = read.text();
    if (!hasRequests) {
      throw new TraceFormatException(
          "a load must have at least one request: load="
              + source
              + (leftOut.isEmpty() ? "" : "; " + leftOut),
          null);
    }
    if (!leftOut.isEmpty()) {
      remarks.accept(name() + ": " + leftOut);
    }
  }

  /** Refuses what was left out so far if this load is {@link #strict}. */
  void requireWhole(Adjustments read) {
    if (strict && read.firstLeftOut() != null) {
      throw new TraceFormatException(
          "with --strict every row must be a request: " + read.firstLeftOut(), null);
    }
  }

  /** The same at another rate. */
  public Load withRateScale(double newRateScale) {
    return new Load(source, format, newRateScale, limit, tenants, strict, remarks);
  }

  /** The same with another limit. */
  public Load withLimit(long newLimit) {
    return new Load(source, format, rateScale, newLimit, tenants, strict, remarks);
  }

  /** The same from another source. */
  public Load withSource(String newSource, TraceFormat newFormat) {
    return new Load(newSource, newFormat, rateScale, limit, tenants, strict, remarks);
  }

  /** Whether the source is a made-up load rather than a file. */
  public boolean isMade() {
    return NamedLoads.isNamed(source) && !Files.exists(Path.of(source));
  }

  /** Whether it is made up and names this option. */
  public boolean names(String option) {
    return isMade() && made().getValue().containsKey(option);
  }

  /**
   * The same with other options in parentheses.
   *
   * @param options values by name, in place of those it has
   * @throws IllegalArgumentException unless it is a made-up load
   */
  public Load with(Map<String, String> options) {
    if (options.isEmpty()) {
      return this;
    }
    if (!isMade()) {
      throw new IllegalArgumentException(
          "only a made-up load has options; a file has its rate scaled: options="
              + options
              + ", load="
              + source);
    }
    final Map<String, String> all = new LinkedHashMap<>(made().getValue());
    all.putAll(options);
    final String list =
        all.entrySet().stream()
            .map(option -> option.getKey() + "=" + option.getValue())
            .collect(Collectors.joining(","));
    return withSource(made().getKey() + "(" + list + ")", format);
  }

  private Map.Entry<String, Map<String, String>> made() {
    return PolicySpec.parse(source).entrySet().iterator().next();
  }

  /** What reports call it. */
  public String name() {
    return isMade() ? source : String.valueOf(Path.of(source).getFileName());
  }

  /**
   * Starts it from the beginning, the same each time.
   *
   * @return the requests, at the rate and up to the limit that are asked for; throws a {@link
   *     TraceFormatException} at its end if there was none, and where {@link #strict} does not
   *     allow what was left out
   * @throws IllegalArgumentException if there is no such made-up load, or it has no such option
   */
  public Workload open() throws IOException {
    return new CheckedLoad(read(), this);
  }

  /**
   * The same for what cannot do all that requests may ask for.
   *
   * @param extras what it cannot do, at least one: taken from requests, and noted
   */
  public Workload openWithout(Set<RequestExtra> extras) throws IOException {
    return new CheckedLoad(Workloads.without(read(), extras), this);
  }

  private Workload read() throws IOException {
    final Workload read =
        isMade() ? NamedLoads.open(source) : LoadFiles.open(Path.of(source), format);
    final Workload scaled = Workloads.scaleRate(read, rateScale);
    final Workload limited = limit < 0 ? scaled : Workloads.limit(scaled, limit);
    return tenants == 0 ? limited : new Dealt(limited, tenants);
  }

  /** Assigns requests without a tenant to tenants by their ids; the k-th gets a share of 1/k. */
  private static final class Dealt extends ForwardingWorkload {
    private final double[] upTo;

    Dealt(Workload source, int tenants) {
      super(source);
      upTo = new double[tenants];
      double sum = 0;
      for (int tenant = 0; tenant < tenants; tenant++) {
        sum += 1.0 / (tenant + 1);
        upTo[tenant] = sum;
      }
    }

    @Override
    public @Nullable WorkloadRequest next() {
      final WorkloadRequest request = source().next();
      return request == null || request.tenant() != null
          ? request
          : request.withTenant("tenant-" + tenantOf(request.requestId()));
    }

    private int tenantOf(String id) {
      final int mixed = Objects.hash(id, id.length()) * 0x9e3779b9;
      final double drawn = (mixed >>> 1) * 0x1p-31 * upTo[upTo.length - 1];
      int tenant = 0;
      while (tenant < upTo.length - 1 && drawn >= upTo[tenant]) {
        tenant++;
      }
      return tenant;
    }
  }
}

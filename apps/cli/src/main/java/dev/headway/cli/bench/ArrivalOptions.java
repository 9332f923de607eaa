package dev.headway.cli.bench;

import dev.headway.cli.command.CommandMessages;
import dev.headway.cli.command.InRange;
import dev.headway.cli.command.Needs;
import dev.headway.loadgen.arrival.Ramp;
import dev.headway.loadgen.arrival.RateSchedule;
import dev.headway.loadgen.run.RunLimits;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** When requests are sent. */
final class ArrivalOptions {

  @Option(
      names = "--request-rate",
      paramLabel = "RATE",
      split = ",",
      description =
          "Requests per second, or inf for all at once; several, as in 10,20,50,100, are run in"
              + " turn (the load's own times, else inf).")
  private @Nullable List<String> rates;

  @Needs({"--request-rate", "--ramp-up-strategy", "--sweep", "--find-capacity", "--scenario"})
  @Option(
      names = "--burstiness",
      paramLabel = "SHAPE",
      description =
          "Shape of the gamma distribution of gaps: 1 is Poisson, less is burstier, inf is even"
              + " gaps (${DEFAULT-VALUE}).")
  private String burstiness = "1";

  @Option(
      names = "--normalize-arrivals",
      negatable = true,
      defaultValue = "true",
      fallbackValue = "true",
      description =
          "Stretch gaps so that the last request is sent at N / RATE exactly, as vllm bench does"
              + " (yes).")
  private boolean normalize;

  @Option(
      names = "--ramp-up-strategy",
      paramLabel = "NAME",
      description = "linear or exponential: the rate grows from request to request.")
  private @Nullable String strategy;

  @Needs("--ramp-up-strategy")
  @InRange(from = 0, above = true)
  @Option(names = "--ramp-up-start-rps", paramLabel = "RATE", description = "Its first rate.")
  private @Nullable Double rampFrom;

  @Needs("--ramp-up-strategy")
  @InRange(from = 0, above = true)
  @Option(names = "--ramp-up-end-rps", paramLabel = "RATE", description = "Its last rate.")
  private @Nullable Double rampTo;

  @InRange(from = 1)
  @Option(
      names = "--users",
      paramLabel = "N",
      split = ",",
      description =
          "Instead of a rate: this number of users, each of which sends the next request when the"
              + " last one has ended; several numbers are run in turn.")
  private @Nullable List<Integer> users;

  @Needs({"--users", "--synchronous"})
  @InRange(from = 0, to = 1e6)
  @Option(
      names = "--think-time",
      paramLabel = "SECONDS",
      description = "How long a user waits in between (${DEFAULT-VALUE}).")
  private double thinkSeconds;

  @Option(names = "--synchronous", description = "One request at a time: --users 1.")
  private boolean synchronous;

  @InRange(from = 1)
  @Option(
      names = "--sweep",
      paramLabel = "K",
      description =
          "One request at a time, then all at once, then K rates evenly between the two that"
              + " come of it.")
  private @Nullable Integer sweep;

  @Option(
      names = "--schedule-in",
      paramLabel = "FILE",
      description = "JSON lines of offset_ns, prompt_len, output_len, instead of LOAD and rate.")
  private @Nullable Path scheduleIn;

  @Option(
      names = "--schedule-out",
      paramLabel = "FILE",
      description = "Write what is sent when, in that form.")
  private @Nullable Path scheduleOut;

  @InRange(from = 1)
  @Option(
      names = "--max-concurrency",
      paramLabel = "N",
      split = ",",
      description =
          "Most requests under way; others wait in the client, which is measured apart. Several"
              + " numbers are run in turn (any).")
  private @Nullable List<Integer> concurrencies;

  @Option(
      names = "--strict-request-rate",
      description = "Never exceed the rate when places become free together.")
  private boolean strict;

  @InRange(from = 0, above = true)
  @Option(
      names = "--max-seconds",
      paramLabel = "S",
      description = "End the run then, with what is under way (never).")
  private double maxSeconds = Double.POSITIVE_INFINITY;

  @InRange(from = 1)
  @Option(
      names = "--max-errors",
      paramLabel = "N",
      description = "End the run after this number of failed requests (never).")
  private int maxErrors = Integer.MAX_VALUE;

  @Option(
      names = "--stop-over-saturated",
      description =
          "End a run when more comes than the server does: requests under way and times to first"
              + " token both grow.")
  private boolean stopsOverSaturated;

  /** One run of several. */
  record Pace(double rate, int users, int places) {

    /** Most requests under way, or null for any number. */
    @Nullable Integer maxConcurrency() {
      return places == 0 ? null : places;
    }

    boolean isClosed() {
      return users > 0;
    }

    /** The name of its directory among several. */
    String label() {
      final String pace = isClosed() ? "users-" + users : "rate-" + text(rate);
      return places == 0 ? pace : pace + "-concurrency-" + places;
    }

    private static String text(double rate) {
      return rate == Math.rint(rate) && Math.abs(rate) < 1e9
          ? Long.toString((long) rate)
          : String.format(Locale.ROOT, Double.isFinite(rate) ? "%.3f" : "%s", rate)
              .replace("NaN", "trace")
              .replace("Infinity", "inf");
    }
  }

  /** A rate that is given in a preset stands in for one that is not given. */
  List<Pace> paces(@Nullable Double presetRate, CommandMessages messages) {
    check(messages);
    final List<Integer> limits = concurrencies == null ? List.of(0) : concurrencies;
    final List<Integer> closed = synchronous ? List.of(1) : users;
    if (closed != null) {
      return closed.stream()
          .flatMap(n -> limits.stream().map(limit -> new Pace(Double.NaN, n, limit)))
          .toList();
    }
    final List<Double> open =
        rates == null
            ? List.of(presetRate == null ? Double.NaN : presetRate)
            : rates.stream().map(text -> rate(text, messages)).toList();
    return open.stream()
        .flatMap(rate -> limits.stream().map(limit -> new Pace(rate, 0, limit)))
        .toList();
  }

  private void check(CommandMessages messages) {
    final boolean closed = users != null || synchronous;
    if (closed && (rates != null || strategy != null || sweep != null)) {
      throw messages.wrong(
          "--users has no rate: leave --request-rate, --ramp-up-strategy and --sweep out");
    }
    if (strategy != null && rates != null) {
      throw messages.wrong("a ramp has its own rates: leave --request-rate out");
    }
    if (strict && rates == null && strategy == null) {
      throw messages.wrong("--strict-request-rate needs --request-rate");
    }
  }

  private static double rate(String text, CommandMessages messages) {
    final double rate = number(text);
    if (!(rate > 0)) {
      throw messages.wrong("--request-rate must be numbers > 0, or inf: --request-rate=" + text);
    }
    return rate;
  }

  private static double number(String text) {
    try {
      return text.strip().equalsIgnoreCase("inf")
          ? Double.POSITIVE_INFINITY
          : Double.parseDouble(text.strip());
    } catch (NumberFormatException e) {
      return Double.NaN;
    }
  }

  double burstiness(CommandMessages messages) {
    final double shape = number(burstiness);
    if (!(shape > 0)) {
      throw messages.wrong("--burstiness must be > 0, or inf: --burstiness=" + burstiness);
    }
    return shape;
  }

  @Nullable Ramp ramp(CommandMessages messages) {
    if (strategy == null) {
      return null;
    }
    if (rampFrom == null || rampTo == null) {
      throw messages.wrong("--ramp-up-strategy needs --ramp-up-start-rps and --ramp-up-end-rps");
    }
    final Ramp.Strategy known =
        Arrays.stream(Ramp.Strategy.values())
            .filter(each -> each.label().equalsIgnoreCase(strategy))
            .findFirst()
            .orElseThrow(
                () ->
                    messages.wrong(
                        "--ramp-up-strategy must be linear or exponential: --ramp-up-strategy="
                            + strategy));
    try {
      return new Ramp(known, rampFrom, rampTo);
    } catch (IllegalArgumentException e) {
      throw messages.wrong(e.getMessage());
    }
  }

  /** The schedule at a rate, or of the ramp. */
  RateSchedule schedule(Pace pace, long seed, CommandMessages messages) {
    try {
      return new RateSchedule(
          Double.isNaN(pace.rate()) ? Double.POSITIVE_INFINITY : pace.rate(),
          ramp(messages),
          burstiness(messages),
          normalize,
          seed);
    } catch (IllegalArgumentException e) {
      throw messages.wrong(e.getMessage());
    }
  }

  RunLimits limits(Pace pace) {
    return new RunLimits(
        pace.places(),
        strict && Double.isFinite(pace.rate()) ? pace.rate() : 0,
        maxSeconds,
        maxErrors,
        stopsOverSaturated);
  }

  double thinkSeconds() {
    return thinkSeconds;
  }

  boolean normalizes() {
    return normalize;
  }

  @Nullable Integer sweep() {
    return sweep;
  }

  @Nullable Path scheduleIn() {
    return scheduleIn;
  }

  @Nullable Path scheduleOut() {
    return scheduleOut;
  }
}

package dev.headway.simulation.fit;

import dev.headway.simulation.calibrate.TimedRequest;
import dev.headway.simulation.calibrate.TimedRequests;
import dev.headway.simulation.fit.FittedTerm.Quality;
import dev.headway.simulation.fit.RequestRegression.Row;
import dev.headway.simulation.regression.Coefficient;
import dev.headway.simulation.regression.Feature;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * How long requests take as their client sees them, by what it knows when it sends them: to the
 * first token, per further token, and so {@code e2e = ttft + (outputs - 1) tpot}. For who predicts
 * latencies without a simulation, from a table of measured requests alone.
 *
 * <p>A first token's time has everything in it: ingress, the wait, the prefill, egress. So it is
 * never part of a simulation, whose queue makes its own. The first part of the time of each file is
 * fitted; the rest tests. Not thread-safe.
 */
public final class RequestTimeFit {

  /** Most requests of a file that are looked at. */
  public static final int MOST_REQUESTS = 250_000;

  /** The first requests of a run find an empty server whose kernels and caches are cold. */
  public static final int WARM_UP_REQUESTS = 10;

  /** Times beyond this quantile of the fitted ones count as if they were at it. */
  private static final double CAP_QUANTILE = 0.999;

  private final List<String> labels = new ArrayList<>();
  private final List<List<Sample>> runs = new ArrayList<>();
  private final Map<String, Integer> omitted = new LinkedHashMap<>();
  private int capped;
  private FittedTerm firstToken = FittedTerm.NONE;
  private FittedTerm furtherToken = FittedTerm.NONE;
  private Quality endToEnd = Quality.NONE;

  /** A request and what was known of it. */
  private static final class Sample {
    final TimedRequest request;
    final double[] features;

    Sample(TimedRequest request, double[] features) {
      this.request = request;
      this.features = features;
    }

    Row firstToken() {
      return new Row(features, request.ttftNs());
    }

    Row furtherToken() {
      return new Row(features, request.tpotNs());
    }

    boolean hasFurtherTokens() {
      return request.outputTokens() > 1;
    }
  }

  /** Starts without requests. */
  public RequestTimeFit() {}

  /**
   * Adds the requests of a run.
   *
   * @param file any that {@link TimedRequests} reads
   * @return how many of its rows are wrong or of failed requests, and left out, by reason
   * @throws IOException if it cannot be read, or no request is usable
   */
  public Map<TimedRequests.Omission, Integer> read(Path file) throws IOException {
    final TimedRequests read = TimedRequests.readUsable(file);
    read.omitted().forEach((reason, rows) -> omit(reason.label(), rows));
    final RequestsAtArrival arrivals = new RequestsAtArrival();
    final List<Sample> samples = new ArrayList<>();
    int beyond = 0;
    for (TimedRequest request : read.requests()) {
      final double[] features = arrivals.next(request);
      if (samples.size() < MOST_REQUESTS + WARM_UP_REQUESTS) {
        samples.add(new Sample(request, features));
      } else {
        beyond++;
      }
    }
    final int warmUp = Math.min(WARM_UP_REQUESTS, samples.size());
    samples.subList(0, warmUp).clear();
    omit("warm-up", warmUp);
    if (beyond > 0) {
      omit("beyond the first " + MOST_REQUESTS, beyond);
    }
    labels.add(file.toString());
    runs.add(samples);
    return read.omitted();
  }

  private void omit(String reason, int rows) {
    omitted.merge(reason, rows, Integer::sum);
  }

  /**
   * Fits the first part of the time.
   *
   * @param share how much of it, in (0, 1)
   * @param form what the models are made of
   * @return whether there were enough requests
   */
  public boolean fit(double share, RequestForm form) {
    final List<Sample> fitted = new ArrayList<>();
    final List<Sample> held = new ArrayList<>();
    for (List<Sample> run : runs) {
      final int split = (int) (run.size() * share);
      fitted.addAll(run.subList(0, split));
      held.addAll(run.subList(split, run.size()));
    }
    capped = 0;
    firstToken = fit(form, firstTokens(fitted), firstTokens(held));
    furtherToken = fit(form, furtherTokens(fitted), furtherTokens(held));
    endToEnd = furtherToken.isFitted() ? ofEndToEnd(held) : Quality.NONE;
    return firstToken.isFitted();
  }

  private FittedTerm fit(RequestForm form, List<Row> fitted, List<Row> held) {
    final Feature[] features = RequestsAtArrival.features();
    return RequestRegression.fit(features, features.length, form, cap(fitted), held);
  }

  private static List<Row> firstTokens(List<Sample> samples) {
    return samples.stream().map(Sample::firstToken).toList();
  }

  private static List<Row> furtherTokens(List<Sample> samples) {
    return samples.stream().filter(Sample::hasFurtherTokens).map(Sample::furtherToken).toList();
  }

  /** A client that stood still says nothing of the server. */
  private List<Row> cap(List<Row> rows) {
    if (rows.isEmpty()) {
      return rows;
    }
    final double[] sorted = rows.stream().mapToDouble(row -> row.targetNs).sorted().toArray();
    final double most = sorted[(int) Math.ceil(CAP_QUANTILE * sorted.length) - 1];
    capped += (int) Arrays.stream(sorted).filter(ns -> ns > most).count();
    return rows.stream().map(row -> new Row(row.features, Math.min(row.targetNs, most))).toList();
  }

  private Quality ofEndToEnd(List<Sample> held) {
    final ToDoubleFunction<double[]> first = prediction(firstToken);
    final ToDoubleFunction<double[]> further = prediction(furtherToken);
    final double[] predicted =
        held.stream()
            .mapToDouble(
                sample ->
                    first.applyAsDouble(sample.features)
                        + (sample.request.outputTokens() - 1)
                            * further.applyAsDouble(sample.features))
            .toArray();
    final double[] measured = held.stream().mapToDouble(s -> s.request.endToEndNs()).toArray();
    return RequestRegression.quality(predicted, measured);
  }

  private static ToDoubleFunction<double[]> prediction(FittedTerm term) {
    final Feature[] features = RequestsAtArrival.features();
    final RequestFeatures columns = new RequestFeatures(features, features.length, term.form());
    final double[] values = term.coefficients().stream().mapToDouble(Coefficient::value).toArray();
    final double[] scratch = new double[values.length];
    return row -> RequestRegression.predicted(values, columns.fill(row, scratch));
  }

  /** What was read, in this order. */
  public List<String> labels() {
    return List.copyOf(labels);
  }

  /** Requests that are fitted or test. */
  public int requests() {
    return runs.stream().mapToInt(List::size).sum();
  }

  /** How many rows were left out, by reason in words. */
  public Map<String, Integer> omitted() {
    return new LinkedHashMap<>(omitted);
  }

  /** Times of fitted requests that were above 99.9 % of them, and count as if they were there. */
  public int capped() {
    return capped;
  }

  /** From arrival to the first token. */
  public FittedTerm firstToken() {
    return firstToken;
  }

  /** Per token after the first; not fitted if few requests have any. */
  public FittedTerm furtherToken() {
    return furtherToken;
  }

  /** How good the sum of both is, from arrival to the last token. */
  public Quality endToEnd() {
    return endToEnd;
  }
}

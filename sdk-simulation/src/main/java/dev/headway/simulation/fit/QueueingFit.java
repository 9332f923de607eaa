package dev.headway.simulation.fit;

import dev.headway.simulation.regression.Coefficient;
import dev.headway.simulation.regression.Coefficient.Status;
import dev.headway.simulation.regression.Correlation;
import dev.headway.simulation.regression.Feature;
import dev.headway.simulation.regression.FitQuality;
import dev.headway.simulation.regression.Gram;
import dev.headway.simulation.regression.LeastSquares;
import dev.headway.simulation.regression.LeastSquares.Penalty;
import dev.headway.simulation.table.CsvTable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.ToDoubleFunction;
import org.apache.commons.csv.CSVRecord;

/**
 * How long requests take to the queue, and in it. The first is part of a simulation. The second is
 * not: a simulation has a queue of its own, in which the wait comes about, so that a predicted one
 * would count it twice. It is for who predicts a wait at arrival: a router, a client.
 *
 * <p>Requests that were never scheduled have no wait; they are counted. The first part of the time
 * is fitted.
 */
public final class QueueingFit {

  /** Most requests that are looked at. */
  public static final int MOST_REQUESTS = 250_000;

  private static final int FEWEST = 20;

  /** Counts at arrival, two products that the queue depends on, and what they are multiplied by. */
  private static final Feature[] WAIT = {
    Feature.free("constant", ""),
    Feature.free("waiting_depth", "requests"),
    Feature.free("running_depth", "requests"),
    Feature.free("kv_usage", ""),
    Feature.free("prompt_tokens", "tokens"),
    Feature.free("since_decision_ns", "ns"),
    Feature.free("waiting_tokens", "tokens"),
    Feature.free("decode_tokens_owed", "tokens"),
    Feature.free("kv_block_deficit", "blocks"),
    Feature.free("mean_step_ns", "ns"),
    Feature.free("queue_x_kv", "requests"),
    Feature.free("prompt_x_batch_fullness", "tokens"),
  };

  private static final Feature[] INGRESS = {
    Feature.added("constant", ""), Feature.added("prompt_tokens", "tokens")
  };

  /** One request. */
  private static final class Row {
    final long queuedNs;
    final double[] features;
    final double waitNs;
    final double ingressNs;

    Row(CSVRecord row, double[] features) {
      this.queuedNs = Long.parseLong(row.get("queued_ns"));
      this.features = features;
      this.waitNs = Double.parseDouble(row.get("alpha_wait_ns"));
      this.ingressNs = Double.parseDouble(row.get("alpha_ingress_ns"));
    }
  }

  /**
   * How good predictions of waits are.
   *
   * @param requests how many
   * @param r2 share of the variance that is explained
   * @param meanAbsoluteNs mean of the absolute errors
   * @param rankCorrelation Spearman's, of predicted and measured waits
   */
  public record Quality(int requests, double r2, double meanAbsoluteNs, double rankCorrelation) {}

  private final List<Row> rows = new ArrayList<>();
  private long censored;
  private List<Coefficient> wait = List.of();
  private List<Coefficient> ingress = List.of();
  private Quality linear = new Quality(0, Double.NaN, Double.NaN, Double.NaN);
  private Quality baseline = linear;

  /** Starts without requests. */
  public QueueingFit() {}

  /**
   * Adds the requests of a file, plain or gzip.
   *
   * @param file {@code alpha.csv} of {@code headway training}, or the folder that has it
   * @throws IOException if it cannot be read, lacks a column, or has something else than a number
   */
  public void read(Path file) throws IOException {
    CsvTable.read(Files.isDirectory(file) ? file.resolve("alpha.csv") : file, this::add);
  }

  private void add(CSVRecord row) {
    if (Boolean.parseBoolean(row.get("censored"))) {
      censored++;
    } else if (rows.size() < MOST_REQUESTS) {
      final double[] features = new double[WAIT.length];
      features[0] = 1;
      for (int i = 1; i < WAIT.length - 2; i++) {
        final String cell = row.get(WAIT[i].name());
        features[i] = cell.isEmpty() ? 0 : Double.parseDouble(cell);
      }
      final double seats = seats(row);
      features[WAIT.length - 2] = features[1] * features[3];
      features[WAIT.length - 1] = features[4] * features[2] / seats;
      rows.add(new Row(row, features));
    }
  }

  private static double seats(CSVRecord row) {
    final String column = "config_limits.maxNumSeqs";
    return row.isMapped(column) ? Double.parseDouble(row.get(column)) : 1;
  }

  /**
   * Fits the first part of the time.
   *
   * @param share how much of it, in (0, 1)
   * @return whether there were enough requests
   */
  public boolean fit(double share) {
    rows.sort(Comparator.comparingLong(row -> row.queuedNs));
    final int split = (int) (rows.size() * share);
    if (split < FEWEST || rows.size() - split < FEWEST) {
      return false;
    }
    final Gram waits = new Gram(WAIT.length);
    final Gram ingresses = new Gram(INGRESS.length);
    for (Row row : rows.subList(0, split)) {
      waits.add(row.features, row.waitNs, 1);
      ingresses.add(ingressFeatures(row), row.ingressNs, 1);
    }
    final int[] independent = LeastSquares.independent(waits);
    final double[] found = LeastSquares.ordinary(waits, independent);
    wait = coefficients(WAIT, found, waits, independent, variance(found, split));
    final double[] ingressFound = LeastSquares.solve(ingresses, INGRESS, Penalty.NONE);
    ingress = coefficients(INGRESS, ingressFound, ingresses, new int[0], Double.NaN);
    final List<Row> held = rows.subList(split, rows.size());
    linear = quality(held, row -> Math.max(0, dot(found, row.features)));
    baseline = quality(held, littlesLaw(rows.subList(0, split)));
    return true;
  }

  private double variance(double[] found, int split) {
    double sum = 0;
    for (Row row : rows.subList(0, split)) {
      final double residual = row.waitNs - dot(found, row.features);
      sum += residual * residual;
    }
    return sum / Math.max(1, split - found.length);
  }

  private static double[] ingressFeatures(Row row) {
    return new double[] {1, row.features[4]};
  }

  /** Tokens that wait over the rate at which they went before. */
  private static ToDoubleFunction<Row> littlesLaw(List<Row> fitted) {
    double waits = 0;
    double tokens = 0;
    for (Row row : fitted) {
      waits += row.waitNs;
      tokens += row.features[6];
    }
    final double nsPerToken = tokens > 0 ? waits / tokens : 0;
    return row -> nsPerToken * row.features[6];
  }

  private static List<Coefficient> coefficients(
      Feature[] features, double[] found, Gram gram, int[] independent, double variance) {
    final double[] errors = LeastSquares.standardErrors(gram, independent, variance);
    final List<Coefficient> result = new ArrayList<>();
    for (int i = 0; i < found.length; i++) {
      Status status = found[i] == 0 ? Status.LEFT_OUT : Status.FITTED;
      status = gram.isSeen(i) ? status : Status.UNSEEN;
      result.add(new Coefficient(features[i], found[i], errors[i], status));
    }
    return List.copyOf(result);
  }

  private static Quality quality(List<Row> held, ToDoubleFunction<Row> prediction) {
    final double[] predicted = held.stream().mapToDouble(prediction).toArray();
    final double[] measured = held.stream().mapToDouble(row -> row.waitNs).toArray();
    final FitQuality.Builder quality = new FitQuality.Builder();
    for (int i = 0; i < measured.length; i++) {
      quality.add(predicted[i], measured[i]);
    }
    final FitQuality all = quality.build();
    return new Quality(
        measured.length, all.r2(), all.meanAbsolute(), Correlation.ofRanks(predicted, measured));
  }

  private static double dot(double[] coefficients, double[] row) {
    double sum = 0;
    for (int i = 0; i < coefficients.length; i++) {
      sum += coefficients[i] * row[i];
    }
    return sum;
  }

  /** Requests that were never scheduled. */
  public long censored() {
    return censored;
  }

  /** From the queue to the first schedule, in ns, by what a request found; empty if not fitted. */
  public List<Coefficient> waitCoefficients() {
    return wait;
  }

  /** From arrival to the queue, in ns; empty if not fitted. */
  public List<Coefficient> ingressCoefficients() {
    return ingress;
  }

  /** How good predicted waits are on later requests. */
  public Quality quality() {
    return linear;
  }

  /** How good it would be to say: tokens that wait, over the rate at which they went before. */
  public Quality baseline() {
    return baseline;
  }
}

package dev.headway.simulation.fit;

import dev.headway.simulation.fit.FittedTerm.Quality;
import dev.headway.simulation.regression.Coefficient;
import dev.headway.simulation.regression.Feature;
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

  private final List<Row> rows = new ArrayList<>();
  private long censored;
  private FittedTerm wait = FittedTerm.NONE;
  private List<Coefficient> ingress = List.of();
  private Quality baseline = Quality.NONE;

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
    final List<Row> fitted = rows.subList(0, split);
    final List<Row> held = rows.subList(split, rows.size());
    wait = RequestRegression.fit(WAIT, waits(fitted), waits(held));
    if (!wait.isFitted()) {
      return false;
    }
    final Gram ingresses = new Gram(INGRESS.length);
    for (Row row : fitted) {
      ingresses.add(ingressFeatures(row), row.ingressNs, 1);
    }
    final double[] found = LeastSquares.solve(ingresses, INGRESS, Penalty.NONE);
    ingress = RequestRegression.coefficients(INGRESS, found, ingresses, new int[0], Double.NaN);
    baseline = littlesLaw(fitted, held);
    return true;
  }

  private static List<RequestRegression.Row> waits(List<Row> rows) {
    return rows.stream().map(row -> new RequestRegression.Row(row.features, row.waitNs)).toList();
  }

  private static double[] ingressFeatures(Row row) {
    return new double[] {1, row.features[4]};
  }

  /** Tokens that wait over the rate at which they went before. */
  private static Quality littlesLaw(List<Row> fitted, List<Row> held) {
    double waits = 0;
    double tokens = 0;
    for (Row row : fitted) {
      waits += row.waitNs;
      tokens += row.features[6];
    }
    final double nsPerToken = tokens > 0 ? waits / tokens : 0;
    return RequestRegression.quality(waits(held), row -> nsPerToken * row.features[6]);
  }

  /** Requests that were never scheduled. */
  public long censored() {
    return censored;
  }

  /** From the queue to the first schedule, in ns, by what a request found; empty if not fitted. */
  public List<Coefficient> waitCoefficients() {
    return wait.coefficients();
  }

  /** From arrival to the queue, in ns; empty if not fitted. */
  public List<Coefficient> ingressCoefficients() {
    return ingress;
  }

  /** How good predicted waits are on later requests. */
  public Quality quality() {
    return wait.quality();
  }

  /** How good it would be to say: tokens that wait, over the rate at which they went before. */
  public Quality baseline() {
    return baseline;
  }
}

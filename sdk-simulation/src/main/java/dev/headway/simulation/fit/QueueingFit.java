package dev.headway.simulation.fit;

import dev.headway.simulation.fit.FittedTerm.Quality;
import dev.headway.simulation.regression.Coefficient;
import dev.headway.simulation.regression.Feature;
import dev.headway.simulation.regression.Gram;
import dev.headway.simulation.regression.LeastSquares;
import dev.headway.simulation.regression.LeastSquares.Penalty;
import dev.headway.toolbox.csv.CsvReader;
import dev.headway.toolbox.csv.WholeNumber;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.apache.commons.csv.CSVRecord;

/**
 * How long requests take to the queue, in it, and from the engine to their client. The first is
 * part of a simulation. The second is not: a simulation has a queue of its own, in which the wait
 * comes about, so that a predicted one would count it twice. It is for who predicts a wait at
 * arrival: a router, a client.
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

  /** The last of them. */
  private static final int PRODUCTS = 2;

  private static final Feature[] INGRESS = {
    Feature.added("constant", ""), Feature.added("prompt_tokens", "tokens")
  };

  private static final Feature[] EGRESS = {
    Feature.added("constant", ""), Feature.added("output_tokens", "tokens")
  };

  /** An answer that left the server. */
  private record Departure(long finishedNs, long outputTokens, double egressNs) {}

  /** One request. */
  private static final class Row {
    final long queuedNs;
    final double[] features;
    final double waitNs;
    final double ingressNs;

    Row(CSVRecord row, double[] features) {
      this.queuedNs = WholeNumber.parse(row.get("queued_ns"));
      this.features = features;
      this.waitNs = Double.parseDouble(row.get("alpha_wait_ns"));
      this.ingressNs = Double.parseDouble(row.get("alpha_ingress_ns"));
    }
  }

  private final List<Row> rows = new ArrayList<>();
  private final List<Departure> departures = new ArrayList<>();
  private long censored;
  private FittedTerm wait = FittedTerm.NONE;
  private List<Coefficient> ingress = List.of();
  private List<Coefficient> egress = List.of();
  private Quality baseline = Quality.NONE;

  /** Starts without requests. */
  public QueueingFit() {}

  /**
   * Adds the requests of a file, plain or gzip.
   *
   * @param file {@code alpha.csv} of {@code headway training}, or the folder that has it, of which
   *     {@code egress.csv} is read too
   * @throws IOException if it cannot be read, lacks a column, or has something else than a number
   */
  public void read(Path file) throws IOException {
    CsvReader.read(Files.isDirectory(file) ? file.resolve("alpha.csv") : file, this::add);
    final Path departed = file.resolve("egress.csv");
    if (Files.isDirectory(file) && Files.exists(departed)) { // older training rows have none
      CsvReader.read(departed, this::addEgress);
    }
  }

  private void add(CSVRecord row) {
    if (Boolean.parseBoolean(row.get("censored"))) {
      censored++;
    } else if (rows.size() < MOST_REQUESTS) {
      final double[] features = new double[WAIT.length];
      features[0] = 1;
      for (int i = 1; i < WAIT.length - PRODUCTS; i++) {
        final String cell = row.get(WAIT[i].name());
        features[i] = cell.isEmpty() ? 0 : Double.parseDouble(cell);
      }
      final double seats = seats(row);
      features[WAIT.length - PRODUCTS] = features[1] * features[3];
      features[WAIT.length - 1] = features[4] * features[2] / seats;
      rows.add(new Row(row, features));
    }
  }

  private void addEgress(CSVRecord row) {
    final boolean isWhole = !row.get("output_tokens").isEmpty(); // older journals do not say
    if (isWhole && departures.size() < MOST_REQUESTS) {
      departures.add(
          new Departure(
              WholeNumber.parse(row.get("finished_ns")),
              WholeNumber.parse(row.get("output_tokens")),
              Double.parseDouble(row.get("alpha_egress_ns"))));
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
   * @param form what the model of waits is made of
   * @return whether there were enough requests
   */
  public boolean fit(double share, RequestForm form) {
    fitEgress(share);
    rows.sort(Comparator.comparingLong(row -> row.queuedNs));
    final int split = (int) (rows.size() * share);
    final List<Row> fitted = rows.subList(0, split);
    final List<Row> held = rows.subList(split, rows.size());
    wait = RequestRegression.fit(WAIT, WAIT.length - PRODUCTS, form, waits(fitted), waits(held));
    if (!wait.isFitted()) {
      return false;
    }
    final Gram ingresses = new Gram(INGRESS.length);
    for (Row row : fitted) {
      ingresses.add(ingressFeatures(row), row.ingressNs, 1);
    }
    ingress = added(INGRESS, ingresses);
    baseline = littlesLaw(fitted, held);
    return true;
  }

  private void fitEgress(double share) {
    departures.sort(Comparator.comparingLong(Departure::finishedNs));
    final int split = (int) (departures.size() * share);
    if (split >= RequestRegression.FEWEST) {
      final Gram gram = new Gram(EGRESS.length);
      for (Departure each : departures.subList(0, split)) {
        gram.add(new double[] {1, each.outputTokens}, each.egressNs, 1);
      }
      egress = added(EGRESS, gram);
    }
  }

  private static List<Coefficient> added(Feature[] features, Gram gram) {
    final double[] found = LeastSquares.solve(gram, features, Penalty.NONE);
    return List.copyOf(
        RequestRegression.coefficients(features, found, gram, new int[0], Double.NaN));
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

  /** From the queue to the first schedule, by what a request found. */
  public FittedTerm queueWait() {
    return wait;
  }

  /** From arrival to the queue, in ns; empty if not fitted. */
  public List<Coefficient> ingressCoefficients() {
    return ingress;
  }

  /**
   * From the end in the engine until the last byte was handed to the transport, in ns; empty if no
   * server reported, or of too few. Not part of a simulation of the engine.
   */
  public List<Coefficient> egressCoefficients() {
    return egress;
  }

  /** How good it would be to say: tokens that wait, over the rate at which they went before. */
  public Quality baseline() {
    return baseline;
  }
}

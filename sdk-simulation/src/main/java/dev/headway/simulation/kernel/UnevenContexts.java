package dev.headway.simulation.kernel;

import dev.headway.api.step.StepFeatures;
import dev.headway.toolbox.csv.CsvReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.commons.csv.CSVRecord;

/**
 * What it costs that the decodes of a batch have contexts of different lengths: attention takes as
 * long as if all were longer by some standard deviations of them. How many is measured, by the
 * chunk of prompt beside the decodes and by their number, as the median over batches of two
 * lengths: {@code (t - t_mean) / (t_max - t_mean) * (longest - mean) / deviation}, where {@code
 * t_mean} and {@code t_max} are the times of even batches of the mean and the longest context.
 *
 * <p>Immutable; reading allocates nothing.
 */
final class UnevenContexts {

  /** As if it cost nothing. */
  static final UnevenContexts FREE = new UnevenContexts(constant(0));

  private final GridTable deviations;

  private UnevenContexts(GridTable deviations) {
    this.deviations = deviations;
  }

  private static GridTable constant(double value) {
    final GridTable.Builder table = new GridTable.Builder();
    table.add(value, 0, 0);
    return table.build();
  }

  /** Reads a table with the columns of LLMServingSim's {@code skew.csv}. */
  static UnevenContexts read(Path file) throws IOException {
    final Map<Double, Map<Double, List<Double>>> measured = new TreeMap<>();
    CsvReader.read(
        file,
        row -> {
          final double deviations = deviations(row);
          if (Double.isFinite(deviations)) {
            measured
                .computeIfAbsent(ProfileCsv.number(row, "pc"), chunk -> new TreeMap<>())
                .computeIfAbsent(ProfileCsv.number(row, "n"), requests -> new ArrayList<>())
                .add(deviations);
          }
        });
    final GridTable.Builder table = new GridTable.Builder();
    measured.forEach(
        (chunk, byRequests) ->
            byRequests.forEach((requests, all) -> table.add(median(all), chunk, requests)));
    return table.isEmpty() ? FREE : new UnevenContexts(table.build());
  }

  private static double deviations(CSVRecord row) {
    final double longShare = ProfileCsv.number(row, "nb") / ProfileCsv.number(row, "n");
    final double longest = ProfileCsv.number(row, "kv_big");
    final double deviation =
        Math.sqrt(longShare * (1 - longShare)) * (longest - ProfileCsv.number(row, "kvs"));
    final double evenNs = ProfileCsv.number(row, "t_mean_us");
    return (ProfileCsv.number(row, "t_skew_us") - evenNs)
        / (ProfileCsv.number(row, "t_max_us") - evenNs)
        * (longest - ProfileCsv.number(row, "kv_mean"))
        / deviation;
  }

  private static double median(List<Double> values) {
    final double[] sorted = values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
    final int middle = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }

  /**
   * The context of an even batch that takes as long.
   *
   * @param step its decodes, of which there is one at least
   * @param chunk tokens of prompt beside them, as the table counts them
   * @param requests how many they are, as the table counts them
   */
  double evenContext(StepFeatures step, double chunk, double requests) {
    final double mean = (double) step.decodeContextTokens() / step.decodeRequests();
    final double variance =
        Math.max(0, (double) step.decodeContextSquares() / step.decodeRequests() - mean * mean);
    return mean + Math.max(0, deviations.at(chunk, requests)) * Math.sqrt(variance);
  }
}

package dev.headway.simulation.calibrate;

import dev.headway.toolbox.csv.CsvReader;
import dev.headway.toolbox.csv.WholeNumber;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.apache.commons.csv.CSVRecord;
import org.jspecify.annotations.Nullable;

/**
 * The steps of one run as {@code per_iteration.csv} has them.
 *
 * @param steps in their order
 */
public record ExecutedSteps(List<Step> steps) {

  /** Most steps that are looked at: 80 MB. */
  private static final int MOST_STEPS = 1_000_000;

  private static final String FIRST = "first_of_kind";

  /**
   * A step with tokens.
   *
   * @param startNs scheduling began, since the start of the run
   * @param endNs its output was taken over
   * @param prefillTokens that it computed
   * @param decodeTokens that it computed
   * @param isFirst whether it was the first of its kind; null if the executor does not say
   */
  public record Step(
      long startNs, long endNs, long prefillTokens, long decodeTokens, @Nullable Boolean isFirst) {

    long durationNs() {
      return endNs - startNs;
    }
  }

  /** Copies the list. */
  public ExecutedSteps {
    steps = List.copyOf(steps);
  }

  /**
   * Reads a table.
   *
   * @return without steps if they are of several runs, whose clocks differ, or more than a million
   * @throws IOException if it cannot be read or a row is wrong; names the line
   */
  public static ExecutedSteps read(Path iterations) throws IOException {
    final List<Step> steps = new ArrayList<>();
    final Set<String> runs = new TreeSet<>();
    CsvReader.read(
        iterations,
        row -> {
          if (!row.get("total_tokens").equals("0") && !row.get("end_time").isEmpty()) {
            runs.add(row.isMapped("run") ? row.get("run") : "");
            if (steps.size() <= MOST_STEPS && runs.size() == 1) {
              steps.add(step(row));
            }
          }
        });
    return new ExecutedSteps(runs.size() == 1 && steps.size() <= MOST_STEPS ? steps : List.of());
  }

  private static Step step(CSVRecord row) {
    final String first = row.isMapped(FIRST) ? row.get(FIRST) : "";
    return new Step(
        WholeNumber.parse(row.get("start_time")),
        WholeNumber.parse(row.get("end_time")),
        WholeNumber.parse(row.get("prefill_tokens")),
        WholeNumber.parse(row.get("decode_tokens")),
        first.isEmpty() ? null : Boolean.valueOf(first));
  }
}

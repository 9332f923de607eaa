package dev.headway.simulation.fit;

import dev.headway.api.step.StepFeatures;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPInputStream;
import org.apache.commons.csv.CSVFormat;
import org.apache.commons.csv.CSVParser;
import org.apache.commons.csv.CSVRecord;

/**
 * Steps that were timed, in the order in which they ran: the {@code beta.csv} of {@code headway
 * training}, several of them one after the other. What says nothing of a step's time is left out
 * and counted. Not thread-safe.
 */
public final class TrainingSteps {

  private static final CSVFormat FORMAT =
      CSVFormat.RFC4180.builder().setHeader().setSkipHeaderRecord(true).get();

  private final List<TimedStep> steps = new ArrayList<>();
  private final Map<Omission, Integer> omitted = new EnumMap<>(Omission.class);

  /** Why a row is left out. */
  public enum Omission {
    /** Among the first of its run. */
    WARM_UP("warm-up"),
    /** The engine had nothing to do after it, so that its end is not known. */
    NO_NEXT_STEP("no next step"),
    /** Requests were preempted before it. */
    PREEMPTION("preemption"),
    /** Its time is not positive. */
    NO_TIME("no time");

    private final String label;

    Omission(String label) {
      this.label = label;
    }

    /** In words. */
    public String label() {
      return label;
    }
  }

  /**
   * A step and its duration.
   *
   * @param features what it computed; not to be changed
   * @param ns from its begin to that of the next
   */
  record TimedStep(StepFeatures features, long ns) {}

  /** Starts without steps. */
  public TrainingSteps() {}

  /**
   * Adds the steps of a file, plain or gzip.
   *
   * @param file {@code beta.csv}, or the folder that has it
   * @throws IOException if it cannot be read, lacks a column, or has something else than a number;
   *     names the file and the line
   */
  public void read(Path file) throws IOException {
    final Path table = Files.isDirectory(file) ? file.resolve("beta.csv") : file;
    try (CSVParser rows = CSVParser.parse(open(table), FORMAT)) {
      for (CSVRecord row : rows) {
        try {
          add(row);
        } catch (IllegalArgumentException e) {
          throw new IOException(
              table + ", line " + rows.getCurrentLineNumber() + ": " + e.getMessage(), e);
        }
      }
    }
  }

  private static Reader open(Path file) throws IOException {
    final InputStream bytes = new BufferedInputStream(Files.newInputStream(file));
    return new InputStreamReader(
        file.toString().endsWith(".gz") ? new GZIPInputStream(bytes) : bytes,
        StandardCharsets.UTF_8);
  }

  private void add(CSVRecord row) {
    if (Boolean.parseBoolean(row.get("warm_up"))) {
      omit(Omission.WARM_UP);
    } else if (number(row, "preempted_requests") > 0) {
      omit(Omission.PREEMPTION);
    } else if (row.get("beta_step_ns").isEmpty()) {
      omit(Omission.NO_NEXT_STEP);
    } else {
      final StepFeatures features = new StepFeatures();
      features.addPrefills(
          (int) number(row, "n_prefill"),
          number(row, "t_prefill"),
          number(row, "prefill_context_sum"),
          Math.round(2 * Double.parseDouble(row.get("prefill_attention_pairs"))));
      features.addDecodes(
          (int) number(row, "n_decode"),
          number(row, "t_decode"),
          number(row, "decode_context_sum"),
          number(row, "decode_context_square_sum"),
          (int) number(row, "n_spec"));
      features.addSampling((int) number(row, "sampling_requests"));
      add(features, number(row, "beta_step_ns"));
    }
  }

  private static long number(CSVRecord row, String column) {
    return Long.parseLong(row.get(column));
  }

  /** Adds a step that took {@code ns}; {@code features} must not change any more. */
  public void add(StepFeatures features, long ns) {
    if (ns <= 0) {
      omit(Omission.NO_TIME);
    } else {
      steps.add(new TimedStep(features, ns));
    }
  }

  private void omit(Omission reason) {
    omitted.merge(reason, 1, Integer::sum);
  }

  /** How many steps there are. */
  public int size() {
    return steps.size();
  }

  /** How many rows were left out, by reason. */
  public Map<Omission, Integer> omitted() {
    return Collections.unmodifiableMap(omitted);
  }

  List<TimedStep> slice(int from, int to) {
    return steps.subList(from, to);
  }
}

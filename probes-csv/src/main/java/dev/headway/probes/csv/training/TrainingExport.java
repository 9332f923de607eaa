package dev.headway.probes.csv.training;

import dev.headway.events.model.RequestTimeline;
import dev.headway.events.model.RunListener;
import dev.headway.events.model.RunModel;
import dev.headway.events.model.RunTimeline;
import dev.headway.events.model.StepTimeline;
import dev.headway.events.record.FinishedRecord;
import dev.headway.events.record.JourneyRecord;
import dev.headway.events.record.RunStartedRecord;
import dev.headway.probes.csv.option.TextPolicy;
import dev.headway.probes.csv.table.CsvFile;
import dev.headway.probes.csv.table.ManifestFile;
import dev.headway.toolbox.output.OutputDirectory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Writes {@code alpha.csv}, {@code beta.csv}, {@code egress.csv} and {@code manifest.json} to a
 * directory. One thread.
 *
 * <p>No row is dropped: warm-up, preemptions, overlaps and censored waits are columns. Steps
 * without tokens, steps that were not executed and steps of a summary have no row; the manifest
 * counts them.
 */
public final class TrainingExport implements RunListener {

  /** Version of the columns; rises when one is appended. */
  private static final int SCHEMA_VERSION = 4;

  private final Path directory;
  private final List<RunStartedRecord> headers = new ArrayList<>();
  private @Nullable CsvFile<AlphaRow> alpha;
  private @Nullable CsvFile<BetaRow> beta;
  private @Nullable CsvFile<EgressRow> egress;
  private @Nullable TrainingRows rows;
  private @Nullable EgressRows egressRows;
  private long censoredRequests;
  private long stepsWithoutRow;
  private long droppedRecords;

  private TrainingExport(Path directory) {
    this.directory = directory;
  }

  /** A consumer that fills {@code directory}; closing it completes the files. */
  public static RunModel to(Path directory) {
    return new RunModel(new TrainingExport(directory));
  }

  /** What the directory holds. */
  public static OutputDirectory.Content content() {
    return new OutputDirectory.Content(
        "training rows",
        Set.of(
            "alpha.csv", "beta.csv", "egress.csv", ManifestFile.NAME, ManifestFile.SCRATCH_NAME));
  }

  @Override
  public RunListener onRun(RunTimeline run) {
    endRun();
    if (headers.isEmpty()) {
      create(new RunColumns(run.header()));
    }
    headers.add(run.header());
    rows = new TrainingRows(run, this::write, this::write);
    egressRows = new EgressRows(run, this::write);
    return this;
  }

  @Override
  public void onQueued(RequestTimeline request) {
    rows().queued(request);
  }

  @Override
  public void onAdmitted(RequestTimeline request, int cachedTokens, long nowNs) {
    if (request.preemptions() == 0) {
      rows().scheduled(request);
    }
  }

  @Override
  public void onFinished(RequestTimeline request, FinishedRecord end) {
    rows().ended(request, end.atNs());
    if (egressRows != null) {
      egressRows.finished(request, end);
    }
  }

  @Override
  public void onJourney(JourneyRecord journey) {
    if (egressRows != null) {
      egressRows.journey(journey);
    }
  }

  @Override
  public void onStep(StepTimeline step) {
    if (!TrainingRows.hasRow(step)) {
      stepsWithoutRow++;
    }
    rows().step(step);
  }

  @Override
  public void onDropped(long records) {
    droppedRecords += records;
  }

  @Override
  public void close() throws IOException {
    endRun();
    final List<Map<String, Object>> tables = new ArrayList<>();
    if (alpha != null && beta != null && egress != null) {
      alpha.close();
      beta.close();
      egress.close();
      tables.add(ManifestFile.table(alpha));
      tables.add(ManifestFile.table(beta));
      tables.add(ManifestFile.table(egress));
    }
    final Map<String, Object> manifest = new LinkedHashMap<>();
    manifest.put("format", "headway-training");
    manifest.put("schema_version", SCHEMA_VERSION);
    manifest.put("times", "integer nanoseconds since the start of the run, one clock");
    manifest.put("runs", ManifestFile.runs(headers));
    manifest.put("censored_requests", censoredRequests);
    manifest.put("steps_without_row", stepsWithoutRow);
    manifest.put("dropped_records", droppedRecords);
    manifest.put("files", tables);
    ManifestFile.write(directory, manifest);
  }

  private void create(RunColumns columns) {
    try {
      alpha = CsvFile.create(directory, AlphaColumns.table(columns), TextPolicy.RAW);
      beta = CsvFile.create(directory, BetaColumns.table(columns), TextPolicy.RAW);
      egress = CsvFile.create(directory, EgressColumns.table(columns), TextPolicy.RAW);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot create training rows in " + directory + ": " + e, e);
    }
  }

  private void endRun() {
    if (rows != null) {
      rows.end();
      rows = null;
    }
  }

  private void write(AlphaRow row) {
    if (alpha != null) {
      alpha.write(row);
      censoredRequests += row.isCensored() ? 1 : 0;
    }
  }

  private void write(BetaRow row) {
    if (beta != null) {
      beta.write(row);
    }
  }

  private void write(EgressRow row) {
    if (egress != null) {
      egress.write(row);
    }
  }

  private TrainingRows rows() {
    if (rows == null) {
      throw new IllegalStateException("records must follow a start record: runs=" + headers.size());
    }
    return rows;
  }
}

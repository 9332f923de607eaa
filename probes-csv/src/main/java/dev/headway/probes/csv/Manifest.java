package dev.headway.probes.csv;

import dev.headway.events.record.RunStartedRecord;
import dev.headway.probes.chronicle.JournalEnd;
import dev.headway.probes.csv.option.ConvertOptions;
import dev.headway.probes.csv.option.IterationRequests;
import dev.headway.probes.csv.projection.Anomalies;
import dev.headway.probes.csv.projection.RowFiles;
import dev.headway.probes.csv.projection.RunProjection;
import dev.headway.probes.csv.table.ManifestFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Writes {@code manifest.json}: what the files beside it mean and where they come from. Holds
 * nothing of the time or place of the conversion, so equal journals have equal manifests.
 */
final class Manifest {

  /** Version of the CSV files; rises when a column is appended. */
  static final int SCHEMA_VERSION = 1;

  private Manifest() {}

  /** Replaces the manifest in {@code directory} as a whole. */
  static void write(
      Path directory,
      ConvertOptions options,
      RunProjection projection,
      RowFiles files,
      JournalEnd end)
      throws IOException {
    final Map<String, Object> manifest = new LinkedHashMap<>();
    manifest.put("format", "headway-csv");
    manifest.put("schema_version", SCHEMA_VERSION);
    manifest.put("journal", journal(end));
    manifest.put("options", options(options));
    manifest.put(
        "times", "integer nanoseconds since the start of the run; see runs[].clock_anchor");
    manifest.put("runs", ManifestFile.runs(projection.headers()));
    manifest.put("anomalies", anomalies(projection.anomalies()));
    manifest.put("notes", notes(projection.headers(), options));
    manifest.put("files", files.all().stream().map(ManifestFile::table).toList());
    ManifestFile.write(directory, manifest);
  }

  private static Map<String, Object> journal(JournalEnd end) {
    final Map<String, Object> journal = new LinkedHashMap<>();
    journal.put("end", end.state().label());
    journal.put("detail", end.detail());
    journal.put("records", end.records());
    journal.put("unknown_records", end.unknownRecords());
    return journal;
  }

  private static Map<String, Object> options(ConvertOptions options) {
    final Map<String, Object> map = new LinkedHashMap<>();
    map.put("text", options.text().name().toLowerCase(Locale.ROOT));
    map.put("iteration_requests", options.iterationRequests().name().toLowerCase(Locale.ROOT));
    map.put("ids", options.idLists().name().toLowerCase(Locale.ROOT));
    return map;
  }

  private static Map<String, Object> anomalies(Anomalies anomalies) {
    final Map<String, Object> map = new LinkedHashMap<>();
    map.put("dropped_records", anomalies.droppedRecords());
    map.put("timing_violations", anomalies.timingViolations());
    map.put("unknown_requests", anomalies.unknownRequests());
    map.put("inconsistent_records", anomalies.inconsistentRecords());
    map.put("events_out_of_order", anomalies.eventsOutOfOrder());
    return map;
  }

  private static List<String> notes(List<RunStartedRecord> headers, ConvertOptions options) {
    final List<String> notes = new ArrayList<>();
    if (headers.stream().anyMatch(header -> "summary".equals(header.level()))) {
      notes.add(
          "level summary records no entries: per_iteration_requests.csv has no rows of such runs,"
              + " and figures that come from entries are absent");
    }
    if (options.iterationRequests() == IterationRequests.CHANGES) {
      notes.add(
          "per_iteration_requests.csv holds only rows whose state or waiting_reason differs from"
              + " the request's row before");
    }
    if (options.iterationRequests() == IterationRequests.OFF) {
      notes.add("per_iteration_requests.csv was switched off");
    }
    return notes;
  }
}

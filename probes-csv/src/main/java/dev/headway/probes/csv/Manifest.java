package dev.headway.probes.csv;

import dev.headway.probes.chronicle.record.JournalVisitor.RunHeader;
import dev.headway.probes.csv.option.ConvertOptions;
import dev.headway.probes.csv.option.IterationRequests;
import dev.headway.probes.csv.projection.Anomalies;
import dev.headway.probes.csv.projection.RowFiles;
import dev.headway.probes.csv.projection.RunProjection;
import dev.headway.probes.csv.table.Column;
import dev.headway.probes.csv.table.ColumnDefinition;
import dev.headway.probes.csv.table.CsvFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import tools.jackson.core.util.DefaultIndenter;
import tools.jackson.core.util.DefaultPrettyPrinter;
import tools.jackson.databind.json.JsonMapper;

/**
 * Writes {@code manifest.json}: what the files beside it mean and where they come from. Holds
 * nothing of the time or place of the conversion, so equal journals have equal manifests.
 */
final class Manifest {

  static final String FILE_NAME = "manifest.json";
  static final String SCRATCH_NAME = "manifest.json.tmp";

  /** Version of the CSV files; rises when a column is appended. */
  static final int SCHEMA_VERSION = 1;

  private static final JsonMapper MAPPER = new JsonMapper();

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
    manifest.put("runs", runs(projection.headers()));
    manifest.put("anomalies", anomalies(projection.anomalies()));
    manifest.put("notes", notes(projection.headers(), options));
    manifest.put("files", files.all().stream().map(Manifest::file).toList());
    final DefaultIndenter indenter = new DefaultIndenter("  ", "\n");
    final DefaultPrettyPrinter printer =
        new DefaultPrettyPrinter().withObjectIndenter(indenter).withArrayIndenter(indenter);
    final String json = MAPPER.writer().with(printer).writeValueAsString(manifest) + "\n";
    final Path scratch = directory.resolve(SCRATCH_NAME);
    Files.write(scratch, json.getBytes(StandardCharsets.UTF_8));
    Files.move(
        scratch,
        directory.resolve(FILE_NAME),
        StandardCopyOption.REPLACE_EXISTING,
        StandardCopyOption.ATOMIC_MOVE);
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

  private static List<Map<String, Object>> runs(List<RunHeader> headers) {
    final List<Map<String, Object>> runs = new ArrayList<>();
    for (RunHeader header : headers) {
      final Map<String, Object> run = new LinkedHashMap<>();
      run.put("run", runs.size());
      run.put("journal_schema_version", header.schemaVersion());
      run.put("headway_version", header.headwayVersion());
      run.put("level", header.level());
      run.put("virtual_time", header.virtualTime());
      run.put("clock_anchor", anchor(header));
      run.put("kv_cache", kvCache(header));
      run.put("config", header.config());
      run.put("attributes", header.attributes());
      runs.add(run);
    }
    return runs;
  }

  private static Map<String, Object> anchor(RunHeader header) {
    final Map<String, Object> anchor = new LinkedHashMap<>();
    anchor.put("unix_epoch_ns", header.anchorUnixEpochNs());
    anchor.put("monotonic_ns", header.anchorMonotonicNs());
    anchor.put("error_ns", header.anchorErrorNs());
    return anchor;
  }

  private static Map<String, Object> kvCache(RunHeader header) {
    final Map<String, Object> kvCache = new LinkedHashMap<>();
    kvCache.put("block_size", header.blockSize());
    kvCache.put("num_blocks", header.numBlocks());
    kvCache.put("bytes_per_block", header.bytesPerBlock());
    return kvCache;
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

  private static List<String> notes(List<RunHeader> headers, ConvertOptions options) {
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

  private static Map<String, Object> file(CsvFile<?> file) {
    final Map<String, Object> map = new LinkedHashMap<>();
    map.put("name", file.table().fileName());
    map.put("description", file.table().description());
    map.put("order", file.table().order());
    map.put("rows", file.rows());
    map.put(
        "columns",
        file.table().columns().stream().map(Column::definition).map(Manifest::column).toList());
    return map;
  }

  private static Map<String, Object> column(ColumnDefinition definition) {
    final Map<String, Object> map = new LinkedHashMap<>();
    map.put("name", definition.name());
    map.put("type", definition.type().label());
    putUnlessEmpty(map, "unit", definition.unit());
    putUnlessEmpty(map, "begin", definition.begin());
    putUnlessEmpty(map, "end", definition.end());
    map.put("description", definition.description());
    return map;
  }

  private static void putUnlessEmpty(Map<String, Object> map, String name, String value) {
    if (!value.isEmpty()) {
      map.put(name, value);
    }
  }
}

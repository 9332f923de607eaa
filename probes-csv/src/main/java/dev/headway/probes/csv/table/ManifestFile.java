package dev.headway.probes.csv.table;

import dev.headway.events.record.RunStartedRecord;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.core.util.DefaultIndenter;
import tools.jackson.core.util.DefaultPrettyPrinter;
import tools.jackson.databind.json.JsonMapper;

/** The file {@code manifest.json} beside tables, and the parts that all of them share. */
public final class ManifestFile {

  /** Its name. */
  public static final String NAME = "manifest.json";

  /** Where it is written before it is renamed. */
  public static final String SCRATCH_NAME = "manifest.json.tmp";

  private static final JsonMapper MAPPER = new JsonMapper();

  private ManifestFile() {}

  /** Replaces the manifest in {@code directory} as a whole. */
  public static void write(Path directory, Map<String, Object> manifest) throws IOException {
    final DefaultIndenter indenter = new DefaultIndenter("  ", "\n");
    final DefaultPrettyPrinter printer =
        new DefaultPrettyPrinter().withObjectIndenter(indenter).withArrayIndenter(indenter);
    final String json = MAPPER.writer().with(printer).writeValueAsString(manifest) + "\n";
    final Path scratch = directory.resolve(SCRATCH_NAME);
    Files.write(scratch, json.getBytes(StandardCharsets.UTF_8));
    Files.move(
        scratch,
        directory.resolve(NAME),
        StandardCopyOption.REPLACE_EXISTING,
        StandardCopyOption.ATOMIC_MOVE);
  }

  /** What start records say. */
  public static List<Map<String, Object>> runs(List<RunStartedRecord> headers) {
    final List<Map<String, Object>> runs = new ArrayList<>();
    for (RunStartedRecord header : headers) {
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

  private static Map<String, Object> anchor(RunStartedRecord header) {
    final Map<String, Object> anchor = new LinkedHashMap<>();
    anchor.put("unix_epoch_ns", header.anchorUnixEpochNs());
    anchor.put("monotonic_ns", header.anchorMonotonicNs());
    anchor.put("error_ns", header.anchorErrorNs());
    return anchor;
  }

  private static Map<String, Object> kvCache(RunStartedRecord header) {
    final Map<String, Object> kvCache = new LinkedHashMap<>();
    kvCache.put("block_size", header.blockSize());
    kvCache.put("num_blocks", header.numBlocks());
    kvCache.put("bytes_per_block", header.bytesPerBlock());
    return kvCache;
  }

  /** What a file holds, column by column. */
  public static Map<String, Object> table(CsvFile<?> file) {
    final Map<String, Object> map = new LinkedHashMap<>();
    map.put("name", file.table().fileName());
    map.put("description", file.table().description());
    map.put("order", file.table().order());
    map.put("rows", file.rows());
    map.put(
        "columns",
        file.table().columns().stream().map(Column::definition).map(ManifestFile::column).toList());
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

package dev.headway.cli.sweep;

import dev.headway.simulation.sweep.CapacityTable;
import dev.headway.simulation.sweep.Shard;
import dev.headway.simulation.sweep.SweepColumn;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * {@code manifest.json} of a sweep: which plan and part of it the directory holds, and whether all
 * of it is there. The columns are in the form that {@code scripts/to-parquet.sh} reads. Nothing in
 * it depends on the machine.
 */
final class SweepManifest {

  static final String NAME = "manifest.json";

  private static final String FORMAT = "headway-sweep";
  private static final JsonMapper MAPPER = new JsonMapper();

  private SweepManifest() {}

  /**
   * How far a sweep is.
   *
   * @param rows runs, counted when complete
   * @param failed those that failed
   */
  record Counts(long rows, long failed) {}

  /** Replaces the manifest; {@code counts} is null as long as the sweep is not complete. */
  static void write(Path directory, SweepJob job, Shard shard, @Nullable Counts counts)
      throws IOException {
    final Map<String, Object> json = identity(job);
    json.put("shard", shard.text());
    json.put("cells", shard.cells(job.plan()).length);
    json.put("complete", counts != null);
    if (counts != null) {
      json.put("rows", counts.rows());
      json.put("failed", counts.failed());
    }
    json.put("files", files(job));
    final Path scratch = directory.resolve(NAME + ".new");
    Files.writeString(
        scratch, MAPPER.writerWithDefaultPrettyPrinter().writeValueAsString(json) + "\n");
    Files.move(
        scratch,
        directory.resolve(NAME),
        StandardCopyOption.ATOMIC_MOVE,
        StandardCopyOption.REPLACE_EXISTING);
  }

  private static Map<String, Object> identity(SweepJob job) {
    final String version = SweepManifest.class.getPackage().getImplementationVersion();
    final Map<String, Object> json = new LinkedHashMap<>();
    json.put("format", FORMAT);
    json.put("schema_version", 1);
    json.put("version", version == null ? "development build" : version);
    json.put("plan", job.asJson());
    return json;
  }

  private static List<Map<String, Object>> files(SweepJob job) {
    final List<Map<String, Object>> files = new ArrayList<>();
    files.add(file(SweepFiles.ROWS, job.table().columns()));
    if (job.plan().capacity() != null) {
      files.add(
          file(
              SweepFiles.CAPACITY,
              new CapacityTable(job.table(), job.plan().capacity()).columns()));
    }
    return files;
  }

  private static Map<String, Object> file(String name, List<SweepColumn> columns) {
    final List<Map<String, Object>> described = new ArrayList<>();
    for (SweepColumn column : columns) {
      final Map<String, Object> json = new LinkedHashMap<>();
      json.put("name", column.name());
      json.put("type", column.kind().label());
      json.put("description", column.description());
      described.add(json);
    }
    final Map<String, Object> file = new LinkedHashMap<>();
    file.put("name", name);
    file.put("columns", described);
    return file;
  }

  /**
   * What a manifest says.
   *
   * @param identity the plan and the program, equal for what fits together
   * @param shard the part of it
   * @param complete whether all of its rows are there
   */
  record Read(JsonNode identity, Shard shard, boolean complete) {

    /** Whether it is of this plan and program. */
    boolean isOf(SweepJob job) {
      // through text, in which 1 is 1 whatever its Java type was
      return identity.equals(
          MAPPER.readTree(MAPPER.writeValueAsString(SweepManifest.identity(job))));
    }
  }

  /**
   * Reads the manifest of a directory.
   *
   * @throws IOException if there is none, or not of a sweep
   */
  static Read read(Path directory) throws IOException {
    final Path file = directory.resolve(NAME);
    try {
      final JsonNode json = MAPPER.readTree(Files.readString(file));
      if (!FORMAT.equals(json.path("format").asString(""))) {
        throw new IOException("this must be the manifest of a sweep: file=" + file);
      }
      final Map<String, JsonNode> identity = new LinkedHashMap<>();
      for (String key : List.of("format", "schema_version", "version", "plan")) {
        identity.put(key, json.path(key));
      }
      return new Read(
          MAPPER.valueToTree(identity),
          Shard.parse(json.path("shard").asString("")),
          json.path("complete").asBoolean(false));
    } catch (JacksonException | IllegalArgumentException e) {
      throw new IOException("this must be the manifest of a sweep: file=" + file, e);
    }
  }
}

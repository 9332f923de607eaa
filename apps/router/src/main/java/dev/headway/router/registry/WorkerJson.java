package dev.headway.router.registry;

import dev.headway.routing.core.WorkerSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Workers as JSON: {@code {"url": "http://a:8000", "id": "a", "model_id": "m", "priority": 50,
 * "cost": 1.0, "labels": {"zone": "x"}, "kv_events": {"endpoint": "tcp://a:5557",
 * "replay_endpoint": "tcp://a:5558", "topic": ""}}}, of which only the address is needed. A file
 * holds a list of them, or one address in a line; lines that begin with {@code #} are passed over.
 */
public final class WorkerJson {

  private WorkerJson() {}

  /**
   * Reads one worker.
   *
   * @throws IllegalArgumentException if it is not one
   */
  public static WorkerEntry read(JsonNode json) {
    if (!json.path("url").isString()) {
      throw new IllegalArgumentException(
          "a worker must have its address, as {\"url\": \"http://HOST:PORT\"}: worker=" + json);
    }
    final WorkerEntry plain = WorkerEntry.of(json.path("url").stringValue());
    final Map<String, String> labels = new LinkedHashMap<>();
    for (Map.Entry<String, JsonNode> label : json.path("labels").properties()) {
      labels.put(label.getKey(), label.getValue().asString(""));
    }
    return new WorkerEntry(
        text(json, "id") == null ? plain.id() : json.path("id").stringValue(),
        plain.url(),
        text(json, "model_id"),
        json.path("priority").asInt(WorkerSpec.DEFAULT_PRIORITY),
        json.path("cost").asDouble(WorkerSpec.DEFAULT_COST),
        labels,
        KvEventSource.read(json.path("kv_events"), plain.host()));
  }

  private static @Nullable String text(JsonNode json, String name) {
    final String value = json.path(name).asString("");
    return value.isBlank() ? null : value;
  }

  /**
   * Reads a file of workers.
   *
   * @throws IOException if it cannot be read
   * @throws IllegalArgumentException naming the line or worker that is not one
   */
  public static List<WorkerEntry> readFile(Path file) throws IOException {
    final String text = Files.readString(file);
    final List<WorkerEntry> workers = new ArrayList<>();
    if (text.stripLeading().startsWith("[")) {
      try {
        for (JsonNode each : JsonMapper.shared().readTree(text)) {
          workers.add(read(each));
        }
      } catch (JacksonException e) {
        throw new IllegalArgumentException(
            "a file of workers must be a list in JSON or an address in each line: file="
                + file
                + ", "
                + e.getOriginalMessage(),
            e);
      }
      return workers;
    }
    for (String line : text.lines().map(String::strip).toList()) {
      if (!line.isEmpty() && !line.startsWith("#")) {
        workers.add(WorkerEntry.of(line));
      }
    }
    return workers;
  }
}

package dev.headway.router.registry;

import dev.headway.routing.core.WorkerSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
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
    final JsonNode labels = given(json, "labels", JsonNode::isObject, "an object");
    final JsonNode id = given(json, "id", JsonNode::isString, "a text");
    final JsonNode model = given(json, "model_id", JsonNode::isString, "a text");
    final JsonNode priority = given(json, "priority", JsonNode::canConvertToInt, "a whole number");
    final JsonNode cost = given(json, "cost", JsonNode::isNumber, "a number");
    final Map<String, String> words = new LinkedHashMap<>();
    for (Map.Entry<String, JsonNode> label : labels.properties()) {
      words.put(label.getKey(), label.getValue().asString(""));
    }
    return new WorkerEntry(
        id.asString("").isBlank() ? plain.id() : id.stringValue(),
        plain.url(),
        model.asString("").isBlank() ? null : model.stringValue(),
        priority.asInt(WorkerSpec.DEFAULT_PRIORITY),
        cost.asDouble(WorkerSpec.DEFAULT_COST),
        words,
        KvEventSource.read(json.path("kv_events"), plain.host()));
  }

  /** What is said under a name, missing if nothing or null is: never the usual value instead. */
  private static JsonNode given(
      JsonNode json, String name, Predicate<JsonNode> isRight, String right) {
    final JsonNode value = json.path(name);
    if (value.isMissingNode() || value.isNull()) {
      return JsonMapper.shared().missingNode();
    }
    if (!isRight.test(value)) {
      throw new IllegalArgumentException(
          name
              + " of a worker must be "
              + right
              + ": "
              + name
              + "="
              + value
              + ", url="
              + json.path("url").stringValue());
    }
    return value;
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

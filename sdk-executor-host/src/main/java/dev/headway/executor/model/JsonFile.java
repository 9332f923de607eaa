package dev.headway.executor.model;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.TokenStreamLocation;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.BooleanNode;

/**
 * A JSON object out of a model folder. A missing optional field gives the default; a field of the
 * wrong kind is a {@link ModelFormatException} with its name and value.
 */
final class JsonFile {

  private static final JsonMapper MAPPER =
      JsonMapper.builder()
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .build();

  private final Path path;
  private final JsonNode root;
  private final String within;

  /**
   * Takes an object.
   *
   * @param within names of the fields that it is in, each with a dot behind it
   */
  private JsonFile(Path path, JsonNode root, String within) {
    this.path = path;
    this.root = root;
    this.within = within;
  }

  static JsonFile read(Path path) {
    final byte[] bytes;
    try {
      bytes = Files.readAllBytes(path);
    } catch (NoSuchFileException e) {
      throw new ModelFormatException(path, null, "file must exist", e);
    } catch (IOException e) {
      throw new ModelFormatException(path, null, "file cannot be read: " + e, e);
    }
    return parse(path, bytes);
  }

  /** Parses an object of {@code path} that is there already. */
  static JsonFile parse(Path path, byte[] json) {
    final JsonNode root;
    try {
      root = MAPPER.readTree(json);
    } catch (JacksonException e) {
      throw new ModelFormatException(
          path, null, "JSON is broken: " + e.getOriginalMessage() + place(e.getLocation()), e);
    }
    if (!root.isObject()) {
      throw new ModelFormatException(path, "JSON must be an object: it is " + root.getNodeType());
    }
    return new JsonFile(path, root, "");
  }

  private static String place(@Nullable TokenStreamLocation location) {
    return location == null
        ? ""
        : " at line " + location.getLineNr() + ", column " + location.getColumnNr();
  }

  JsonNode root() {
    return root;
  }

  /** Whether the field is there and not null. */
  boolean has(String name) {
    return root.hasNonNull(name);
  }

  /** The object in a field that {@link #has}. */
  JsonFile object(String name) {
    final JsonNode node = root.path(name);
    if (!node.isObject()) {
      throw wrong(name, "an object", node);
    }
    return new JsonFile(path, node, within + name + ".");
  }

  int requiredInt(String name) {
    if (!has(name)) {
      throw new ModelFormatException(path, within + name + " must be given");
    }
    return optionalInt(name, 0);
  }

  int optionalInt(String name, int absent) {
    if (!has(name)) {
      return absent;
    }
    final JsonNode node = root.path(name);
    if (!node.isIntegralNumber() || !node.canConvertToInt()) {
      throw wrong(name, "an integer", node);
    }
    return node.intValue();
  }

  double requiredDouble(String name) {
    if (!has(name)) {
      throw new ModelFormatException(path, within + name + " must be given");
    }
    return optionalDouble(name, 0);
  }

  double optionalDouble(String name, double absent) {
    if (!has(name)) {
      return absent;
    }
    final JsonNode node = root.path(name);
    if (!node.isNumber()) {
      throw wrong(name, "a number", node);
    }
    return node.doubleValue();
  }

  /** Numbers of a list that must be there. */
  List<Double> requiredDoubles(String name) {
    if (!has(name)) {
      throw new ModelFormatException(path, within + name + " must be given");
    }
    final JsonNode node = root.path(name);
    final List<Double> numbers = new ArrayList<>();
    for (JsonNode number : node) {
      numbers.add(number.doubleValue(Double.NaN));
    }
    if (!node.isArray() || numbers.contains(Double.NaN)) {
      throw wrong(name, "a list of numbers", node);
    }
    return numbers;
  }

  boolean optionalBoolean(String name, boolean absent) {
    if (!has(name)) {
      return absent;
    }
    final JsonNode node = root.path(name);
    if (!node.isBoolean()) {
      throw wrong(name, "true or false", node);
    }
    return node.booleanValue();
  }

  String optionalString(String name, String absent) {
    if (!has(name)) {
      return absent;
    }
    final JsonNode node = root.path(name);
    if (!node.isString()) {
      throw wrong(name, "a string", node);
    }
    return node.stringValue();
  }

  String requiredString(String name) {
    if (!has(name)) {
      throw new ModelFormatException(path, within + name + " must be given");
    }
    return optionalString(name, "");
  }

  /** Strings of a list; none if it is not there. */
  List<String> optionalStrings(String name) {
    if (!has(name)) {
      return List.of();
    }
    final JsonNode node = root.path(name);
    final List<String> strings = new ArrayList<>();
    for (JsonNode string : node) {
      if (string.isString()) {
        strings.add(string.stringValue());
      }
    }
    if (!node.isArray() || strings.size() != node.size()) {
      throw wrong(name, "a list of strings", node);
    }
    return strings;
  }

  /** Refuses a field of another name, unless it is null. */
  void requireOnly(Set<String> names) {
    requireOnly(names, JsonNode::isNull);
  }

  /** As {@link #requireOnly}, but takes fields that are false or have nothing in them. */
  void requireOnlyUnlessEmpty(Set<String> names) {
    requireOnly(
        names,
        value ->
            value.isNull()
                || value.equals(BooleanNode.FALSE)
                || (value.isContainer() && value.isEmpty()));
  }

  private void requireOnly(Set<String> names, Predicate<JsonNode> saysNothing) {
    for (Map.Entry<String, JsonNode> field : root.properties()) {
      if (!saysNothing.test(field.getValue()) && !names.contains(field.getKey())) {
        throw new ModelFormatException(
            path,
            within
                + field.getKey()
                + " is not supported: "
                + within
                + field.getKey()
                + "="
                + field.getValue());
      }
    }
  }

  /** Refuses a field that is there with another value than this. */
  void requireIfThere(String name, JsonNode value) {
    if (has(name) && !root.path(name).equals(value)) {
      throw wrong(name, value.toString(), root.path(name));
    }
  }

  ModelFormatException wrong(String name, String expected, JsonNode node) {
    final String whole = within + name;
    return new ModelFormatException(
        path, whole + " must be " + expected + ": " + whole + "=" + node);
  }
}

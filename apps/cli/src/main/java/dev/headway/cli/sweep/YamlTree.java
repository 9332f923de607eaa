package dev.headway.cli.sweep;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.dataformat.yaml.YAMLFactory;
import tools.jackson.dataformat.yaml.YAMLParser;

/**
 * Reads YAML and keeps the line of everything. Values stay text, so that {@code 0.50} is an
 * option's value as written. No aliases, tags, empty values or keys given twice.
 */
final class YamlTree {

  private static final YAMLFactory FACTORY = new YAMLFactory();

  private final String name;
  private final YAMLParser parser;

  private YamlTree(String name, YAMLParser parser) {
    this.name = name;
    this.parser = parser;
  }

  /**
   * Reads a file's text.
   *
   * @param name of the file, for messages
   * @throws PlanException if it is not such YAML, or empty
   */
  static PlanNode read(String name, String text) {
    try (YAMLParser parser = (YAMLParser) FACTORY.createParser(ObjectReadContext.empty(), text)) {
      final YamlTree tree = new YamlTree(name, parser);
      final JsonToken first = parser.nextToken();
      if (first == null) {
        throw new PlanException(name, 1, "a plan must not be empty; it needs at least load");
      }
      final PlanNode root = tree.node(first);
      if (parser.nextToken() != null) {
        throw tree.wrong("a plan must be one document");
      }
      return root;
    } catch (JacksonException e) {
      final int line = e.getLocation() == null ? 1 : Math.max(1, e.getLocation().getLineNr());
      throw new PlanException(
          name, line, "this must be YAML: " + e.getOriginalMessage().replaceAll("\\s+", " "));
    }
  }

  private PlanException wrong(String message) {
    return new PlanException(name, line(), message);
  }

  private int line() {
    return parser.currentTokenLocation().getLineNr();
  }

  private PlanNode node(JsonToken token) {
    if (parser.isCurrentAlias() || parser.getTypeId() != null) {
      throw wrong("a plan must have no aliases or tags: quote the value if it is one");
    }
    return switch (token) {
      case START_OBJECT -> fields();
      case START_ARRAY -> items();
      case VALUE_NULL -> throw wrong("a value must not be empty");
      default -> new PlanNode.Text(line(), parser.getString().strip());
    };
  }

  private PlanNode items() {
    final int line = line();
    final List<PlanNode> nodes = new ArrayList<>();
    for (JsonToken token = parser.nextToken();
        token != JsonToken.END_ARRAY;
        token = parser.nextToken()) {
      nodes.add(node(token));
    }
    return new PlanNode.Items(line, Collections.unmodifiableList(nodes));
  }

  private PlanNode fields() {
    final int line = line();
    final Map<PlanNode.Text, PlanNode> nodes = new LinkedHashMap<>();
    final Set<String> keys = new HashSet<>();
    while (parser.nextToken() != JsonToken.END_OBJECT) {
      final PlanNode.Text key = new PlanNode.Text(line(), parser.currentName());
      if (!keys.add(key.text())) {
        throw wrong("a key must be given once: " + key.text());
      }
      nodes.put(key, node(parser.nextToken()));
    }
    return new PlanNode.Fields(line, Collections.unmodifiableMap(nodes));
  }
}

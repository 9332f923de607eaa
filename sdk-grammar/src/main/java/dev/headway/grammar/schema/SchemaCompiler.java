package dev.headway.grammar.schema;

import dev.headway.grammar.ConstraintException;
import dev.headway.grammar.ConstraintException.Kind;
import dev.headway.grammar.network.NetworkBuilder;
import dev.headway.grammar.regex.Automatons;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import tools.jackson.databind.JsonNode;

/**
 * Makes a network of a JSON schema. What it writes is always a value of the schema; of the values
 * that the schema has, those that keep the order of its members and have no white space but single
 * blanks behind {@code :} and {@code ,}.
 *
 * <p>Objects with {@code properties} have no other members unless {@code additionalProperties} says
 * so, as OpenAI's strict schemas. What a reference leads to is a rule, which may call itself. One
 * thread.
 */
public final class SchemaCompiler {

  private final NetworkBuilder builder;
  private final SharedRules shared;
  private final IdentityHashMap<JsonNode, Integer> rules = new IdentityHashMap<>();
  private final ArrayDeque<Rule> open = new ArrayDeque<>();

  private record Rule(Schema schema, int begin, int end) {}

  private SchemaCompiler(NetworkBuilder builder) {
    this.builder = builder;
    this.shared = new SharedRules(builder);
  }

  /**
   * Adds a schema.
   *
   * @return the state that its values begin at
   * @throws ConstraintException naming path and keyword if it cannot be kept
   */
  public static int schema(NetworkBuilder builder, String text) {
    final JsonNode node = SchemaJson.read(text, builder.budget().limits());
    final SchemaCompiler compiler = new SchemaCompiler(builder);
    final int begin = compiler.rule(Schema.root(node));
    while (!compiler.open.isEmpty()) { // rather than by recursion: references may be many
      final Rule rule = compiler.open.pop();
      compiler.add(rule.schema, rule.begin, rule.end);
    }
    return begin;
  }

  /**
   * Adds any object.
   *
   * @return the state that it begins at
   */
  public static int anyObject(NetworkBuilder builder) {
    return new SharedRules(builder).object();
  }

  NetworkBuilder builder() {
    return builder;
  }

  SharedRules shared() {
    return shared;
  }

  /** The rule of a schema, which is made later if it is not there. */
  int rule(Schema schema) {
    final Integer known = rules.get(schema.node());
    if (known != null) {
      return known;
    }
    final int begin = builder.state();
    final int end = builder.state();
    builder.end(end);
    rules.put(schema.node(), begin);
    open.push(new Rule(schema, begin, end));
    return begin;
  }

  /** A value of a schema leads from one state to another. */
  void add(Schema schema, int from, int to) {
    try {
      addHere(schema, from, to);
    } catch (ConstraintException e) {
      if (!e.path().isEmpty()) {
        throw e;
      }
      throw new ConstraintException(e.kind(), schema.path(), String.valueOf(e.getMessage()));
    }
  }

  private void addHere(Schema schema, int from, int to) {
    final JsonNode node = schema.node();
    if (node.isBoolean()) {
      if (node.booleanValue()) {
        builder.call(from, shared.value(), to);
      }
      return;
    }
    if (!node.isObject()) {
      throw new ConstraintException(
          Kind.INVALID, schema.path(), "a schema must be an object, true or false");
    }
    schema.requireKnown();
    final String combining = schema.combining();
    switch (combining) {
      case "" -> addTypes(schema, schema.types(), from, to);
      case "$ref" -> {
        schema.requireAlone("$ref");
        builder.call(from, rule(References.target(schema)), to);
      }
      case "anyOf", "oneOf", "allOf" -> addBranches(schema, combining, from, to);
      default -> addConstants(schema, combining, from, to);
    }
  }

  private void addBranches(Schema schema, String keyword, int from, int to) {
    schema.requireAlone(keyword);
    final JsonNode branches = schema.node().path(keyword);
    if (!branches.isArray() || branches.isEmpty()) {
      throw schema.invalid(keyword, "must be an array of schemas");
    }
    if (keyword.equals("allOf") && branches.size() > 1) {
      throw schema.unsupported(keyword, "must have one schema: more are not supported");
    }
    final List<Schema> all = new ArrayList<>();
    for (int i = 0; i < branches.size(); i++) {
      all.add(schema.child(branches.path(i), keyword, Integer.toString(i)));
    }
    if (keyword.equals("oneOf")) {
      Branches.requireDisjoint(schema, all);
    }
    all.forEach(branch -> add(branch, from, to));
  }

  private void addConstants(Schema schema, String keyword, int from, int to) {
    schema.requireAlone(keyword, "type");
    final JsonNode values = schema.node().path(keyword);
    final List<JsonNode> all = new ArrayList<>();
    if (keyword.equals("const")) {
      all.add(values);
    } else {
      values.forEach(all::add);
    }
    if (!keyword.equals("const") && (!values.isArray() || values.isEmpty())) {
      throw schema.invalid(keyword, "must be an array of values");
    }
    final Set<JsonType> types = schema.types();
    final List<String> texts =
        all.stream()
            .filter(value -> !schema.has("type") || types.stream().anyMatch(t -> t.isOf(value)))
            .map(JsonNode::toString)
            .toList();
    if (texts.isEmpty()) {
      throw schema.invalid(keyword, "must have a value of the schema's type");
    }
    builder.automaton(from, Automatons.union(texts, builder.budget()), to);
  }

  private void addTypes(Schema schema, Set<JsonType> types, int from, int to) {
    for (JsonType type : types) {
      switch (type) {
        case OBJECT -> new ObjectRule(this, schema).add(from, to);
        case ARRAY -> new ArrayRule(this, schema).add(from, to);
        case STRING -> ScalarRules.string(this, schema, from, to);
        case INTEGER, NUMBER ->
            ScalarRules.number(this, schema, type == JsonType.INTEGER, from, to);
        case BOOLEAN -> {
          builder.move(builder.text(from, "true"), to);
          builder.move(builder.text(from, "false"), to);
        }
        case NULL -> builder.move(builder.text(from, "null"), to);
      }
    }
  }
}

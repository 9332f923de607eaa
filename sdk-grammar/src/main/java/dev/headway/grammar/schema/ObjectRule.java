package dev.headway.grammar.schema;

import dev.headway.grammar.network.NetworkBuilder;
import dev.headway.grammar.regex.Automatons;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.lucene.util.automaton.Automata;
import org.apache.lucene.util.automaton.Automaton;
import org.apache.lucene.util.automaton.Operations;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.BooleanNode;
import tools.jackson.databind.node.StringNode;

/** Objects: members in the order of the schema, others behind them where they are allowed. */
final class ObjectRule {

  private static final int NONE = -1;

  private final SchemaCompiler compiler;
  private final NetworkBuilder builder;
  private final Schema schema;
  private final Map<String, Schema> members = new LinkedHashMap<>();
  private final Set<String> required;
  private final @Nullable Schema others;

  ObjectRule(SchemaCompiler compiler, Schema schema) {
    this.compiler = compiler;
    this.builder = compiler.builder();
    this.schema = schema;
    final JsonNode properties = schema.node().path("properties");
    if (!properties.isObject() && !properties.isMissingNode()) {
      throw schema.invalid("properties", "must be an object of schemas");
    }
    properties
        .properties()
        .forEach(
            each ->
                members.put(
                    each.getKey(), schema.child(each.getValue(), "properties", each.getKey())));
    this.required = required();
    this.others = others();
    for (String name : required) {
      if (!members.containsKey(name)) {
        if (others == null) {
          throw schema.invalid("required", "must name members of properties, '" + name + "' too");
        }
        members.put(name, others);
      }
    }
  }

  private Set<String> required() {
    final JsonNode names = schema.node().path("required");
    if (!names.isMissingNode()
        && (!names.isArray() || names.valueStream().anyMatch(name -> !name.isString()))) {
      throw schema.invalid("required", "must be an array of names");
    }
    return names
        .valueStream()
        .map(JsonNode::stringValue)
        .collect(Collectors.toCollection(LinkedHashSet::new));
  }

  /** What members that are not named must be, or null if there are none. */
  private @Nullable Schema others() {
    final JsonNode node = schema.node().path("additionalProperties");
    if (node.isMissingNode()) {
      return schema.has("properties")
          ? null
          : schema.child(BooleanNode.TRUE, "additionalProperties");
    }
    return node.isBoolean() && !node.booleanValue() ? null : schema.child("additionalProperties");
  }

  /*
   * Two lanes: "first" where no member has been written, "rest" where one has, so that a comma
   * stands before every member but the first. What is not required may be passed in both.
   */
  void add(int from, int to) {
    int first = builder.text(from, "{");
    int rest = NONE;
    for (Map.Entry<String, Schema> member : members.entrySet()) {
      final boolean isRequired = required.contains(member.getKey());
      final int body = body(first, rest);
      final int behind = builder.state();
      final int colon = builder.text(body, StringNode.valueOf(member.getKey()).toString());
      value(colon, member.getValue(), behind);
      if (!isRequired && rest != NONE) {
        builder.move(rest, behind);
      }
      first = isRequired ? NONE : first;
      rest = behind;
    }
    if (others != null) {
      final int body = body(first, rest);
      final int behind = builder.state();
      final int colon = builder.state();
      key(body, colon);
      value(colon, others, behind);
      compiler.shared().separator(behind, body);
      builder.edge(behind, '}', '}', to);
    }
    for (int lane : new int[] {first, rest}) {
      if (lane != NONE) {
        builder.edge(lane, '}', '}', to);
      }
    }
  }

  private int body(int first, int rest) {
    final int body = builder.state();
    if (first != NONE) {
      builder.move(first, body);
    }
    if (rest != NONE) {
      compiler.shared().separator(rest, body);
    }
    return body;
  }

  private void value(int from, Schema member, int to) {
    final int begin = builder.state();
    compiler.shared().colon(from, begin);
    compiler.add(member, begin, to);
  }

  /** A key that no member has. */
  private void key(int from, int to) {
    if (members.isEmpty()) {
      builder.call(from, compiler.shared().string(), to);
      return;
    }
    final List<Automaton> names = new ArrayList<>();
    members.keySet().forEach(name -> names.add(Automata.makeString(name)));
    final Automaton any = Operations.repeat(Automatons.anyChar());
    final Automaton free =
        Automatons.minus(
            any,
            Automatons.determinized(Operations.union(names), builder.budget()),
            builder.budget());
    final int open = builder.text(from, "\"");
    final int close = builder.state();
    builder.automaton(open, JsonLexemes.escaped(free, builder.budget()), close);
    builder.edge(close, '"', '"', to);
  }
}

package dev.headway.grammar.schema;

import dev.headway.grammar.network.NetworkBuilder;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.BooleanNode;

/** Arrays: as many items one after the other as are counted, then any number where none is. */
final class ArrayRule {

  private static final int STATES_PER_ITEM = 3;

  private final SchemaCompiler compiler;
  private final NetworkBuilder builder;
  private final Schema schema;
  private final List<Schema> prefix = new ArrayList<>();
  private final @Nullable Schema items;
  private final int least;
  private final int most;

  ArrayRule(SchemaCompiler compiler, Schema schema) {
    this.compiler = compiler;
    this.builder = compiler.builder();
    this.schema = schema;
    final JsonNode first = schema.node().path("prefixItems");
    for (int i = 0; i < first.size(); i++) {
      prefix.add(schema.child(first.path(i), "prefixItems", Integer.toString(i)));
    }
    final JsonNode others = schema.node().path("items");
    if (others.isArray()) {
      throw schema.unsupported("items", "must be a schema; several are prefixItems");
    }
    if (others.isBoolean() && !others.booleanValue()) {
      items = null;
    } else {
      items =
          others.isMissingNode() ? schema.child(BooleanNode.TRUE, "items") : schema.child("items");
    }
    least = schema.count("minItems", 0);
    most = schema.count("maxItems", items == null ? prefix.size() : Integer.MAX_VALUE);
    if (least > most || (items == null && least > prefix.size())) {
      throw schema.invalid("minItems", "must be <= the most items that there can be");
    }
  }

  void add(int from, int to) {
    final boolean isOpen = items != null && most == Integer.MAX_VALUE;
    final int counted = isOpen ? Math.max(prefix.size(), least) : Math.min(most, room());
    builder.budget().requireStates((long) STATES_PER_ITEM * counted);
    int at = builder.text(from, "[");
    for (int i = 0; i < counted; i++) {
      if (i >= least) {
        builder.edge(at, ']', ']', to);
      }
      at = item(i, i == 0 ? at : separated(at));
    }
    builder.edge(at, ']', ']', to);
    if (isOpen) {
      final int behind = item(counted, counted == 0 ? at : separated(at));
      builder.edge(behind, ']', ']', to);
      final int again = separated(behind);
      builder.call(again, compiler.rule(other()), behind);
    }
  }

  private int room() {
    return items == null ? prefix.size() : Integer.MAX_VALUE;
  }

  private Schema other() {
    if (items == null) {
      throw new IllegalStateException("no item may follow: path=" + schema.path());
    }
    return items;
  }

  private int separated(int from) {
    final int next = builder.state();
    compiler.shared().separator(from, next);
    return next;
  }

  private int item(int index, int from) {
    final int behind = builder.state();
    if (index < prefix.size()) {
      compiler.add(prefix.get(index), from, behind);
    } else {
      builder.call(from, compiler.rule(other()), behind);
    }
    return behind;
  }
}

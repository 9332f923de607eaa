package dev.headway.grammar.schema;

import dev.headway.grammar.ConstraintException;
import dev.headway.grammar.network.Budget;
import dev.headway.grammar.network.NetworkBuilder;
import dev.headway.grammar.regex.Automatons;
import dev.headway.grammar.regex.RegexParser;
import dev.headway.grammar.schema.Decimals.Bound;
import java.math.BigDecimal;
import org.apache.lucene.util.automaton.Automaton;
import org.apache.lucene.util.automaton.Operations;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Strings and numbers. Stateless; one thread for a compiler. */
final class ScalarRules {

  private ScalarRules() {}

  /** A string of a schema leads from one state to another. */
  static void string(SchemaCompiler compiler, Schema schema, int from, int to) {
    final NetworkBuilder builder = compiler.builder();
    final boolean isCounted = schema.has("minLength") || schema.has("maxLength");
    final boolean isPattern = schema.has("pattern") || schema.has("format");
    if (!isCounted && !isPattern) {
      builder.call(from, compiler.shared().string(), to);
      return;
    }
    final int least = schema.count("minLength", 0);
    final int most = schema.count("maxLength", -1);
    if (most >= 0 && least > most) {
      throw schema.invalid("minLength", "must be <= maxLength");
    }
    builder.budget().requireStates(Math.max(least, most));
    final int open = builder.text(from, "\"");
    final int close = builder.state();
    builder.edge(close, '"', '"', to);
    if (isPattern) {
      builder.automaton(
          open,
          JsonLexemes.escaped(texts(schema, least, most, builder.budget()), builder.budget()),
          close);
    } else {
      counted(compiler, least, most, open, close);
    }
  }

  private static void counted(SchemaCompiler compiler, int least, int most, int open, int close) {
    final NetworkBuilder builder = compiler.builder();
    int at = open;
    for (int i = 0; i < Math.max(least, most); i++) {
      if (i >= least) {
        builder.move(at, close);
      }
      final int next = builder.state();
      builder.call(at, compiler.shared().character(), next);
      at = next;
    }
    if (most < 0) {
      builder.call(at, compiler.shared().character(), at);
    }
    builder.move(at, close);
  }

  private static Automaton texts(Schema schema, int least, int most, Budget budget) {
    Automaton made = null;
    if (schema.has("format")) {
      made = format(schema, budget);
    }
    if (schema.has("pattern")) {
      final Automaton pattern = pattern(schema, budget);
      made = made == null ? pattern : Automatons.both(made, pattern, budget);
    }
    if (least > 0 || most >= 0) {
      final Automaton length =
          most < 0
              ? Operations.repeat(Automatons.anyChar(), least)
              : Operations.repeat(Automatons.anyChar(), least, most);
      made = made == null ? length : Automatons.both(made, length, budget);
    }
    if (made == null) {
      throw new IllegalStateException("a pattern or a format must be there: " + schema.path());
    }
    return made;
  }

  private static Automaton format(Schema schema, Budget budget) {
    final String regex = Formats.regex(schema.node().path("format").asString(""));
    if (regex == null) {
      throw schema.unsupported("format", "must be one of " + Formats.names());
    }
    return RegexParser.whole(regex, budget).automaton(budget);
  }

  private static Automaton pattern(Schema schema, Budget budget) {
    final JsonNode pattern = schema.node().path("pattern");
    if (!pattern.isString()) {
      throw schema.invalid("pattern", "must be a string");
    }
    try {
      return RegexParser.part(pattern.stringValue(), budget).automaton(budget);
    } catch (ConstraintException e) {
      throw new ConstraintException(
          e.kind(), schema.path() + "/pattern", String.valueOf(e.getMessage()));
    }
  }

  /** A number of a schema leads from one state to another. */
  static void number(SchemaCompiler compiler, Schema schema, boolean isInteger, int from, int to) {
    final Bound low =
        tighter(bound(schema, "minimum", true), bound(schema, "exclusiveMinimum", false), 1);
    final Bound high =
        tighter(bound(schema, "maximum", true), bound(schema, "exclusiveMaximum", false), -1);
    final NetworkBuilder builder = compiler.builder();
    if (low == null && high == null) {
      builder.call(from, isInteger ? compiler.shared().integer() : compiler.shared().number(), to);
      return;
    }
    final Automaton within = Decimals.within(isInteger, low, high, builder.budget());
    if (Operations.isEmpty(within)) {
      throw schema.invalid(
          low == null ? "maximum" : schema.has("minimum") ? "minimum" : "exclusiveMinimum",
          "must leave a number");
    }
    builder.automaton(from, within, to);
  }

  private static @Nullable Bound bound(Schema schema, String keyword, boolean isIncluded) {
    final JsonNode value = schema.node().path(keyword);
    if (value.isMissingNode()) {
      return null;
    }
    if (!value.isNumber()) {
      throw schema.invalid(keyword, "must be a number");
    }
    final Bound bound = new Bound(value.decimalValue(), isIncluded);
    if (!bound.isShort()) {
      throw schema.unsupported(keyword, "must be a number of at most 64 digits");
    }
    return bound;
  }

  /** The one that leaves fewer numbers. */
  private static @Nullable Bound tighter(
      @Nullable Bound included, @Nullable Bound excluded, int direction) {
    if (included == null || excluded == null) {
      return included == null ? excluded : included;
    }
    final BigDecimal difference = included.value().subtract(excluded.value());
    return difference.signum() * direction > 0 ? included : excluded;
  }
}

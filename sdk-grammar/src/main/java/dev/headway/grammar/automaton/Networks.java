package dev.headway.grammar.automaton;

import dev.headway.grammar.Constraint;
import dev.headway.grammar.ConstraintException;
import dev.headway.grammar.ConstraintException.Kind;
import dev.headway.grammar.GrammarLimits;
import dev.headway.grammar.network.Budget;
import dev.headway.grammar.network.Network;
import dev.headway.grammar.network.NetworkBuilder;
import dev.headway.grammar.regex.Automatons;
import dev.headway.grammar.regex.RegexParser;
import dev.headway.grammar.schema.SchemaCompiler;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.apache.lucene.util.automaton.Automaton;

/** Constraints to networks. Any thread. */
final class Networks {

  private static final String EVERYTHING =
      """
      {"properties": {"a": {"type": "string", "pattern": "^a"}, "b": {"minimum": 1},
       "c": {"anyOf": [{"items": {}}, {"enum": ["a"]}]}}, "additionalProperties": {"$ref": "#"}}
      """;

  private Networks() {}

  /**
   * Compiles a constraint.
   *
   * @param isByte which bytes are tokens by themselves
   * @throws ConstraintException if that is not possible within the limits
   */
  static Network of(Constraint constraint, GrammarLimits limits, boolean[] isByte) {
    final Budget budget = new Budget(limits);
    final NetworkBuilder builder = new NetworkBuilder(budget);
    final int root =
        switch (constraint) {
          case Constraint.JsonSchema schema -> {
            requireShort(schema.schema().length(), limits);
            yield SchemaCompiler.schema(builder, schema.schema());
          }
          case Constraint.JsonObject any -> SchemaCompiler.anyObject(builder);
          case Constraint.Regex regex -> {
            requireShort(regex.pattern().length(), limits);
            yield rule(
                builder,
                Automatons.bytes(
                    RegexParser.whole(regex.pattern(), budget).automaton(budget), budget));
          }
          case Constraint.Choice choice -> choice(builder, choice.texts(), limits);
          case Constraint.Ebnf ebnf ->
              throw new ConstraintException(
                  Kind.UNSUPPORTED,
                  "",
                  "a constraint must be a JSON schema, a regular expression or a choice: context-free"
                      + " grammars in EBNF are not supported");
        };
    return builder.build(root, isByte);
  }

  /** Loads the classes that compilers use, by compiling something of everything. */
  static void load() {
    final GrammarLimits limits = GrammarLimits.DEFAULT.withMaxCompileTime(Duration.ofMinutes(1));
    final boolean[] all = new boolean[256];
    Arrays.fill(all, true);
    of(new Constraint.JsonSchema(EVERYTHING), limits, all);
    of(new Constraint.Choice(List.of("a", "b")), limits, all);
  }

  private static int choice(NetworkBuilder builder, List<String> texts, GrammarLimits limits) {
    if (texts.isEmpty() || texts.contains("")) {
      throw new ConstraintException(
          Kind.INVALID, "", "a choice must be of texts, none of them empty: texts=" + texts.size());
    }
    requireShort(texts.stream().mapToLong(String::length).sum(), limits);
    return rule(builder, Automatons.union(texts, builder.budget()));
  }

  private static int rule(NetworkBuilder builder, Automaton automaton) {
    final int begin = builder.state();
    final int end = builder.state();
    builder.automaton(begin, automaton, end);
    builder.end(end);
    return begin;
  }

  private static void requireShort(long chars, GrammarLimits limits) {
    if (chars > limits.maxChars()) {
      throw new ConstraintException(
          Kind.LIMIT,
          "",
          "a constraint must be short: characters=" + chars + ", most=" + limits.maxChars());
    }
  }
}

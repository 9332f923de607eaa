package dev.headway.grammar.schema;

import dev.headway.grammar.network.Budget;
import dev.headway.grammar.network.NetworkBuilder;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;
import org.apache.lucene.util.automaton.Automaton;

/** Rules that many places of a grammar call: any value, string, number. One thread. */
final class SharedRules {

  /** Leads from the begin of a rule to its end. */
  private interface Maker {
    void make(int begin, int end);
  }

  private final NetworkBuilder builder;
  private final Map<String, Integer> known = new HashMap<>();

  SharedRules(NetworkBuilder builder) {
    this.builder = builder;
  }

  int character() {
    return rule("character", JsonLexemes::character);
  }

  int string() {
    return rule("string", JsonLexemes::string);
  }

  int integer() {
    return rule("integer", JsonLexemes::integer);
  }

  int number() {
    return rule("number", JsonLexemes::number);
  }

  private int rule(String name, Function<Budget, Automaton> automaton) {
    return rule(
        name,
        (begin, end) -> {
          builder.automaton(begin, automaton.apply(builder.budget()), end);
        });
  }

  /** Any value. */
  int value() {
    return rule(
        "value",
        (begin, end) -> {
          builder.call(begin, string(), end);
          builder.call(begin, number(), end);
          builder.call(begin, object(), end);
          builder.call(begin, array(), end);
          for (String word : new String[] {"true", "false", "null"}) {
            builder.move(builder.text(begin, word), end);
          }
        });
  }

  /** Any object. */
  int object() {
    return rule(
        "object",
        (begin, end) -> {
          final int open = builder.text(begin, "{");
          final int behind = builder.state();
          member(open, behind);
          final int next = builder.state();
          separator(behind, next);
          member(next, behind);
          builder.edge(open, '}', '}', end);
          builder.edge(behind, '}', '}', end);
        });
  }

  private void member(int from, int to) {
    final int colon = builder.state();
    builder.call(from, string(), colon);
    final int value = builder.state();
    colon(colon, value);
    builder.call(value, value(), to);
  }

  private int array() {
    return rule(
        "array",
        (begin, end) -> {
          final int open = builder.text(begin, "[");
          final int behind = builder.state();
          builder.call(open, value(), behind);
          final int next = builder.state();
          separator(behind, next);
          builder.call(next, value(), behind);
          builder.edge(open, ']', ']', end);
          builder.edge(behind, ']', ']', end);
        });
  }

  /** A comma, and a blank or none. */
  void separator(int from, int to) {
    mark(from, ',', to);
  }

  /** A colon, and a blank or none. */
  void colon(int from, int to) {
    mark(from, ':', to);
  }

  private void mark(int from, char mark, int to) {
    final int behind = builder.state();
    builder.edge(from, mark, mark, behind);
    builder.edge(behind, ' ', ' ', to);
    builder.move(behind, to);
  }

  /** Known before it is made: it may call itself. */
  private int rule(String name, Maker maker) {
    final Integer there = known.get(name);
    if (there != null) {
      return there;
    }
    final int begin = builder.state();
    known.put(name, begin);
    final int end = builder.state();
    builder.end(end);
    maker.make(begin, end);
    return begin;
  }
}

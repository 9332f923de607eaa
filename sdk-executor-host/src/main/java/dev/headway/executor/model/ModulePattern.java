package dev.headway.executor.model;

import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * An entry of {@code targets} or {@code ignore} of compressed-tensors: a layer's whole name, or
 * {@code re:} and an expression that a name must begin with, as Python's {@code re.match}.
 *
 * <p>An expression is data from elsewhere. Only those are taken that are matched in a time which is
 * bounded: letters, digits, {@code _ - .}, {@code \.}, {@code \d}, {@code [0-9]}, these with {@code
 * +} or {@code *}, {@code ^} at the beginning, {@code $} at the end, and choices {@code (a|b)} of
 * names; at most {@value #MOST_WILDCARDS} with {@code +} or {@code *}.
 *
 * <p>Source: {@code _match_name} in compressed-tensors' {@code utils/match.py}.
 */
sealed interface ModulePattern {

  /** Of one expression. */
  int MOST_WILDCARDS = 4;

  /** Expressions that are taken. */
  Pattern TAKEN =
      Pattern.compile(
          "\\^?(?:(?:[\\w-]|\\.|\\\\\\.|\\\\d|\\[0-9\\])[+*]?|\\((?:\\?:)?[\\w.-]+(?:\\|[\\w.-]+)*\\))*+\\$?");

  /** The prefix of expressions. */
  String EXPRESSION = "re:";

  /** Whether a layer is meant. */
  boolean matches(String module);

  /** Whether a layer is meant by any of its names. */
  default boolean matchesAny(List<String> modules) {
    return modules.stream().anyMatch(this::matches);
  }

  /** One layer. */
  record Name(String name) implements ModulePattern {
    @Override
    public boolean matches(String module) {
      return module.equals(name);
    }
  }

  /** Layers whose names begin with a match. */
  record Expression(Pattern pattern) implements ModulePattern {
    @Override
    public boolean matches(String module) {
      return pattern.matcher(module).lookingAt();
    }
  }

  /** Reads an entry; empty if it is an expression that is not taken. */
  static Optional<ModulePattern> of(String entry) {
    if (!entry.startsWith(EXPRESSION)) {
      return Optional.of(new Name(entry));
    }
    final String expression = entry.substring(EXPRESSION.length());
    final long wildcards = expression.chars().filter(c -> c == '+' || c == '*').count();
    return TAKEN.matcher(expression).matches() && wildcards <= MOST_WILDCARDS
        ? Optional.of(new Expression(Pattern.compile(expression)))
        : Optional.empty();
  }
}

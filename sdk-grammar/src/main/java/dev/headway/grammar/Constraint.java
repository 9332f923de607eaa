package dev.headway.grammar;

import java.util.List;

/** What the text of an answer must look like. Immutable; equal constraints are compiled once. */
public sealed interface Constraint {

  /**
   * JSON of a schema, of the 2020-12 draft or one of those before it.
   *
   * @param schema the schema as JSON: an object, or {@code true}
   */
  record JsonSchema(String schema) implements Constraint {}

  /** Any JSON object. */
  record JsonObject() implements Constraint {}

  /**
   * A text that a regular expression matches from its begin to its end.
   *
   * @param pattern as in ECMAScript, which is what JSON schemas have
   */
  record Regex(String pattern) implements Constraint {}

  /**
   * One of some texts.
   *
   * @param texts at least one, none of them empty
   */
  record Choice(List<String> texts) implements Constraint {

    /** Copies the texts. */
    public Choice {
      texts = List.copyOf(texts);
    }
  }

  /**
   * A text of a context-free grammar.
   *
   * @param grammar in the notation of the backend that takes it
   */
  record Ebnf(String grammar) implements Constraint {}
}

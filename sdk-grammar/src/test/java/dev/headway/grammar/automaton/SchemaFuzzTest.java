package dev.headway.grammar.automaton;

import dev.headway.fuzz.ParserFuzz;
import dev.headway.grammar.Constraint;
import dev.headway.grammar.ConstraintException;
import dev.headway.grammar.GrammarLimits;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** JSON schemas of clients. */
class SchemaFuzzTest extends ParserFuzz {

  private final boolean[] bytes = new boolean[256];

  SchemaFuzzTest() {
    super(ConstraintException.class);
    Arrays.fill(bytes, true);
  }

  @Override
  protected void parse(byte[] input) {
    Networks.of(
        new Constraint.JsonSchema(new String(input, StandardCharsets.UTF_8)),
        GrammarLimits.DEFAULT,
        bytes);
  }
}

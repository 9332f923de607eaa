package dev.headway.grammar.automaton;

import static org.assertj.core.api.Assertions.assertThat;

import com.networknt.schema.InputFormat;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import dev.headway.api.request.Grammar;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What random walks inside the masks write is of the schema, as another's validator reads it. */
class RandomSchemasTest {

  private static final int SEEDS = Boolean.getBoolean("headway.slow") ? 5_000 : 300;
  private static final int TEXTS = 4;

  private final Walks walks = new Walks();
  private final SchemaRegistry registry =
      SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12);

  @Test
  void shouldWriteJsonOfTheSchemaOnly() {
    int ended = 0;
    for (int seed = 0; seed < SEEDS; seed++) {
      final Random random = new Random(seed);
      final String schema = new RandomSchemas(random).next();
      final Grammar grammar = walks.schema(schema);
      final Schema validator = registry.getSchema(schema);
      for (int i = 0; i < TEXTS; i++) {
        final String text = walks.walk(walks.schema(schema), random, 40);
        if (text == null) {
          continue;
        }
        ended++;
        assertThat(
                validator.validate(
                    text,
                    InputFormat.JSON,
                    context -> context.executionConfig(c -> c.formatAssertionsEnabled(true))))
            .as("seed=%d, schema=%s, text=%s", seed, schema, text)
            .isEmpty();
        assertThat(Walks.takes(grammar, text)).as("seed=%d, text=%s", seed, text).isTrue();
      }
    }
    assertThat(ended).isGreaterThan(SEEDS * TEXTS * 9 / 10);
  }
}

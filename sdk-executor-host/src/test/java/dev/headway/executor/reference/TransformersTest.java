package dev.headway.executor.reference;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.headway.executor.model.Model;
import dev.headway.executor.model.WeightType;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Every family, and every scaling of the rotary embedding, makes the logits that transformers makes
 * of the same seeded weights: after 120 tokens, in float32. The configs are as transformers 5 saves
 * them.
 *
 * <p>What transformers itself was not run for is compared with {@code scripts/model-logits.py}, a
 * forward pass in numpy after the formulas of transformers, which is within 3e-6 of all the logits
 * that transformers made.
 */
class TransformersTest {

  private static final long SEED = 42;

  @ParameterizedTest
  @ValueSource(strings = {"llama-linear-rope", "llama-llama3-rope", "mistral", "qwen2", "qwen3"})
  void shouldMakeTheLogitsOfTransformers(String name) throws URISyntaxException {
    assertLogits("/transformers/" + name);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "llama-biases",
        "qwen3-biases",
        "llama-yarn",
        "qwen2-yarn-untruncated",
        "qwen3-yarn",
        "phi3",
        "phi3-longrope",
        "phi3-longrope-short",
        "mistral3",
        "mistral-window",
        "phi3-window",
        "qwen2-windows",
        "qwen3-windows",
        "mixtral",
        "qwen3-moe",
        "qwen3-moe-dense-layers",
        "glm4-moe",
        "glm4-moe-head-norms",
        "gemma3-1b",
        "gemma3-transformers5",
        "gemma3-vision",
        "gpt-oss",
        "gpt-oss-layer-types"
      })
  void shouldMakeTheLogitsOfItsFormulasInNumpy(String name) throws URISyntaxException {
    assertLogits("/numpy/" + name);
  }

  private static void assertLogits(String name) throws URISyntaxException {
    final Path directory = Path.of(TransformersTest.class.getResource(name).toURI());
    final Model model = Model.random(Model.readConfig(directory), SEED, WeightType.F32);
    final int[] prompt = IntStream.range(0, 120).map(i -> (31 * i + 7) % 97).toArray();

    final float[] logits = new ReferenceModel(model, Precision.FLOAT32).logits(prompt);

    final JsonNode expected =
        new JsonMapper().readTree(directory.resolve("logits.json").toFile()).get("logits");
    assertThat(expected.size()).isEqualTo(logits.length);
    for (int token = 0; token < logits.length; token++) {
      assertThat(logits[token])
          .as("%s, token %d", name, token)
          .isCloseTo(expected.get(token).floatValue(), within(1e-4f));
    }
  }
}

package dev.headway.executor.vector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.headway.executor.model.GgufModel;
import dev.headway.executor.model.GptOssFolder;
import dev.headway.executor.model.Model;
import dev.headway.executor.model.ModelFamily;
import dev.headway.executor.model.ModelLayout;
import dev.headway.executor.model.OutputHead;
import dev.headway.executor.model.QuantizedModel;
import dev.headway.executor.model.TestModels;
import dev.headway.executor.model.WeightType;
import dev.headway.executor.reference.Precision;
import dev.headway.executor.reference.ReferenceModel;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Quantised matrices, which stay as they are stored. */
class QuantizedVectorTest {

  private static final int OUTPUTS = 12;

  @TempDir Path directory;
  @AutoClose private final Arena arena = Arena.ofShared();
  @AutoClose private final WorkerPool pool = new WorkerPool(2);

  @ParameterizedTest
  @EnumSource(QuantizedModel.class)
  void shouldContinueAsTheReference(QuantizedModel quantized) throws IOException {
    for (ModelFamily family : List.of(ModelFamily.LLAMA, ModelFamily.QWEN3, ModelFamily.PHI3)) {
      quantized.write(Model.random(TestModels.tiny(family), 7, WeightType.F32), directory);
      final int[] prompt = new Random(3).ints(19, 0, 97).toArray();
      try (Model model = Model.load(directory);
          Alone alone = new Alone(model, 2)) {
        final ReferenceModel reference = new ReferenceModel(model, Precision.FLOAT32);

        assertThat(alone.logits(prompt))
            .as("%s", family)
            .containsExactly(reference.logits(prompt), within(1e-4f));
        assertThat(greedy(alone::logits, prompt))
            .as("%s", family)
            .isEqualTo(greedy(reference::logits, prompt));
      }
    }
  }

  /** gpt-oss as it is published. */
  @Test
  void shouldContinueAsTheReferenceWithExpertsOfMxfp4() throws IOException {
    new GptOssFolder(7).write(directory);
    final int[] prompt = new Random(3).ints(19, 0, 97).toArray();
    try (Model model = Model.load(directory);
        Alone alone = new Alone(model, 2)) {
      final ReferenceModel reference = new ReferenceModel(model, Precision.FLOAT32);

      assertThat(greedy(alone::logits, prompt)).isEqualTo(greedy(reference::logits, prompt));
    }
  }

  private interface Logits {
    float[] after(int... tokens);
  }

  private static int[] greedy(Logits logits, int[] prompt) {
    int[] tokens = prompt;
    for (int i = 0; i < OUTPUTS; i++) {
      final float[] next = logits.after(tokens);
      final int best =
          IntStream.range(0, next.length).reduce((a, b) -> next[b] > next[a] ? b : a).orElseThrow();
      tokens = Arrays.copyOf(tokens, tokens.length + 1);
      tokens[tokens.length - 1] = best;
    }
    return tokens;
  }

  @ParameterizedTest
  @EnumSource(GgufModel.class)
  void shouldContinueAsTheReferenceFromGguf(GgufModel type) throws IOException {
    final Path file = directory.resolve("tiny.gguf");
    type.write(
        Model.random(GgufModel.config(ModelFamily.LLAMA, OutputHead.OWN), 7, WeightType.F16), file);
    final int[] prompt = new Random(3).ints(19, 0, 97).toArray();
    try (Model model = Model.load(file);
        Alone alone = new Alone(model, 2)) {
      final ReferenceModel reference = new ReferenceModel(model, Precision.FLOAT32);

      assertThat(alone.logits(prompt)).containsExactly(reference.logits(prompt), within(1e-4f));
      assertThat(greedy(alone::logits, prompt)).isEqualTo(greedy(reference::logits, prompt));
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = GgufModel.class,
      names = {"Q8_0", "Q4_0", "Q4_K", "Q5_K", "Q6_K"})
  void shouldKeepTheCodesOfGgufExactly(GgufModel type) throws IOException {
    final Path file = directory.resolve("tiny.gguf");
    type.write(
        Model.random(GgufModel.config(ModelFamily.LLAMA, OutputHead.OWN), 7, WeightType.F16), file);
    try (Model model = Model.load(file)) {
      assertKeepsExactly(
          model,
          part(ModelLayout.Q_PROJ, 256),
          part(ModelLayout.K_PROJ, 128),
          part(ModelLayout.V_PROJ, 128));
    }
  }

  /** Queries, keys and values side by side, whose rows and columns fill no panel and no slab. */
  @ParameterizedTest
  @EnumSource(QuantizedModel.class)
  void shouldKeepCodesAndScalesExactly(QuantizedModel quantized) throws IOException {
    quantized.write(Model.random(TestModels.tiny(ModelFamily.PHI3), 7, WeightType.F32), directory);
    try (Model model = Model.load(directory)) {
      assertKeepsExactly(
          model,
          part(ModelLayout.Q_PROJ, 32),
          part(ModelLayout.K_PROJ, 16),
          part(ModelLayout.V_PROJ, 16),
          part(ModelLayout.UP_PROJ, 40));
    }
  }

  private void assertKeepsExactly(Model model, PackedMatrix.Part... parts) {
    final int hidden = model.config().hiddenSize();
    final PanelMatrix matrix = PanelMatrix.read(pool, arena, model.weights(), hidden, parts);
    final int outputs = Arrays.stream(parts).mapToInt(PackedMatrix.Part::outputs).sum();
    assertThat(matrix).isInstanceOf(ScaledMatrix.class);
    assertThat(matrix.panels()).isEqualTo(Math.ceilDiv(outputs, 64));
    int output = 0;
    for (PackedMatrix.Part part : parts) {
      for (int row = 0; row < part.outputs(); row++, output++) {
        final float[] weights = new float[hidden];
        model.weights().read(part.tensor(), (long) row * hidden, weights, 0, hidden);
        assertThat(widened(matrix, output, hidden)).as("output=%d", output).isEqualTo(weights);
      }
    }
  }

  private static float[] widened(PanelMatrix matrix, int output, int inputs) {
    final float[] slab = PackedLinear.newSlab();
    final float[] row = new float[inputs];
    for (int first = 0; first < inputs; first += 5) {
      final int count = Math.min(5, inputs - first);
      matrix.widen(output / Lanes.PANEL, first, count, slab);
      for (int k = 0; k < count; k++) {
        row[first + k] = slab[k * Lanes.PANEL + output % Lanes.PANEL];
      }
    }
    return row;
  }

  private static PackedMatrix.Part part(String name, int outputs) {
    return new PackedMatrix.Part(ModelLayout.inLayer(1, name), outputs);
  }
}

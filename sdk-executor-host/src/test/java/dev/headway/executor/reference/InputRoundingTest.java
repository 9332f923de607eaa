package dev.headway.executor.reference;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.executor.model.E4m3;
import dev.headway.executor.model.InputQuantization;
import dev.headway.executor.model.Model;
import dev.headway.executor.model.ModelFamily;
import dev.headway.executor.model.ModelWeights;
import dev.headway.executor.model.QuantizedMatrix;
import dev.headway.executor.model.QuantizedModel;
import dev.headway.executor.model.TestModels;
import dev.headway.executor.model.WeightType;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class InputRoundingTest {

  /** Two tokens of three inputs. */
  private static final float[] X = {448, 17, -0.3f, 7, 0.4f, 0};

  @TempDir Path directory;

  @Test
  void shouldLeaveInputs() {
    assertThat(InputRounding.rounded(new InputQuantization.None(), X, 2, 3)).isSameAs(X);
  }

  @Test
  void shouldRoundByAFixedScaleAndSaturate() {
    assertThat(InputRounding.rounded(new InputQuantization.Static(0.5f), X, 2, 3))
        .containsExactly(224, 17 - 1, -0.3125f, 7, 0.40625f, 0);
  }

  @Test
  void shouldRoundByTheLargestOfAToken() {
    final float scale = 7 / 448f; // a power of two

    assertThat(InputRounding.rounded(new InputQuantization.PerToken(), X, 2, 3))
        .containsExactly(448, 16, -0.3125f, 7, 26 * scale, 0);
  }

  @Test
  void shouldRoundByTheLargestOfAGroup() {
    final float scale = 0.3f / 448;

    assertThat(InputRounding.rounded(new InputQuantization.PerGroup(2), X, 2, 3))
        .containsExactly(448, 16, -448 * scale, 7, 26 * (7 / 448f), 0);
  }

  @Test
  void shouldNotDivideByZero() {
    assertThat(InputRounding.rounded(new InputQuantization.PerToken(), new float[3], 1, 3))
        .containsExactly(0, 0, 0);
    assertThat(InputQuantization.scaleOf(0)).isEqualTo(1 / (E4m3.MAX * 512));
  }

  /** Inputs that are all rounded to zero leave nothing of the tokens before. */
  @Test
  void shouldRoundTheInputsOfQuantisedMatricesInOnePrecisionOnly() throws IOException {
    QuantizedModel.TENSORS_DYNAMIC.write(
        Model.random(TestModels.tiny(ModelFamily.QWEN3), 7, WeightType.F32), directory);
    try (Model model = Model.load(directory)) {
      final Model deaf = new Model(model.config(), new Deaf(model.weights()));
      final ReferenceModel quantized = new ReferenceModel(deaf, Precision.QUANTIZED);
      final ReferenceModel rounded = new ReferenceModel(deaf, Precision.BFLOAT16);

      assertThat(quantized.logits(1, 2, 5)).isEqualTo(quantized.logits(9, 8, 5));
      assertThat(rounded.logits(1, 2, 5)).isNotEqualTo(rounded.logits(9, 8, 5));
    }
  }

  private record Deaf(ModelWeights weights) implements ModelWeights {
    @Override
    public WeightType type(String tensor) {
      return weights.type(tensor);
    }

    @Override
    public void read(String tensor, long from, float[] target, int offset, int length) {
      weights.read(tensor, from, target, offset, length);
    }

    @Override
    public Optional<QuantizedMatrix> quantized(String tensor) {
      return weights.quantized(tensor).map(DeafMatrix::new);
    }

    @Override
    public void close() {}
  }

  private record DeafMatrix(QuantizedMatrix matrix) implements QuantizedMatrix {
    @Override
    public Code code() {
      return matrix.code();
    }

    @Override
    public int bits() {
      return matrix.bits();
    }

    @Override
    public int rows() {
      return matrix.rows();
    }

    @Override
    public int columns() {
      return matrix.columns();
    }

    @Override
    public int groups() {
      return matrix.groups();
    }

    @Override
    public int group(int column) {
      return matrix.group(column);
    }

    @Override
    public float scale(int row, int group) {
      return matrix.scale(row, group);
    }

    @Override
    public InputQuantization inputs() {
      return new InputQuantization.Static(1e9f);
    }

    @Override
    public void readCodes(long from, MemorySegment target, long length) {
      matrix.readCodes(from, target, length);
    }
  }
}

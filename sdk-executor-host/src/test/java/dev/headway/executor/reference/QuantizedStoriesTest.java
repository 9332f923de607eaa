package dev.headway.executor.reference;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.executor.model.Model;
import dev.headway.executor.model.QuantizedModel;
import dev.headway.executor.model.TestModels;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A trained model, quantised: what it says of texts is within the error of the format. */
class QuantizedStoriesTest {

  private static final Path STORIES = TestModels.stories260K();
  private static final List<Golden> TEXTS = Golden.read(STORIES);

  @TempDir Path directory;

  /** The stories' matrices have 172 rows or columns. */
  static Stream<QuantizedModel> fitting() {
    return Stream.of(QuantizedModel.values()).filter(QuantizedModel::fitsAnySize);
  }

  @ParameterizedTest
  @MethodSource("fitting")
  void shouldKeepWhatTheModelKnows(QuantizedModel quantized) throws IOException {
    try (Model stories = Model.load(STORIES)) {
      quantized.write(stories, directory);
      try (Model model = Model.load(directory)) {
        final double exact = perplexity(stories, Precision.FLOAT32);
        final double weights = perplexity(model, Precision.FLOAT32);
        final double inputs = perplexity(model, Precision.QUANTIZED);
        final double error = error(stories, model);
        final boolean four = quantized.isOfFourBits();
        assertThat(weights / exact).as("perplexity, weights").isBetween(0.98, four ? 1.15 : 1.02);
        assertThat(inputs / exact).as("perplexity, inputs too").isBetween(0.97, four ? 1.15 : 1.03);
        assertThat(error).as("relative error of logits").isBetween(1e-3, four ? 0.3 : 0.08);
      }
    }
  }

  /** Of what the model itself writes, each token after all before it. */
  private static double perplexity(Model model, Precision precision) {
    final ReferenceModel reference = new ReferenceModel(model, precision);
    double sum = 0;
    int count = 0;
    for (Golden text : TEXTS) {
      final int[] tokens = text.greedyIds();
      final Rows rows = new Rows();
      rows.add(tokens, 0, IntStream.range(0, tokens.length).toArray());
      reference.forward(rows, new PagedKv(model.config(), 1, tokens.length, 0));
      for (int next = text.promptIds().length; next < tokens.length; next++) {
        sum -= logProbability(reference, next - 1, tokens[next]);
        count++;
      }
    }
    return Math.exp(sum / count);
  }

  private static double logProbability(ReferenceModel model, int row, int token) {
    final float[] logits = new float[model.config().vocabularySize()];
    model.logits(row, logits);
    double total = 0;
    for (float logit : logits) {
      total += Math.exp(logit);
    }
    return logits[token] - Math.log(total);
  }

  private static double error(Model exact, Model quantized) {
    final ReferenceModel expected = new ReferenceModel(exact, Precision.FLOAT32);
    final ReferenceModel actual = new ReferenceModel(quantized, Precision.FLOAT32);
    double error = 0;
    double norm = 0;
    for (Golden text : TEXTS) {
      final float[] a = expected.logits(text.promptIds());
      final float[] b = actual.logits(text.promptIds());
      for (int i = 0; i < a.length; i++) {
        error += Math.pow(a[i] - b[i], 2);
        norm += Math.pow(a[i], 2);
      }
    }
    return Math.sqrt(error / norm);
  }
}

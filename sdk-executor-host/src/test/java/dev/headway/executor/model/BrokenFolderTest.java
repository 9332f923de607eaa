package dev.headway.executor.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Whatever the bytes of a folder are, it loads or is refused by one exception. */
class BrokenFolderTest {

  private static final int CASES = 1_000;
  private static final String LETTERS = "0123456789{}[]\",:.-eE \u0000\u00ff";

  @TempDir Path directory;

  @Test
  void shouldLoadOrRefuseWhateverTheBytes() throws IOException {
    ModelWriter.write(Model.random(TestModels.tiny(ModelFamily.QWEN3), 1), directory);

    assertLoadsOrRefuses(CASES);
  }

  @ParameterizedTest
  @EnumSource(QuantizedModel.class)
  void shouldLoadOrRefuseAQuantisedModelWhateverTheBytes(QuantizedModel quantized)
      throws IOException {
    quantized.write(Model.random(TestModels.tiny(ModelFamily.QWEN3), 1), directory);

    assertLoadsOrRefuses(CASES / 10);
  }

  private void assertLoadsOrRefuses(int cases) throws IOException {
    final long seed = System.nanoTime();
    final Random random = new Random(seed);
    final Path config = directory.resolve("config.json");
    final Path weights = directory.resolve("model.safetensors");
    final byte[] rightConfig = Files.readAllBytes(config);
    final byte[] rightWeights = Files.readAllBytes(weights);
    int refused = 0;
    for (int i = 0; i < cases; i++) {
      final boolean spoilConfig = random.nextBoolean();
      Files.write(
          config, spoilConfig ? spoilt(rightConfig, rightConfig.length, random) : rightConfig);
      Files.write(weights, spoilConfig ? rightWeights : spoilt(rightWeights, 3_000, random));
      try {
        Model.load(directory).close();
      } catch (ModelFormatException e) {
        refused++;
        assertThat(e.file()).isIn(config, weights);
      } catch (RuntimeException | Error e) {
        throw new AssertionError("seed=" + seed + ", case=" + i, e);
      }
    }
    assertThat(refused).as("refused, seed=%d", seed).isBetween(cases / 10, cases);
  }

  /** Some of the first bytes changed, or, now and then, some left out. */
  private static byte[] spoilt(byte[] right, int within, Random random) {
    final byte[] bytes = right.clone();
    for (int changes = 1 + random.nextInt(3); changes > 0; changes--) {
      bytes[random.nextInt(within)] = (byte) LETTERS.charAt(random.nextInt(LETTERS.length()));
    }
    if (random.nextInt(4) > 0) {
      return bytes;
    }
    final int from = random.nextInt(within);
    final int to = Math.min(within, from + 1 + random.nextInt(20));
    final byte[] shorter = Arrays.copyOf(bytes, bytes.length - (to - from));
    System.arraycopy(bytes, to, shorter, from, bytes.length - to);
    return shorter;
  }
}

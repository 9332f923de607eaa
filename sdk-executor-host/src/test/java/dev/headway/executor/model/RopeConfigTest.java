package dev.headway.executor.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * Frequencies that transformers 5 made: what {@code modeling_rope_utils.py} computes on torch for
 * these parameters, a few pairs of each and the sum of all.
 */
class RopeConfigTest {

  /** Two roundings of a float. */
  private static final double RELATIVE_ERROR = 2.4e-7;

  @Test
  void shouldStretchAsYarn() {
    assertFrequencies(
        new RopeConfig(1e6, new RopeScaling.Yarn(4, 1.138629436111989, 32, 1, true, 32_768)),
        128,
        Map.of(
            0, 1f,
            9, 0.14330126f,
            18, 0.020535251f,
            27, 0.0024234224f,
            36, 0.00017984115f,
            45, 1.5107409e-05f,
            54, 2.164911e-06f,
            63, 3.1023444e-07f),
        5.1440348281193735);
  }

  @Test
  void shouldNotRoundTheRampOfYarnThatIsNotTruncated() {
    assertFrequencies(
        new RopeConfig(150_000, new RopeScaling.Yarn(32, 1, 32, 1, false, 4_096)),
        64,
        Map.of(
            0, 1f,
            4, 0.225418f,
            9, 0.031705696f,
            13, 0.003860359f,
            18, 3.830881e-05f,
            22, 8.635496e-06f,
            27, 1.341291e-06f,
            31, 3.0235114e-07f),
        3.1804382558129305);
  }

  @Test
  void shouldKeepToTheLimitsOfYarn() {
    assertFrequencies(
        new RopeConfig(10_000, new RopeScaling.Yarn(40, 1, 16, 2, true, 4_096)),
        64,
        Map.of(
            0, 1f,
            4, 0.31622776f,
            9, 0.074989416f,
            13, 0.021144748f,
            18, 0.0019681945f,
            22, 4.4456985e-05f,
            27, 1.0542412e-05f,
            31, 3.3338035e-06f),
        3.960308759981899);
  }

  /** Both ends of the ramp are 0. */
  @Test
  void shouldMakeAStepOfARampWithoutLength() {
    assertFrequencies(
        new RopeConfig(10_000, new RopeScaling.Yarn(8, 1, 32, 1, true, 4)),
        8,
        Map.of(0, 1f, 1, 0.0125f, 2, 0.00125f, 3, 0.000125f),
        1.013875000164262);
  }

  @Test
  void shouldHaveTheMagnitudeOfYarn() {
    final RopeScaling yarn = new RopeScaling.Yarn(4, 1.138629436111989, 32, 1, true, 32_768);

    assertThat(new RopeConfig(1e6, yarn).magnitude()).isEqualTo(1.1386294f);
    assertThat(new RopeConfig(1e6, new RopeScaling.None()).magnitude()).isEqualTo(1);
  }

  /** Phi-4-mini, of whose heads three quarters are turned. */
  @Test
  void shouldTakeTheFactorsOfLongRopeThatAreMadeForTheLongestContext() {
    final ModelConfig config =
        Model.readConfig(TestModels.resource("/model-configs/phi-4-mini-instruct"));
    final RopeConfig rope = config.rope();

    assertThat(rope.magnitude()).isEqualTo((float) 1.1902380714238083);
    assertFrequencies(
        rope,
        128,
        4_096,
        Map.of(
            0, 1f,
            7, 0.2610157f,
            13, 0.082540415f,
            20, 0.02154435f,
            27, 0.0056234132f,
            34, 0.0014677995f,
            40, 0.00046415895f,
            47, 0.00012115275f),
        5.726941345950763);
    final Map<Integer, Float> stretched =
        Map.of(
            0, 1f,
            7, 0.119316965f,
            13, 0.019288749f,
            20, 0.0023014753f,
            27, 0.00027460503f,
            34, 4.554141e-05f,
            40, 1.4190125e-05f,
            47, 2.536168e-06f);
    assertFrequencies(rope, 128, 4_097, stretched, 3.8180126785437096);
    assertThat(config.inverseFrequencies()).isEqualTo(rope.inverseFrequencies(128, 131_072));
    assertThat(config.withMaxPositions(4_096).inverseFrequencies())
        .isEqualTo(rope.inverseFrequencies(128, 4_096));
  }

  private static void assertFrequencies(
      RopeConfig rope, int headDim, Map<Integer, Float> expected, double sum) {
    assertFrequencies(rope, headDim, 1 << 20, expected, sum);
  }

  private static void assertFrequencies(
      RopeConfig rope, int headDim, int maxPositions, Map<Integer, Float> expected, double sum) {
    final float[] frequencies = rope.inverseFrequencies(headDim, maxPositions);

    assertThat(frequencies).hasSize(rope.rotaryDim(headDim) / 2);
    double actualSum = 0;
    for (float frequency : frequencies) {
      actualSum += frequency;
    }
    assertThat(actualSum).isCloseTo(sum, within(RELATIVE_ERROR * sum));
    expected.forEach(
        (pair, frequency) ->
            assertThat((double) frequencies[pair])
                .as("pair %d", pair)
                .isCloseTo(frequency, within(RELATIVE_ERROR * frequency)));
  }
}

package dev.headway.executor.model;

import dev.headway.executor.model.ExpertRouting.Scoring;
import java.util.Arrays;
import java.util.List;

/** Every family once, and what a config.json can add to one: the sizes of {@link TestModels}. */
public enum TinyModel {
  /** {@link ModelFamily#LLAMA}. */
  LLAMA(TestModels.tiny(ModelFamily.LLAMA)),
  /** {@link ModelFamily#MISTRAL}. */
  MISTRAL(TestModels.tiny(ModelFamily.MISTRAL)),
  /** {@link ModelFamily#QWEN2}. */
  QWEN2(TestModels.tiny(ModelFamily.QWEN2)),
  /** {@link ModelFamily#QWEN3}. */
  QWEN3(TestModels.tiny(ModelFamily.QWEN3)),
  /** {@code attention_bias} and {@code mlp_bias}. */
  LLAMA_WITH_BIASES(
      with(TestModels.tiny(ModelFamily.LLAMA), new ProjectionBiases(true, true, true))),
  /** {@code attention_bias}. */
  QWEN3_WITH_BIASES(
      with(TestModels.tiny(ModelFamily.QWEN3), new ProjectionBiases(true, true, false))),
  /** A quarter of whose context is that of the training. */
  QWEN2_WITH_YARN(
      TestModels.withRope(
          TestModels.tiny(ModelFamily.QWEN2),
          new RopeConfig(10_000, new RopeScaling.Yarn(4, 1.25, 32, 1, true, 64)))),
  /** {@link ModelFamily#PHI3}. */
  PHI3(TestModels.tiny(ModelFamily.PHI3)),
  /** {@link ModelFamily#MISTRAL3}. */
  MISTRAL3(TestModels.tiny(ModelFamily.MISTRAL3)),
  /** {@link ModelFamily#MIXTRAL}. */
  MIXTRAL(TestModels.tiny(ModelFamily.MIXTRAL)),
  /** {@link ModelFamily#QWEN3_MOE}. */
  QWEN3_MOE(TestModels.tiny(ModelFamily.QWEN3_MOE)),
  /** {@link ModelFamily#GLM4_MOE}: groups, a shared expert, a dense layer. */
  GLM4_MOE(TestModels.tiny(ModelFamily.GLM4_MOE)),
  /** Weights as they are, a dense layer in the middle, biases. */
  QWEN3_MOE_NOT_RENORMALISED(
      TestModels.tiny(ModelFamily.QWEN3_MOE).toBuilder()
          .experts(new ExpertsShape(6, 4, 24, TestModels.softmax(false), 0, List.of(1)))
          .biases(new ProjectionBiases(true, true, false))
          .build()),
  /** One group, two shared experts, biases, head norms. */
  GLM4_MOE_WITH_HEAD_NORMS(
      TestModels.tiny(ModelFamily.GLM4_MOE).toBuilder()
          .experts(
              new ExpertsShape(
                  8, 2, 16, new ExpertRouting(Scoring.SIGMOID, false), 2, List.of(0, 1)))
          .biases(new ProjectionBiases(true, false, false))
          .qkNorm(true)
          .build()),
  /** Six of eight elements of a head are turned, by the factors of long contexts. */
  PHI3_WITH_LONGROPE(
      TestModels.withRope(
          TestModels.tiny(ModelFamily.PHI3),
          new RopeConfig(
              10_000,
              new RopeScaling.LongRope(List.of(1., 1., 1.25), List.of(1., 4., 9.5), 1.5, 64),
              0.75))),
  /** All of whose layers have a window: one group. */
  MISTRAL_WITH_WINDOW(withWindows(ModelFamily.MISTRAL, 8, 8, 8)),
  /** As {@link #MISTRAL_WITH_WINDOW}. */
  PHI3_WITH_WINDOW(withWindows(ModelFamily.PHI3, 6, 6, 6)),
  /** Experts behind a window, of two layers. */
  MIXTRAL_WITH_WINDOW(withWindows(ModelFamily.MIXTRAL, 6, 6)),
  /** The first layer has none, as {@code max_window_layers} asks: three groups of a layer. */
  QWEN2_WITH_WINDOWS(withWindows(ModelFamily.QWEN2, 0, 4, 4)),
  /** Three groups of two layers, of which one has a place that is not used. */
  QWEN3_WITH_WINDOWS(withWindows(ModelFamily.QWEN3, 8, 8, 0, 8, 0)),
  /** Windows in two layers of three, whose rotary embedding is another; logits within 5. */
  GEMMA3_WITH_WINDOWS(gemma(ModelFamily.GEMMA3).toBuilder().logitSoftCap(5).build()),
  /** {@link ModelFamily#GEMMA3_VISION}. */
  GEMMA3_VISION_WITH_WINDOWS(gemma(ModelFamily.GEMMA3_VISION)),
  /** Sinks, experts with biases; windows in every other layer, one rotary embedding for all. */
  GPT_OSS_WITH_WINDOWS(
      withWindows(ModelFamily.GPT_OSS, 4, 0, 4).toBuilder()
          .rope(new RopeConfig(150_000, new RopeScaling.Yarn(4, 1.25, 32, 1, false, 64)))
          .build());

  private final ModelConfig config;

  TinyModel(ModelConfig config) {
    this.config = config;
  }

  static ModelConfig with(ModelConfig config, ProjectionBiases biases) {
    return config.toBuilder().biases(biases).build();
  }

  private static ModelConfig gemma(ModelFamily family) {
    return withWindows(family, 4, 4, 0).toBuilder()
        .rope(new RopeConfig(1_000_000, new RopeScaling.Linear(8)))
        .localRope(new RopeConfig(10_000, new RopeScaling.None()))
        .queryScalar(24)
        .outputHead(OutputHead.TIED)
        .build();
  }

  private static ModelConfig withWindows(ModelFamily family, Integer... windows) {
    return TestModels.tiny(family).toBuilder()
        .layers(windows.length)
        .windows(new LayerWindows(List.of(windows)))
        .build();
  }

  /** One after the other, or one of those that may have a host tier: without windows. */
  public static TinyModel of(long seed, boolean withHostTier) {
    final List<TinyModel> models =
        Arrays.stream(values())
            .filter(tiny -> !withHostTier || KvLayers.of(tiny.config).areFull())
            .toList();
    return models.get((int) Math.floorMod(seed, (long) models.size()));
  }

  /** The shape. */
  public ModelConfig config() {
    return config;
  }
}

package dev.headway.executor.model;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import tools.jackson.databind.JsonNode;

/**
 * The rotary embedding in config.json: {@code rope_theta} beside {@code rope_scaling} as written by
 * transformers 4, or both in {@code rope_parameters} as written by transformers 5.
 */
final class RopeReader {

  private static final double DEFAULT_THETA = 10_000;
  private static final double MIXTRAL_DEFAULT_THETA = 1_000_000;
  private static final double GLM4_DEFAULT_PARTIAL = 0.5;
  private static final double GEMMA_DEFAULT_THETA = 1_000_000;
  private static final double GPT_OSS_DEFAULT_THETA = 150_000;
  private static final double DEFAULT_BETA_FAST = 32;
  private static final double DEFAULT_BETA_SLOW = 1;
  private static final int PHI3_DEFAULT_ORIGINAL = 4_096;
  private static final String ORIGINAL = "original_max_position_embeddings";
  private static final String PARTIAL = "partial_rotary_factor";
  private static final Set<String> YARN_FIELDS =
      scaling("mscale", "mscale_all_dim", "beta_fast", "beta_slow", "truncate");
  private static final Set<String> LONGROPE_FIELDS = scaling("short_factor", "long_factor");

  private final Path file;
  private final JsonFile json;
  private final ModelFamily family;

  private RopeReader(Path file, JsonFile json, ModelFamily family) {
    this.file = file;
    this.json = json;
    this.family = family;
  }

  /** The fields of a scaling: those that it has in common with others, and its own. */
  private static Set<String> scaling(String... own) {
    final Set<String> fields = new HashSet<>(Arrays.asList(own));
    Collections.addAll(
        fields, "rope_type", "type", "rope_theta", PARTIAL, "factor", ORIGINAL, "attention_factor");
    return Set.copyOf(fields);
  }

  static RopeConfig read(Path file, JsonFile json, ModelFamily family) {
    return new RopeReader(file, json, family).read();
  }

  /**
   * The rotary embedding of layers with a window: Gemma 3's has a base of its own, {@code
   * rope_local_base_freq} as written by transformers 4, {@code rope_parameters.sliding_attention}
   * by 5, and no scaling in 4.
   */
  static RopeConfig readLocal(Path file, JsonFile json, ModelFamily family, RopeConfig others) {
    return family.isGemma() ? new RopeReader(file, json, family).readLocal() : others;
  }

  private RopeConfig readLocal() {
    final double theta = json.optionalDouble("rope_local_base_freq", DEFAULT_THETA);
    if (json.has("rope_parameters") && json.object("rope_parameters").has("sliding_attention")) {
      final JsonFile parameters = json.object("rope_parameters").object("sliding_attention");
      return new RopeConfig(
          parameters.optionalDouble("rope_theta", theta),
          scaling(parameters),
          partialFactor(parameters));
    }
    return new RopeConfig(theta, new RopeScaling.None());
  }

  private RopeConfig read() {
    if (!json.has("rope_parameters")) {
      if (family == ModelFamily.GPT_OSS && !json.has("rope_scaling")) { // the class would stretch
        throw new ModelFormatException(
            file, "rope_scaling must be given in " + family.architecture());
      }
      final RopeScaling scaling =
          json.has("rope_scaling") ? scaling(json.object("rope_scaling")) : new RopeScaling.None();
      return new RopeConfig(
          json.optionalDouble("rope_theta", usualTheta()), scaling, partialFactor(json));
    }
    final JsonFile given = json.object("rope_parameters");
    final JsonFile parameters =
        family.isGemma() && given.has("full_attention") ? given.object("full_attention") : given;
    for (JsonNode value : parameters.root()) {
      if (value.isObject()) {
        throw new ModelFormatException(
            file, "rope_parameters must be the same for all layers: rope_parameters has " + value);
      }
    }
    final double theta =
        parameters.optionalDouble("rope_theta", json.optionalDouble("rope_theta", usualTheta()));
    return new RopeConfig(theta, scaling(parameters), partialFactor(parameters));
  }

  private double usualTheta() {
    return switch (family) {
      case MIXTRAL -> MIXTRAL_DEFAULT_THETA;
      case GEMMA3, GEMMA3_VISION -> GEMMA_DEFAULT_THETA;
      case GPT_OSS -> GPT_OSS_DEFAULT_THETA;
      case LLAMA, MISTRAL, QWEN2, QWEN3, PHI3, MISTRAL3, QWEN3_MOE, GLM4_MOE -> DEFAULT_THETA;
    };
  }

  private double partialFactor(JsonFile rope) {
    final double usual = family == ModelFamily.GLM4_MOE ? GLM4_DEFAULT_PARTIAL : 1;
    final double factor = rope.optionalDouble(PARTIAL, json.optionalDouble(PARTIAL, usual));
    if (factor != 1 && family != ModelFamily.PHI3 && family != ModelFamily.GLM4_MOE) {
      throw new ModelFormatException(
          file, PARTIAL + " must be 1 in " + family.architecture() + ": " + PARTIAL + "=" + factor);
    }
    return factor;
  }

  private RopeScaling scaling(JsonFile rope) {
    final String type = rope.optionalString("rope_type", rope.optionalString("type", "default"));
    if (family == ModelFamily.PHI3) {
      return switch (type) {
        case "default" -> new RopeScaling.None();
        case "longrope", "su", "yarn" -> longRope(rope); // its former names
        default ->
            throw new ModelFormatException(
                file,
                "rope_type must be default or longrope in "
                    + family.architecture()
                    + ": rope_type="
                    + type);
      };
    }
    return switch (type) {
      case "default" -> new RopeScaling.None();
      case "linear" -> new RopeScaling.Linear(rope.requiredDouble("factor"));
      case "llama3" ->
          new RopeScaling.Llama3(
              rope.requiredDouble("factor"),
              rope.requiredDouble("low_freq_factor"),
              rope.requiredDouble("high_freq_factor"),
              rope.requiredInt(ORIGINAL));
      case "yarn" -> yarn(rope);
      case "longrope" -> longRope(rope);
      default ->
          throw new ModelFormatException(
              file,
              "rope_type must be default, linear, llama3, yarn or longrope: rope_type=" + type);
    };
  }

  private RopeScaling longRope(JsonFile rope) {
    refuseOthers(rope, "longrope", LONGROPE_FIELDS);
    final int original = original(rope);
    final double usual =
        RopeScaling.LongRope.usualAttentionFactor(factor(rope, original), original);
    return new RopeScaling.LongRope(
        rope.requiredDoubles("short_factor"),
        rope.requiredDoubles("long_factor"),
        rope.optionalDouble("attention_factor", usual),
        original);
  }

  private RopeScaling yarn(JsonFile rope) {
    refuseOthers(rope, "yarn", YARN_FIELDS);
    final int original = original(rope);
    final double factor = factor(rope, original);
    final double mscale = rope.optionalDouble("mscale", 0);
    final double mscaleOfAll = rope.optionalDouble("mscale_all_dim", 0);
    final double usual =
        mscale != 0 && mscaleOfAll != 0
            ? attentionFactor(factor, mscale) / attentionFactor(factor, mscaleOfAll)
            : attentionFactor(factor, 1);
    return new RopeScaling.Yarn(
        factor,
        rope.optionalDouble("attention_factor", usual),
        rope.optionalDouble("beta_fast", DEFAULT_BETA_FAST),
        rope.optionalDouble("beta_slow", DEFAULT_BETA_SLOW),
        rope.optionalBoolean("truncate", true),
        original);
  }

  private static double attentionFactor(double factor, double mscale) {
    return factor <= 1 ? 1 : 0.1 * mscale * Math.log(factor) + 1;
  }

  /** Beside the scaling it goes before the one inside, as in transformers. */
  private int original(JsonFile rope) {
    final int usual =
        family == ModelFamily.PHI3
            ? PHI3_DEFAULT_ORIGINAL
            : json.requiredInt("max_position_embeddings");
    return json.optionalInt(ORIGINAL, rope.optionalInt(ORIGINAL, usual));
  }

  /** The given factor, which need not be that of the contexts, or else that. */
  private double factor(JsonFile rope, int original) {
    final boolean isKnown = json.has(ORIGINAL) || rope.has(ORIGINAL) || family == ModelFamily.PHI3;
    if (!rope.has("factor") && !isKnown) {
      return rope.requiredDouble("factor"); // which refuses
    }
    return rope.optionalDouble(
        "factor", (double) json.requiredInt("max_position_embeddings") / original);
  }

  private void refuseOthers(JsonFile rope, String type, Set<String> known) {
    for (Map.Entry<String, JsonNode> field : rope.root().properties()) {
      if (!known.contains(field.getKey()) && !field.getValue().isNull()) {
        throw new ModelFormatException(
            file,
            field.getKey()
                + " is not supported with rope_type "
                + type
                + ": "
                + field.getKey()
                + "="
                + field.getValue());
      }
    }
  }
}

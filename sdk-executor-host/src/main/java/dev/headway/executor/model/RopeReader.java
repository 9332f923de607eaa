package dev.headway.executor.model;

import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import tools.jackson.databind.JsonNode;

/**
 * The rotary embedding in config.json: {@code rope_theta} beside {@code rope_scaling} as written by
 * transformers 4, or both in {@code rope_parameters} as written by transformers 5.
 */
final class RopeReader {

  private static final double DEFAULT_THETA = 10_000;
  private static final double DEFAULT_BETA_FAST = 32;
  private static final double DEFAULT_BETA_SLOW = 1;
  private static final String ORIGINAL = "original_max_position_embeddings";
  private static final Set<String> YARN_FIELDS =
      Set.of(
          "rope_type",
          "type",
          "rope_theta",
          "factor",
          ORIGINAL,
          "attention_factor",
          "mscale",
          "mscale_all_dim",
          "beta_fast",
          "beta_slow",
          "truncate");

  private final Path file;
  private final JsonFile json;

  private RopeReader(Path file, JsonFile json) {
    this.file = file;
    this.json = json;
  }

  static RopeConfig read(Path file, JsonFile json) {
    return new RopeReader(file, json).read();
  }

  private RopeConfig read() {
    if (!json.has("rope_parameters")) {
      final RopeScaling scaling =
          json.has("rope_scaling") ? scaling(json.object("rope_scaling")) : new RopeScaling.None();
      return new RopeConfig(json.optionalDouble("rope_theta", DEFAULT_THETA), scaling);
    }
    final JsonFile parameters = json.object("rope_parameters");
    for (JsonNode value : parameters.root()) {
      if (value.isObject()) {
        throw new ModelFormatException(
            file, "rope_parameters must be the same for all layers: rope_parameters has " + value);
      }
    }
    final double theta =
        parameters.optionalDouble("rope_theta", json.optionalDouble("rope_theta", DEFAULT_THETA));
    return new RopeConfig(theta, scaling(parameters));
  }

  private RopeScaling scaling(JsonFile rope) {
    final String type = rope.optionalString("rope_type", rope.optionalString("type", "default"));
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
      default ->
          throw new ModelFormatException(
              file, "rope_type must be default, linear, llama3 or yarn: rope_type=" + type);
    };
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
    return json.has(ORIGINAL)
        ? json.requiredInt(ORIGINAL)
        : rope.optionalInt(ORIGINAL, json.requiredInt("max_position_embeddings"));
  }

  /** The given factor, which need not be that of the contexts, or else that. */
  private double factor(JsonFile rope, int original) {
    if (!rope.has("factor") && !json.has(ORIGINAL) && !rope.has(ORIGINAL)) {
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

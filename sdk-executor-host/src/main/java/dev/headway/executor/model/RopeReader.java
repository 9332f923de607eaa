package dev.headway.executor.model;

import java.nio.file.Path;
import tools.jackson.databind.JsonNode;

/**
 * The rotary embedding in config.json: {@code rope_theta} beside {@code rope_scaling} as written by
 * transformers 4, or both in {@code rope_parameters} as written by transformers 5.
 */
final class RopeReader {

  private static final double DEFAULT_THETA = 10_000;

  private RopeReader() {}

  static RopeConfig read(Path file, JsonFile json) {
    if (!json.has("rope_parameters")) {
      final RopeScaling scaling =
          json.has("rope_scaling")
              ? scaling(file, json.object("rope_scaling"))
              : new RopeScaling.None();
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
    return new RopeConfig(theta, scaling(file, parameters));
  }

  private static RopeScaling scaling(Path file, JsonFile json) {
    final String type = json.optionalString("rope_type", json.optionalString("type", "default"));
    return switch (type) {
      case "default" -> new RopeScaling.None();
      case "linear" -> new RopeScaling.Linear(json.requiredDouble("factor"));
      case "llama3" ->
          new RopeScaling.Llama3(
              json.requiredDouble("factor"),
              json.requiredDouble("low_freq_factor"),
              json.requiredDouble("high_freq_factor"),
              json.requiredInt("original_max_position_embeddings"));
      default ->
          throw new ModelFormatException(
              file, "rope_type must be default, linear or llama3: rope_type=" + type);
    };
  }
}

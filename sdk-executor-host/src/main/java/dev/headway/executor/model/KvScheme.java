package dev.headway.executor.model;

import java.util.Set;
import tools.jackson.databind.JsonNode;

/**
 * How a checkpoint wants keys and values to be kept, {@code kv_cache_scheme} of its {@code
 * quantization_config}.
 *
 * <p>Source: {@code validate_kv_cache_scheme} in vLLM's {@code compressed_tensors.py}, and {@code
 * QuantizationArgs} of compressed-tensors, whose defaults these are.
 *
 * @param isAskedFor whether it wants them in eight bits
 * @param refusal why that cannot be, in words; empty if it can
 */
record KvScheme(boolean isAskedFor, String refusal) {

  /** Nothing is said of keys and values. */
  static final KvScheme NONE = new KvScheme(false, "");

  private static final String FIELD = "kv_cache_scheme";

  /** What decides; all else says how scales were found. */
  private static final Set<String> KNOWN =
      Set.of(
          "num_bits",
          "type",
          "strategy",
          "dynamic",
          "symmetric",
          "group_size",
          "block_structure",
          "actorder",
          "observer",
          "observer_kwargs",
          "scale_dtype",
          "zp_dtype");

  /**
   * Reads the field. A scheme that no executor has is no reason to refuse the model, whose keys and
   * values can be kept in bf16.
   *
   * @throws ModelFormatException if it has a field that is not known
   */
  static KvScheme read(JsonFile json) {
    if (!json.has(FIELD)) {
      return NONE;
    }
    final JsonFile scheme = json.object(FIELD);
    scheme.requireOnly(KNOWN);
    final JsonNode root = scheme.root();
    final boolean isKept =
        scheme.optionalInt("num_bits", 8) == 8
            && scheme.optionalString("type", "int").equals("float")
            && scheme.optionalString("strategy", "tensor").equals("tensor")
            && scheme.optionalBoolean("symmetric", true)
            && root.path("dynamic").asString("false").equals("false");
    return new KvScheme(
        true,
        isKept
            ? ""
            : "kv_cache_scheme must be of eight-bit floats with one scale for the keys of a layer"
                + " and one for its values (num_bits 8, type float, strategy tensor, symmetric, not"
                + " dynamic): kv_cache_scheme="
                + root);
  }
}

package dev.headway.executor.model;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Folders of models whose keys and values are too large, or too small, for eight bits alone. */
public final class EightBitKvFolder {

  /** {@code quantization_config} of LLM Compressor where keys and values alone are quantised. */
  public static final String ASKS_FOR_IT =
      """
      {"quant_method": "compressed-tensors", "format": "dense", "quantization_status": "frozen",
       "config_groups": {}, "ignore": [], "kv_cache_scheme": {"num_bits": 8, "type": "float",
         "strategy": "tensor", "dynamic": false, "symmetric": true, "observer": "minmax",
         "observer_kwargs": {}, "actorder": null, "group_size": null, "block_structure": null}}
      """;

  /** One that does not ask for eight-bit keys and values, of a checkpoint that may have scales. */
  public static final String ASKS_FOR_NOTHING =
      """
      {"quant_method": "fp8", "activation_scheme": "dynamic"}
      """;

  private static final JsonMapper MAPPER = new JsonMapper();
  private static final String SCALES = "scales.safetensors";

  private EightBitKvFolder() {}

  /**
   * The same model, in which keys of a layer are so many times as large and its queries as small,
   * and values likewise, which the output projection makes good. Without norms of queries and keys.
   *
   * @param factors powers of two, so that no weight is rounded; by layer, again and again
   */
  public static Model scaled(Model model, KvScale... factors) {
    return new Model(model.config(), new ScaledWeights(model.weights(), List.of(factors)));
  }

  private record ScaledWeights(ModelWeights weights, List<KvScale> factors)
      implements ModelWeights {

    @Override
    public WeightType type(String tensor) {
      return weights.type(tensor);
    }

    @Override
    public void read(String tensor, long from, float[] target, int offset, int length) {
      weights.read(tensor, from, target, offset, length);
      final float factor = factor(tensor);
      for (int i = offset; i < offset + length; i++) {
        target[i] *= factor;
      }
    }

    private float factor(String tensor) {
      if (!tensor.contains(".self_attn.")) {
        return 1;
      }
      final int layer = Integer.parseInt(tensor.split("\\.")[2]);
      final KvScale of = factors.get(layer % factors.size());
      return switch (tensor.split("\\.")[4]) {
        case "q_proj" -> 1 / of.keys();
        case "k_proj" -> of.keys();
        case "v_proj" -> of.values();
        case "o_proj" -> tensor.endsWith(".weight") ? 1 / of.values() : 1;
        default -> throw new IllegalArgumentException("norms undo it: " + tensor);
      };
    }

    @Override
    public void close() {
      weights.close();
    }
  }

  /**
   * Writes a model and scales beside it, in a file of their own.
   *
   * @param config its {@code quantization_config}
   * @param scales numbers by the names of their tensors
   */
  public static void write(Model model, Path directory, String config, Map<String, float[]> scales)
      throws IOException {
    final SafetensorsBytes file = new SafetensorsBytes();
    scales.forEach(
        (name, numbers) ->
            file.addFloats(
                name,
                WeightType.F32,
                numbers.length == 1 ? List.of() : List.of(numbers.length),
                numbers));
    write(model, directory, config, file, List.copyOf(scales.keySet()));
  }

  /** As {@link #write(Model, Path, String, Map)}, of a file that has tensors of these names. */
  static void write(
      Model model, Path directory, String config, SafetensorsBytes scales, List<String> names)
      throws IOException {
    ModelWriter.write(model, directory);
    final Path json = directory.resolve("config.json");
    final ObjectNode whole = (ObjectNode) MAPPER.readTree(Files.readString(json));
    whole.set("quantization_config", MAPPER.readTree(config));
    Files.writeString(json, whole.toString());
    scales.write(directory.resolve(SCALES));
    final Map<String, String> places = new LinkedHashMap<>();
    FileTensor.of(model.config()).forEach(each -> places.put(each.name(), "model.safetensors"));
    names.forEach(name -> places.put(name, SCALES));
    Files.writeString(
        directory.resolve("model.safetensors.index.json"),
        MAPPER.writeValueAsString(Map.of("weight_map", places)));
  }

  /** Scales of all layers by the names that LLM Compressor gives them. */
  public static Map<String, float[]> named(List<KvScale> scales) {
    final Map<String, float[]> named = new LinkedHashMap<>();
    for (int layer = 0; layer < scales.size(); layer++) {
      final String module = "model.layers." + layer + ".self_attn.";
      named.put(module + "k_scale", new float[] {scales.get(layer).keys()});
      named.put(module + "v_scale", new float[] {scales.get(layer).values()});
    }
    return named;
  }
}

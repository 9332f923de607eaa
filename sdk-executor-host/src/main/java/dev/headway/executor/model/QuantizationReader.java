package dev.headway.executor.model;

import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.BooleanNode;
import tools.jackson.databind.node.StringNode;

/**
 * Reads {@code quantization_config} of {@code config.json}. What is not known to it is refused by
 * name: a field that is left out could be what the weights mean.
 */
final class QuantizationReader {

  private static final String CONFIG = "quantization_config";

  private QuantizationReader() {}

  /**
   * Reads a model folder's config.json.
   *
   * @throws ModelFormatException if its quantisation is not supported
   */
  static WeightQuantization read(Path directory) {
    final JsonFile whole = JsonFile.read(directory.resolve("config.json"));
    final boolean isNested = whole.has("text_config") && whole.object("text_config").has(CONFIG);
    if (isNested && whole.has(CONFIG)) {
      throw whole.wrong(CONFIG, "given once, here or in text_config", whole.root().path(CONFIG));
    }
    final JsonFile holder = isNested ? whole.object("text_config") : whole;
    return holder.has(CONFIG) ? read(holder.object(CONFIG)) : WeightQuantization.NONE;
  }

  private static WeightQuantization read(JsonFile json) {
    final String method = json.requiredString("quant_method");
    return switch (method) {
      case "fp8" -> fp8(json);
      case "compressed-tensors" -> CompressedTensorsReader.read(json);
      case "awq" -> IntegerReader.awq(json);
      case "gptq" -> IntegerReader.gptq(json);
      case "mxfp4" -> mxfp4(json);
      default ->
          throw json.wrong(
              "quant_method",
              "fp8, compressed-tensors, awq, gptq or mxfp4",
              json.root().path("quant_method"));
    };
  }

  /**
   * As transformers writes it ({@code FineGrainedFP8Config} in {@code
   * utils/quantization_config.py}) and vLLM reads it ({@code Fp8Config} in {@code
   * quantization/fp8.py}), with blocks or without. The file says by its dtypes which layers were
   * not quantised; the lists must not contradict it.
   */
  private static WeightQuantization fp8(JsonFile json) {
    json.requireOnly(
        Set.of(
            "quant_method",
            "activation_scheme",
            "weight_block_size",
            "modules_to_not_convert",
            "ignored_layers",
            "fmt",
            "dequantize",
            "kv_cache_scheme"));
    json.requireIfThere("dequantize", BooleanNode.FALSE);
    json.requireIfThere("fmt", StringNode.valueOf("e4m3"));
    final E4m3Format.Layout layout = blocks(json);
    final MatrixFormat format =
        new E4m3Format(
            layout,
            layout instanceof E4m3Format.Layout.Block
                ? List.of("weight_scale_inv")
                : List.of("weight_scale", "weight_scale_inv"),
            inputs(json, layout),
            List.of("input_scale", "activation_scale"),
            true);
    final List<String> plain = json.optionalStrings("modules_to_not_convert");
    final List<String> ignored = json.optionalStrings("ignored_layers");
    final KvScheme kvScheme = KvScheme.read(json);
    return new WeightQuantization() {
      @Override
      public @Nullable MatrixFormat formatOf(List<String> modules) {
        return isNamed(plain, modules) || isNamed(ignored, modules) ? null : format;
      }

      @Override
      public KvScheme kvScheme() {
        return kvScheme;
      }
    };
  }

  /**
   * As transformers writes it ({@code Mxfp4Config} in {@code utils/quantization_config.py}): the
   * experts are quantised, and nothing else.
   */
  private static WeightQuantization mxfp4(JsonFile json) {
    json.requireOnly(Set.of("quant_method", "modules_to_not_convert", "dequantize"));
    json.requireIfThere("dequantize", BooleanNode.FALSE);
    for (String module : json.optionalStrings("modules_to_not_convert")) {
      if (module.contains("experts")) {
        throw json.wrong(
            "modules_to_not_convert",
            "a list without experts",
            json.root().path("modules_to_not_convert"));
      }
    }
    return new WeightQuantization() {
      @Override
      public @Nullable MatrixFormat formatOf(List<String> modules) {
        return null;
      }

      @Override
      public boolean hasMxfp4Experts() {
        return true;
      }
    };
  }

  /** Whether a layer, or something that it is in, is in a list. */
  static boolean isNamed(List<String> list, List<String> modules) {
    return list.stream()
        .anyMatch(
            entry ->
                modules.stream()
                    .anyMatch(module -> module.equals(entry) || module.startsWith(entry + ".")));
  }

  private static E4m3Format.Layout blocks(JsonFile json) {
    if (!json.has("weight_block_size")) {
      return new E4m3Format.Layout.Tensor();
    }
    return block(json, "weight_block_size");
  }

  /** Two sizes, rows before columns. */
  static E4m3Format.Layout.Block block(JsonFile json, String name) {
    final JsonNode sizes = json.root().path(name);
    if (!sizes.isArray() || sizes.size() != 2 || !isSize(sizes.get(0)) || !isSize(sizes.get(1))) {
      throw json.wrong(name, "two integers >= 1", sizes);
    }
    return new E4m3Format.Layout.Block(sizes.get(0).intValue(), sizes.get(1).intValue());
  }

  private static boolean isSize(JsonNode size) {
    return size.isIntegralNumber() && size.canConvertToInt() && size.intValue() >= 1;
  }

  private static @Nullable InputQuantization inputs(JsonFile json, E4m3Format.Layout layout) {
    final String scheme = json.optionalString("activation_scheme", "dynamic");
    final boolean isStatic = scheme.equals("static");
    if (!isStatic && !scheme.equals("dynamic")) {
      throw json.wrong(
          "activation_scheme", "static or dynamic", json.root().path("activation_scheme"));
    }
    if (layout instanceof E4m3Format.Layout.Block block) {
      if (isStatic) {
        throw json.wrong(
            "activation_scheme",
            "dynamic where weight_block_size is given",
            json.root().path("activation_scheme"));
      }
      return new InputQuantization.PerGroup(block.columns());
    }
    return isStatic ? null : new InputQuantization.PerToken();
  }
}

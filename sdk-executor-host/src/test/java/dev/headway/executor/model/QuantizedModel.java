package dev.headway.executor.model;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.UnaryOperator;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Ways to store the matrices of a model with fewer bits, and folders written so. */
public enum QuantizedModel {
  /** As Qwen and DeepSeek publish them. */
  FP8_BLOCKS(
      """
      {"quant_method": "fp8", "activation_scheme": "dynamic", "fmt": "e4m3",
       "weight_block_size": [16, 7], "modules_to_not_convert": ["lm_head", "model.norm"]}
      """,
      new Scales(16, 7, "weight_scale_inv", WeightType.F32),
      0),
  /** One block, larger than the matrices. */
  FP8_WIDE_BLOCKS(
      """
      {"quant_method": "fp8", "activation_scheme": "dynamic", "weight_block_size": [128, 128]}
      """,
      new Scales(128, 128, "weight_scale_inv", WeightType.F32),
      0),
  /** As older checkpoints for vLLM have it. */
  FP8_STATIC(
      """
      {"quant_method": "fp8", "activation_scheme": "static", "ignored_layers": ["lm_head"]}
      """,
      new Scales(0, 0, "weight_scale", WeightType.F32),
      0.02f),
  /** One scale for a matrix, inputs by token. */
  FP8_DYNAMIC(
      """
      {"quant_method": "fp8", "activation_scheme": "dynamic", "weight_block_size": null}
      """,
      new Scales(0, 0, "weight_scale", WeightType.BF16),
      0),
  /** Preset FP8 of compressed-tensors. */
  TENSORS_STATIC(
      compressedTensors("\"strategy\": \"tensor\"", "\"strategy\": \"tensor\", \"dynamic\": false"),
      new Scales(0, 0, "weight_scale", WeightType.BF16),
      0.02f),
  /** Preset FP8_DYNAMIC, what most checkpoints have. */
  TENSORS_DYNAMIC(
      compressedTensors("\"strategy\": \"channel\"", "\"strategy\": \"token\", \"dynamic\": true"),
      new Scales(1, 0, "weight_scale", WeightType.BF16),
      0),
  /** Preset FP8_BLOCK, with smaller blocks. */
  TENSORS_BLOCKS(
      compressedTensors(
          "\"strategy\": \"block\", \"block_structure\": [8, 8]",
          "\"strategy\": \"group\", \"group_size\": 8, \"dynamic\": true"),
      new Scales(8, 8, "weight_scale", WeightType.BF16),
      0),
  /** AutoAWQ's {@code gemm}. */
  AWQ(
      """
      {"quant_method": "awq", "bits": 4, "group_size": 8, "zero_point": true, "version": "gemm",
       "modules_to_not_convert": null}
      """,
      new IntegerPacking(IntegerPacking.Kind.AWQ, 4, 8, false, false)),
  /** As most checkpoints of GPTQ are. */
  GPTQ(
      """
      {"quant_method": "gptq", "bits": 4, "group_size": 8, "desc_act": false, "sym": true,
       "checkpoint_format": "gptq", "damp_percent": 0.01, "true_sequential": true}
      """,
      new IntegerPacking(IntegerPacking.Kind.GPTQ, 4, 8, true, false)),
  /** One group, zero points as they are. */
  GPTQ_V2(
      """
      {"quant_method": "gptq", "bits": 4, "group_size": -1, "desc_act": false, "sym": false,
       "checkpoint_format": "gptq_v2"}
      """,
      new IntegerPacking(IntegerPacking.Kind.GPTQ_V2, 4, 0, false, false)),
  /** Eight bits. */
  GPTQ_8_BITS(
      """
      {"quant_method": "gptq", "bits": 8, "group_size": 8, "desc_act": false, "sym": true}
      """,
      new IntegerPacking(IntegerPacking.Kind.GPTQ, 8, 8, true, false)),
  /** Groups of inputs that are not adjacent. */
  GPTQ_REORDERED(
      """
      {"quant_method": "gptq", "bits": 4, "group_size": 8, "desc_act": true, "sym": true}
      """,
      new IntegerPacking(IntegerPacking.Kind.GPTQ, 4, 8, true, true)),
  /** Preset W4A16 of compressed-tensors, with smaller groups. */
  TENSORS_PACKED(
      packedTensors("\"symmetric\": true, \"strategy\": \"group\", \"group_size\": 4"),
      new IntegerPacking(IntegerPacking.Kind.TENSORS, 4, 4, true, false)),
  /** Preset W4A16_ASYM, reordered. */
  TENSORS_PACKED_REORDERED(
      packedTensors(
          "\"symmetric\": false, \"strategy\": \"group\", \"group_size\": 4,"
              + " \"actorder\": \"group\""),
      new IntegerPacking(IntegerPacking.Kind.TENSORS, 4, 4, false, true)),
  /** Preset W8A16. */
  TENSORS_PACKED_8_BITS(
      packedTensors("\"num_bits\": 8, \"symmetric\": true, \"strategy\": \"channel\""),
      new IntegerPacking(IntegerPacking.Kind.TENSORS, 8, 0, true, false));

  /** Writes the tensors of a matrix. */
  interface Packing {
    void add(SafetensorsBytes file, String module, int rows, int columns, float[] values);
  }

  /** Weights that share a scale; 0 for all. */
  private record Scales(int rows, int columns, String name, WeightType type) {}

  private static final JsonMapper MAPPER = new JsonMapper();

  private final String config;
  private final Packing packing;

  QuantizedModel(String config, Scales scales, float inputScale) {
    this.config = config;
    this.packing =
        (file, module, rows, columns, values) ->
            addE4m3(file, scales, inputScale, module, rows, columns, values);
  }

  QuantizedModel(String config, Packing packing) {
    this.config = config;
    this.packing = packing;
  }

  private static String packedTensors(String weights) {
    return """
    {"quant_method": "compressed-tensors", "format": "pack-quantized", "ignore": ["lm_head"],
     "quantization_status": "compressed", "config_groups": {"group_0": {
       "targets": ["Linear"], "input_activations": null, "output_activations": null,
       "weights": {"num_bits": 4, "type": "int", "dynamic": false, %s}}}}
    """
        .formatted(weights)
        .replaceFirst("\"num_bits\": 4, (.*\"num_bits\")", "$1");
  }

  private static String compressedTensors(String weights, String inputs) {
    return """
    {"quant_method": "compressed-tensors", "format": "float-quantized",
     "quantization_status": "compressed", "global_compression_ratio": 1.5,
     "ignore": ["re:.*lm_head"], "kv_cache_scheme": null,
     "config_groups": {"group_0": {
       "targets": ["Linear"], "output_activations": null,
       "weights": {"num_bits": 8, "type": "float", "symmetric": true, "dynamic": false,
         "observer": "minmax", "observer_kwargs": {}, "actorder": null, %s},
       "input_activations": {"num_bits": 8, "type": "float", "symmetric": true, %s}}}}
    """
        .formatted(weights, inputs);
  }

  /** Whether weights have four bits rather than eight. */
  public boolean isOfFourBits() {
    return packing instanceof IntegerPacking ints && ints.bits() == 4;
  }

  /** Whether matrices of any size can be stored so. */
  public boolean fitsAnySize() {
    return !name().startsWith("AWQ") && !name().startsWith("GPTQ");
  }

  /** Writes a model with the matrices of its layers quantised, all else as floats. */
  public void write(Model model, Path directory) throws IOException {
    write(model, directory, config -> config);
  }

  /** As {@link #write(Model, Path)}, with another {@code quantization_config}. */
  void write(Model model, Path directory, UnaryOperator<String> change) throws IOException {
    ModelWriter.write(model, directory);
    final Path json = directory.resolve("config.json");
    final ObjectNode whole = (ObjectNode) MAPPER.readTree(Files.readString(json));
    whole.set("quantization_config", MAPPER.readTree(change.apply(config)));
    Files.writeString(json, whole.toString());
    tensors(model).write(directory.resolve("model.safetensors"));
  }

  /** The tensors that {@link #write} writes. */
  SafetensorsBytes tensors(Model model) {
    return tensors(model, ModelLayout.OWN_HEAD);
  }

  /** As {@link #tensors(Model)}, with another matrix not quantised. */
  SafetensorsBytes tensors(Model model, String plain) {
    final SafetensorsBytes file = new SafetensorsBytes();
    for (FileTensor tensor : FileTensor.of(model.config())) {
      final float[] values = values(model, tensor);
      final boolean isHead = tensor.parts().getFirst().name().equals(ModelLayout.OWN_HEAD);
      if (tensor.isOfLinearLayer() && !isHead && !tensor.name().equals(plain)) {
        packing.add(
            file,
            tensor.name().replaceFirst("weight$", ""),
            tensor.shape().get(0),
            tensor.shape().get(1),
            values);
      } else {
        file.addFloats(tensor.name(), WeightType.F32, tensor.shape(), values);
      }
    }
    return file;
  }

  private static float[] values(Model model, FileTensor tensor) {
    final float[] values = new float[Math.toIntExact(tensor.elements())];
    int at = 0;
    for (TensorSpec part : tensor.parts()) {
      model.weights().read(part.name(), 0, values, at, (int) part.elements());
      at += (int) part.elements();
    }
    return values;
  }

  private static void addE4m3(
      SafetensorsBytes file,
      Scales scales,
      float inputScale,
      String module,
      int rows,
      int columns,
      float[] values) {
    final int blockRows = scales.rows() == 0 ? rows : scales.rows();
    final int blockColumns = scales.columns() == 0 ? columns : scales.columns();
    final int across = Math.ceilDiv(columns, blockColumns);
    final float[] grid = new float[Math.ceilDiv(rows, blockRows) * across];
    for (int i = 0; i < values.length; i++) {
      final int block = i / columns / blockRows * across + i % columns / blockColumns;
      grid[block] = Math.max(grid[block], Math.abs(values[i]));
    }
    for (int i = 0; i < grid.length; i++) {
      grid[i] /= E4m3.MAX;
      if (scales.type() == WeightType.BF16) {
        grid[i] = BFloat16.round(grid[i]);
      }
    }
    final byte[] codes = new byte[values.length];
    for (int i = 0; i < values.length; i++) {
      final int block = i / columns / blockRows * across + i % columns / blockColumns;
      codes[i] = E4m3.toBits(values[i] / grid[block]);
    }
    final List<Integer> shape = List.of(grid.length / across, across);
    file.add(module + "weight", "F8_E4M3", List.of(rows, columns), codes);
    file.addFloats(
        module + scales.name(), scales.type(), scales.rows() == 0 ? List.of() : shape, grid);
    if (inputScale != 0) {
      file.addFloats(module + "input_scale", WeightType.F32, List.of(1), inputScale);
    }
  }
}

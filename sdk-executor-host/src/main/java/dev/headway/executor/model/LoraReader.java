package dev.headway.executor.model;

import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.BooleanNode;
import tools.jackson.databind.node.StringNode;

/**
 * Reads an adapter as PEFT writes it. What would change what it computes and is not implemented is
 * refused by name.
 *
 * <p>Source: {@code LoraConfig} in PEFT's {@code tuners/lora/config.py}, {@code update_layer} in
 * its {@code tuners/lora/layer.py} for the scale; {@code PEFTHelper} and {@code
 * parse_fine_tuned_lora_name} in vLLM's {@code lora}.
 */
final class LoraReader {

  private static final String CONFIG = "adapter_config.json";
  private static final String TENSORS = "adapter_model.safetensors";
  private static final String PREFIX = "base_model.model.";

  /** What the tensors say as well, or what was of the training alone. */
  private static final List<String> SAYS_NOTHING =
      List.of(
          "auto_mapping",
          "base_model_name_or_path",
          "corda_config",
          "eva_config",
          "exclude_modules",
          "inference_mode",
          "init_lora_weights",
          "layers_pattern",
          "layers_to_transform",
          "loftq_config",
          "lora_dropout",
          "megatron_config",
          "megatron_core",
          "peft_version",
          "qalora_group_size",
          "revision",
          "runtime_config",
          "target_modules",
          "task_type");

  /** What must not be switched on. */
  private static final List<String> OFF =
      List.of("fan_in_fan_out", "lora_bias", "use_dora", "use_qalora", "ensure_weight_tying");

  /** What must be empty. */
  private static final List<String> EMPTY =
      List.of(
          "alpha_pattern",
          "layer_replication",
          "modules_to_save",
          "rank_pattern",
          "target_parameters",
          "trainable_token_indices");

  private final Path directory;
  private final ModelConfig config;
  private final int rank;
  private final float scale;
  private final Map<String, Place> places = new HashMap<>();

  /** Where a tensor of {@link ModelLayout} is that an adapter can change. */
  private record Place(int layer, LoraTarget target) {}

  private LoraReader(Path directory, ModelConfig config) {
    this.directory = directory;
    this.config = config;
    final JsonFile json = JsonFile.read(directory.resolve(CONFIG));
    requireSupported(json);
    rank = json.requiredInt("r");
    if (rank < 1) {
      throw json.wrong("r", "an integer >= 1", json.root().path("r"));
    }
    final double alpha = json.optionalDouble("lora_alpha", 8);
    scale =
        (float)
            (json.optionalBoolean("use_rslora", false) ? alpha / Math.sqrt(rank) : alpha / rank);
    for (int layer = 0; layer < config.layers(); layer++) {
      for (LoraTarget target : LoraTarget.values()) {
        places.put(ModelLayout.inLayer(layer, target.tensor()), new Place(layer, target));
      }
    }
  }

  private static void requireSupported(JsonFile json) {
    final Set<String> known = new HashSet<>(SAYS_NOTHING);
    known.addAll(OFF);
    known.addAll(EMPTY);
    known.addAll(List.of("peft_type", "bias", "r", "lora_alpha", "use_rslora"));
    json.requireOnlyUnlessEmpty(known);
    json.requireIfThere("peft_type", StringNode.valueOf("LORA"));
    json.requireIfThere("bias", StringNode.valueOf("none"));
    for (String name : OFF) {
      json.requireIfThere(name, BooleanNode.FALSE);
    }
    for (String name : EMPTY) {
      final JsonNode node = json.root().path(name);
      if (json.has(name) && !(node.isContainer() && node.isEmpty())) {
        throw json.wrong(name, "null or empty", node);
      }
    }
  }

  static LoraWeights read(Path directory, ModelConfig config) {
    return new LoraReader(directory, config).read();
  }

  private LoraWeights read() {
    final List<Map<LoraTarget, LoraDelta>> layers = new ArrayList<>();
    for (int layer = 0; layer < config.layers(); layer++) {
      layers.add(new EnumMap<>(LoraTarget.class));
    }
    try (Arena arena = Arena.ofConfined()) {
      final SafetensorsFile file = SafetensorsFile.open(directory.resolve(TENSORS), arena);
      final TreeSet<String> left = new TreeSet<>(file.entries().keySet());
      for (FileTensor tensor : FileTensor.of(config)) {
        if (tensor.isOfLinearLayer()) {
          take(file, left, tensor, layers);
        }
      }
      if (!left.isEmpty()) {
        throw new ModelFormatException(
            file.path(),
            left.first(),
            "tensor must be lora_A or lora_B of attention or of a feed-forward of "
                + config.family().architecture()
                + " that is no expert: unexpected tensors="
                + left.size());
      }
    }
    return new LoraWeights(layers, rank, scale);
  }

  private void take(
      SafetensorsFile file,
      Set<String> left,
      FileTensor tensor,
      List<Map<LoraTarget, LoraDelta>> layers) {
    final String module =
        PREFIX + tensor.name().substring(0, tensor.name().length() - FileTensor.WEIGHT.length());
    final String downName = module + ".lora_A.weight";
    final String upName = module + ".lora_B.weight";
    if (!left.contains(downName) && !left.contains(upName)) {
      return;
    }
    final int inputs = tensor.shape().get(1);
    final float[] down = values(file, left, downName, rank, inputs);
    final float[] up = values(file, left, upName, tensor.shape().get(0), rank);
    int row = 0;
    for (TensorSpec part : tensor.parts()) {
      final Place place = places.get(part.name());
      if (place == null) {
        throw new ModelFormatException(
            file.path(), downName, "adapters of experts and of the output head are not supported");
      }
      final int outputs = part.shape().getFirst();
      layers.get(place.layer).put(place.target, delta(down, inputs, up, row, outputs));
      row += outputs;
    }
  }

  private LoraDelta delta(float[] down, int inputs, float[] up, int firstRow, int outputs) {
    final float[] downByInput = new float[inputs * rank];
    for (int j = 0; j < rank; j++) {
      for (int i = 0; i < inputs; i++) {
        downByInput[i * rank + j] = down[j * inputs + i];
      }
    }
    final float[] upByRank = new float[rank * outputs];
    for (int i = 0; i < outputs; i++) {
      for (int j = 0; j < rank; j++) {
        upByRank[j * outputs + i] = up[(firstRow + i) * rank + j];
      }
    }
    return new LoraDelta(inputs, outputs, rank, scale, downByInput, upByRank);
  }

  private float[] values(
      SafetensorsFile file, Set<String> left, String name, int rows, int columns) {
    if (!left.remove(name)) {
      throw new ModelFormatException(file.path(), name, "tensor is missing");
    }
    final SafetensorsHeader.Entry entry = file.entry(name);
    final List<Integer> shape = List.of(rows, columns);
    if (!entry.shape().equals(shape)) {
      throw new ModelFormatException(
          file.path(),
          name,
          "shape must be that of the model and of r: shape="
              + entry.shape()
              + ", expected="
              + shape);
    }
    final WeightType type =
        WeightType.ofDtype(entry.dtype())
            .orElseThrow(
                () ->
                    new ModelFormatException(
                        file.path(),
                        name,
                        "dtype must be F32, F16 or BF16: dtype=" + entry.dtype()));
    final float[] values = new float[Math.multiplyExact(rows, columns)];
    type.read(file.bytes(entry), 0, values, 0, values.length);
    for (int i = 0; i < values.length; i++) {
      if (!Float.isFinite(values[i])) {
        throw new ModelFormatException(
            file.path(), name, "weights must be finite: index=" + i + ", weight=" + values[i]);
      }
    }
    return values;
  }
}

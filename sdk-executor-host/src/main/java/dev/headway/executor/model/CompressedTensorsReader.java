package dev.headway.executor.model;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.BooleanNode;
import tools.jackson.databind.node.IntNode;
import tools.jackson.databind.node.NullNode;
import tools.jackson.databind.node.StringNode;

/**
 * Reads {@code quant_method: compressed-tensors}, as LLM Compressor and vLLM have it: groups of
 * layers with a scheme each, and layers that are in none.
 *
 * <p>Source: {@code QuantizationConfig}, {@code QuantizationScheme} and {@code QuantizationArgs} in
 * compressed-tensors' {@code quantization/quant_config.py}, {@code quant_scheme.py} and {@code
 * quant_args.py}.
 */
final class CompressedTensorsReader {

  private static final String LINEAR = "Linear";
  private static final String PACKED = "pack-quantized";
  private static final Set<String> FORMATS = Set.of("float-quantized", "naive-quantized", PACKED);

  /** Layers and how their weights are stored; {@code targets} may have {@value #LINEAR}. */
  private record Group(List<ModulePattern> targets, boolean takesAll, MatrixFormat format) {}

  private final JsonFile json;

  private CompressedTensorsReader(JsonFile json) {
    this.json = json;
  }

  static WeightQuantization read(JsonFile json) {
    return new CompressedTensorsReader(json).read();
  }

  private WeightQuantization read() {
    json.requireOnly(
        Set.of(
            "quant_method",
            "format",
            "config_groups",
            "ignore",
            "kv_cache_scheme",
            "quantization_status",
            "global_compression_ratio",
            "run_compressed",
            "version",
            "sparsity_config",
            "transform_config"));
    if (!hasNoGroups() || !json.optionalString("quantization_status", "").equals("frozen")) {
      json.requireIfThere("quantization_status", StringNode.valueOf("compressed"));
    }
    if (!hasNoGroups() || !json.optionalString("format", "").equals("dense")) {
      requireFormat(json);
    }
    requireEmptyOrDense("sparsity_config");
    requireEmptyOrDense("transform_config");
    final List<Group> groups = groups();
    final List<ModulePattern> ignored = patterns(json, "ignore");
    final KvScheme kvScheme = KvScheme.read(json);
    return new WeightQuantization() {
      @Override
      public @Nullable MatrixFormat formatOf(List<String> modules) {
        return ignored.stream().anyMatch(pattern -> pattern.matchesAny(modules))
            ? null
            : CompressedTensorsReader.this.formatOf(groups, modules);
      }

      @Override
      public KvScheme kvScheme() {
        return kvScheme;
      }
    };
  }

  /** Keys and values alone are quantised then. */
  private boolean hasNoGroups() {
    return json.has("config_groups") && json.object("config_groups").root().isEmpty();
  }

  /** A layer that is named belongs to the group that names it, before one of all layers. */
  private @Nullable MatrixFormat formatOf(List<Group> groups, List<String> modules) {
    final List<Group> naming =
        groups.stream()
            .filter(group -> group.targets().stream().anyMatch(t -> t.matchesAny(modules)))
            .toList();
    final List<Group> found =
        naming.isEmpty() ? groups.stream().filter(Group::takesAll).toList() : naming;
    if (found.size() > 1) {
      throw json.wrong(
          "config_groups",
          "such that one group targets the layer " + modules.getFirst(),
          json.root().path("config_groups"));
    }
    return found.isEmpty() ? null : found.getFirst().format();
  }

  private List<Group> groups() {
    if (!json.has("config_groups")) {
      throw json.wrong("config_groups", "given", json.root().path("config_groups"));
    }
    final JsonFile groups = json.object("config_groups");
    final List<Group> read = new ArrayList<>();
    for (Map.Entry<String, JsonNode> group : groups.root().properties()) {
      read.add(group(groups.object(group.getKey()), json));
    }
    return read;
  }

  private static Group group(JsonFile group, JsonFile json) {
    group.requireOnly(Set.of("targets", "weights", "input_activations", "format"));
    requireFormat(group);
    final List<String> targets = group.optionalStrings("targets");
    for (String target : targets) {
      if (!target.equals(LINEAR) && !target.contains(".") && !target.equals("lm_head")) {
        throw group.wrong(
            "targets",
            "Linear, names of layers, or expressions behind re:",
            group.root().path("targets"));
      }
    }
    return new Group(patterns(group, "targets"), targets.contains(LINEAR), format(group, json));
  }

  /** The group's own format, or that of all. */
  private static MatrixFormat format(JsonFile group, JsonFile all) {
    final JsonFile named = group.has("format") ? group : all;
    if (named.optionalString("format", "").equals(PACKED)) {
      return packed(group);
    }
    return new E4m3Format(
        layout(weights(group)),
        List.of("weight_scale"),
        inputs(group),
        List.of("input_scale"),
        false);
  }

  /** Preset W4A16 and its like: integers, whose inputs stay as they are. */
  private static MatrixFormat packed(JsonFile group) {
    if (group.has("input_activations")) {
      throw group.wrong(
          "input_activations", "null with integers", group.root().path("input_activations"));
    }
    final JsonFile weights = requiredWeights(group);
    requireKnown(weights, "int");
    final int bits = weights.optionalInt("num_bits", 8);
    if (bits != 4 && bits != 8) {
      throw weights.wrong("num_bits", "4 or 8", weights.root().path("num_bits"));
    }
    final boolean isSymmetric = weights.optionalBoolean("symmetric", true);
    return switch (weights.optionalString("strategy", "group")) {
      case "channel" ->
          new IntegerFormat(IntegerFormat.Kind.COMPRESSED_TENSORS, bits, 0, !isSymmetric, false);
      case "group" ->
          new IntegerFormat(
              IntegerFormat.Kind.COMPRESSED_TENSORS,
              bits,
              IntegerReader.groupSize(weights, "group_size"),
              !isSymmetric,
              weights.has("actorder"));
      default ->
          throw weights.wrong("strategy", "channel or group", weights.root().path("strategy"));
    };
  }

  private static JsonFile weights(JsonFile group) {
    final JsonFile weights = requiredWeights(group);
    requireE4m3(weights);
    weights.requireIfThere("actorder", NullNode.instance);
    return weights;
  }

  private static JsonFile requiredWeights(JsonFile group) {
    if (!group.has("weights")) {
      throw group.wrong("weights", "given", group.root().path("weights"));
    }
    final JsonFile weights = group.object("weights");
    weights.requireIfThere("dynamic", BooleanNode.FALSE);
    return weights;
  }

  private static E4m3Format.Layout layout(JsonFile weights) {
    return switch (weights.optionalString("strategy", "tensor")) {
      case "tensor" -> new E4m3Format.Layout.Tensor();
      case "channel" -> new E4m3Format.Layout.Channel();
      case "block" -> QuantizationReader.block(weights, "block_structure");
      default ->
          throw weights.wrong(
              "strategy", "tensor, channel or block", weights.root().path("strategy"));
    };
  }

  private static @Nullable InputQuantization inputs(JsonFile group) {
    if (!group.has("input_activations")) {
      return new InputQuantization.None();
    }
    final JsonFile inputs = group.object("input_activations");
    requireE4m3(inputs);
    final boolean dynamic = inputs.optionalBoolean("dynamic", false);
    final String strategy = inputs.optionalString("strategy", "tensor");
    if (!dynamic && strategy.equals("tensor")) {
      return null;
    }
    if (dynamic && strategy.equals("token")) {
      return new InputQuantization.PerToken();
    }
    if (dynamic && strategy.equals("group") && inputs.optionalInt("group_size", 0) >= 1) {
      return new InputQuantization.PerGroup(inputs.requiredInt("group_size"));
    }
    throw inputs.wrong(
        "strategy",
        (dynamic ? "token, or group with a group_size," : "tensor")
            + " where dynamic is "
            + dynamic,
        inputs.root().path("strategy"));
  }

  private static void requireE4m3(JsonFile arguments) {
    requireKnown(arguments, "float");
    arguments.requireIfThere("num_bits", IntNode.valueOf(8));
    arguments.requireIfThere("symmetric", BooleanNode.TRUE);
  }

  /** How scales were found does not matter once they are there. */
  private static void requireKnown(JsonFile arguments, String type) {
    arguments.requireOnly(
        Set.of(
            "num_bits",
            "type",
            "symmetric",
            "strategy",
            "group_size",
            "block_structure",
            "dynamic",
            "actorder",
            "observer",
            "observer_kwargs",
            "scale_dtype",
            "zp_dtype"));
    if (!arguments.root().path("type").equals(StringNode.valueOf(type))) {
      throw arguments.wrong("type", type, arguments.root().path("type"));
    }
  }

  private static void requireFormat(JsonFile json) {
    if (json.has("format") && !FORMATS.contains(json.optionalString("format", ""))) {
      throw json.wrong(
          "format",
          "float-quantized, naive-quantized or pack-quantized",
          json.root().path("format"));
    }
  }

  private void requireEmptyOrDense(String name) {
    if (!json.has(name)) {
      return;
    }
    final JsonFile object = json.object(name);
    if (!object.root().isEmpty() && !object.optionalString("format", "").equals("dense")) {
      throw json.wrong(name, "empty", object.root());
    }
  }

  private static List<ModulePattern> patterns(JsonFile json, String name) {
    final List<ModulePattern> patterns = new ArrayList<>();
    for (String entry : json.optionalStrings(name)) {
      if (!entry.equals(LINEAR)) {
        patterns.add(
            ModulePattern.of(entry)
                .orElseThrow(
                    () ->
                        json.wrong(
                            name,
                            "names of layers, or expressions of names, '.', '\\d', '[0-9]', '(a|b)'"
                                + " and at most "
                                + ModulePattern.MOST_WILDCARDS
                                + " of '*' and '+'",
                            StringNode.valueOf(entry))));
      }
    }
    return patterns;
  }
}

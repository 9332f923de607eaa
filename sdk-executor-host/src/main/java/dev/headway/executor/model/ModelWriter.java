package dev.headway.executor.model;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import tools.jackson.databind.json.JsonMapper;

/** Writes a model as a folder that {@link Model#load} and transformers read. */
public final class ModelWriter {

  private static final JsonMapper MAPPER = new JsonMapper();
  private static final int CHUNK = 1 << 16;

  private ModelWriter() {}

  /**
   * Writes config.json and model.safetensors, weight by weight, as they are stored in the model.
   * Without the vision part that a family may have, for which transformers takes random weights.
   *
   * @param directory made if it is not there; files of these names are replaced
   */
  public static void write(Model model, Path directory) throws IOException {
    Files.createDirectories(directory);
    Files.write(
        directory.resolve("config.json"),
        MAPPER.writerWithDefaultPrettyPrinter().writeValueAsBytes(config(model.config())));
    final List<FileTensor> tensors = FileTensor.of(model.config());
    try (FileChannel file =
        FileChannel.open(
            directory.resolve("model.safetensors"),
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.WRITE)) {
      writeFully(file, header(model.weights(), tensors));
      for (FileTensor tensor : tensors) {
        if (ExpertStack.isOne(tensor)) {
          writeStack(file, model.weights(), new ExpertStack(tensor));
        } else {
          for (TensorSpec part : tensor.parts()) {
            writePart(file, model.weights(), part);
          }
        }
      }
    }
  }

  private static Map<String, Object> config(ModelConfig config) {
    final Map<String, Object> json = new LinkedHashMap<>();
    json.put("architectures", List.of(config.family().architecture()));
    json.put("model_type", config.family().modelType());
    if (config.family().isNested()) {
      final Map<String, Object> text = new LinkedHashMap<>();
      text.put("model_type", config.family().textModelType());
      putDecoder(config, text);
      json.put("text_config", text);
    } else {
      putDecoder(config, json);
    }
    return json;
  }

  private static void putDecoder(ModelConfig config, Map<String, Object> json) {
    json.put(
        config.family().isGemma() ? "hidden_activation" : "hidden_act",
        config.family().activation().label());
    json.put("vocab_size", config.vocabularySize());
    json.put("hidden_size", config.hiddenSize());
    json.put("intermediate_size", config.intermediateSize());
    json.put("num_hidden_layers", config.layers());
    json.put("num_attention_heads", config.attention().heads());
    json.put("num_key_value_heads", config.attention().kvHeads());
    json.put("head_dim", config.attention().headDim());
    json.put("max_position_embeddings", config.maxPositions());
    json.put("rms_norm_eps", config.rmsNormEps());
    json.put(
        "attention_bias",
        config.biases().qkv()
            && (config.family().readsAttentionBias() || config.biases().output()));
    json.put("mlp_bias", config.biases().feedForward());
    json.put("rope_theta", config.rope().theta());
    json.put("rope_scaling", scaling(config.rope().scaling(), config.maxPositions()));
    json.put("partial_rotary_factor", config.rope().partialRotaryFactor());
    if (config.rope().scaling() instanceof RopeScaling.LongRope longRope) { // here for Phi-3
      json.put("original_max_position_embeddings", longRope.originalMaxPositions());
    }
    putWindows(config, json);
    if (config.family().isGemma()) {
      json.put("query_pre_attn_scalar", config.queryScalar());
      json.put("rope_local_base_freq", config.localRope().theta());
      json.put(
          "final_logit_softcapping", config.logitSoftCap() == 0 ? null : config.logitSoftCap());
    }
    json.put("tie_word_embeddings", config.outputHead() == OutputHead.TIED);
    json.put("eos_token_id", config.eosTokenIds());
    if (config.experts() != null) {
      putExperts(config, config.experts(), json);
    }
  }

  /** As {@link ExpertsReader} reads them; a family reads some of the names. */
  private static void putExperts(
      ModelConfig config, ExpertsShape experts, Map<String, Object> json) {
    final ExpertRouting routing = experts.routing();
    json.put("num_experts_per_tok", experts.expertsPerToken());
    if (config.family() == ModelFamily.MIXTRAL || config.family() == ModelFamily.GPT_OSS) {
      json.put("num_local_experts", experts.experts());
      return;
    }
    json.put("moe_intermediate_size", experts.intermediateSize());
    json.put("norm_topk_prob", routing.renormalise());
    if (config.family() == ModelFamily.QWEN3_MOE) {
      json.put("num_experts", experts.experts());
      json.put("mlp_only_layers", experts.denseLayers());
      return;
    }
    json.put("n_routed_experts", experts.experts());
    json.put("n_shared_experts", experts.sharedExperts());
    json.put("routed_scaling_factor", routing.scalingFactor());
    json.put("n_group", routing.groups());
    json.put("topk_group", routing.groupsPerToken());
    json.put("first_k_dense_replace", experts.denseLayers().size());
    json.put("use_qk_norm", config.qkNorm());
  }

  /** A config.json has one window, of all its layers or of those that layer_types names. */
  private static void putWindows(ModelConfig config, Map<String, Object> json) {
    final Set<Integer> windows = new TreeSet<>(config.windows().tokens());
    windows.remove(0);
    if (windows.size() > 1) {
      throw new IllegalArgumentException(
          "a config.json has one sliding_window for all layers: windows=" + windows);
    }
    json.put("sliding_window", windows.isEmpty() ? null : windows.iterator().next());
    if (!windows.isEmpty() || config.family().isGemma()) {
      json.put("use_sliding_window", !windows.isEmpty()); // Qwen's
      json.put(
          "layer_types",
          IntStream.range(0, config.layers())
              .mapToObj(
                  layer ->
                      config.windows().windowOf(layer) == 0
                          ? "full_attention"
                          : "sliding_attention")
              .toList());
    }
  }

  private static Map<String, Object> scaling(RopeScaling scaling, int maxPositions) {
    return switch (scaling) {
      case RopeScaling.None none -> Map.of("rope_type", "default");
      case RopeScaling.Linear linear -> Map.of("rope_type", "linear", "factor", linear.factor());
      case RopeScaling.Llama3 llama3 ->
          Map.of(
              "rope_type", "llama3",
              "factor", llama3.factor(),
              "low_freq_factor", llama3.lowFreqFactor(),
              "high_freq_factor", llama3.highFreqFactor(),
              "original_max_position_embeddings", llama3.originalMaxPositions());
      case RopeScaling.Yarn yarn ->
          Map.of(
              "rope_type", "yarn",
              "factor", yarn.factor(),
              "attention_factor", yarn.attentionFactor(),
              "beta_fast", yarn.betaFast(),
              "beta_slow", yarn.betaSlow(),
              "truncate", yarn.truncate(),
              "original_max_position_embeddings", yarn.originalMaxPositions());
      case RopeScaling.LongRope longRope -> longRope(longRope, maxPositions);
    };
  }

  /** transformers 4 takes these three fields for Phi-3, and no others. */
  private static Map<String, Object> longRope(RopeScaling.LongRope scaling, int maxPositions) {
    final Map<String, Object> json = new LinkedHashMap<>();
    json.put("type", "longrope");
    json.put("short_factor", scaling.shortFactors());
    json.put("long_factor", scaling.longFactors());
    final double factor = (double) maxPositions / scaling.originalMaxPositions();
    final double usual =
        RopeScaling.LongRope.usualAttentionFactor(factor, scaling.originalMaxPositions());
    if (scaling.attentionFactor() != usual) {
      json.put("attention_factor", scaling.attentionFactor());
    }
    return json;
  }

  private static ByteBuffer header(ModelWeights weights, List<FileTensor> tensors) {
    final Map<String, Object> json = new LinkedHashMap<>();
    json.put("__metadata__", Map.of("format", "pt"));
    long begin = 0;
    for (FileTensor tensor : tensors) {
      final WeightType type = weights.type(tensor.parts().getFirst().name());
      final long end = begin + type.bytes() * tensor.elements();
      final Map<String, Object> entry = new LinkedHashMap<>();
      entry.put("dtype", type.name());
      entry.put("shape", tensor.shape());
      entry.put("data_offsets", List.of(begin, end));
      json.put(tensor.name(), entry);
      begin = end;
    }
    // spaces behind the JSON, so that the tensors are aligned
    final String text = MAPPER.writeValueAsString(json);
    final byte[] padded = (text + " ".repeat(-text.length() & 7)).getBytes(StandardCharsets.UTF_8);
    return ByteBuffer.allocate(8 + padded.length)
        .order(ByteOrder.LITTLE_ENDIAN)
        .putLong(padded.length)
        .put(padded)
        .flip();
  }

  /** An expert at a time. */
  private static void writeStack(FileChannel file, ModelWeights weights, ExpertStack stack)
      throws IOException {
    for (List<TensorSpec> parts : stack.byExpert()) {
      final List<float[]> values = new ArrayList<>();
      for (TensorSpec part : parts) {
        final float[] of = new float[Math.toIntExact(part.elements())];
        weights.read(part.name(), 0, of, 0, of.length);
        values.add(of);
      }
      final float[] together = stack.interleaved(values);
      final WeightType type = weights.type(parts.getFirst().name());
      try (Arena arena = Arena.ofConfined()) {
        final MemorySegment bytes = arena.allocate((long) type.bytes() * together.length);
        type.write(together, 0, bytes, 0, together.length);
        writeFully(file, bytes.asByteBuffer());
      }
    }
  }

  private static void writePart(FileChannel file, ModelWeights weights, TensorSpec tensor)
      throws IOException {
    final WeightType type = weights.type(tensor.name());
    final float[] values = new float[(int) Math.min(CHUNK, tensor.elements())];
    try (Arena arena = Arena.ofConfined()) {
      final MemorySegment bytes = arena.allocate((long) type.bytes() * values.length);
      for (long from = 0; from < tensor.elements(); from += values.length) {
        final int count = (int) Math.min(values.length, tensor.elements() - from);
        weights.read(tensor.name(), from, values, 0, count);
        type.write(values, 0, bytes, 0, count);
        writeFully(file, bytes.asSlice(0, (long) type.bytes() * count).asByteBuffer());
      }
    }
  }

  private static void writeFully(FileChannel file, ByteBuffer bytes) throws IOException {
    while (bytes.hasRemaining()) {
      file.write(bytes);
    }
  }
}

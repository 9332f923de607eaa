package dev.headway.executor.model;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Makes the shape of a model of a GGUF file's metadata, as llama.cpp's {@code
 * convert_hf_to_gguf.py} writes it for Llama, Qwen2 and Qwen3. A key of the architecture that is
 * not known is refused by name.
 */
final class GgufConfig {

  static final String EMBEDDING = "token_embd.weight";
  static final String HEAD = "output.weight";

  /** Factors that each pair's frequency is divided by, of Llama 3.1 and later. */
  static final String ROPE_FACTORS = "rope_freqs.weight";

  private final GgufFile file;
  private final GgufMetadata metadata;
  private final String prefix;
  private final ModelFamily family;

  private GgufConfig(GgufFile file) {
    this.file = file;
    this.metadata = file.metadata();
    final String architecture = metadata.requiredString("general.architecture");
    this.prefix = architecture + ".";
    this.family =
        switch (architecture) {
          case "llama" -> ModelFamily.LLAMA;
          case "qwen2" -> ModelFamily.QWEN2;
          case "qwen3" -> ModelFamily.QWEN3;
          default -> throw metadata.wrong("general.architecture", "llama, qwen2 or qwen3");
        };
  }

  static ModelConfig read(GgufFile file) {
    try {
      return new GgufConfig(file).read();
    } catch (IllegalArgumentException e) { // from the constructors of the records
      throw new ModelFormatException(file.path(), null, String.valueOf(e.getMessage()), e);
    }
  }

  private ModelConfig read() {
    requireKnown();
    final int hidden = metadata.requiredInt(prefix + "embedding_length");
    final int heads = metadata.requiredInt(prefix + "attention.head_count");
    final int headDim =
        metadata.optionalInt(prefix + "attention.key_length", heads == 0 ? 0 : hidden / heads);
    requireSame("attention.value_length", headDim);
    requireSame("rope.dimension_count", headDim);
    final int maxPositions = metadata.requiredInt(prefix + "context_length");
    return ModelConfig.builder(family)
        .vocabularySize(vocabulary())
        .hiddenSize(hidden)
        .intermediateSize(metadata.requiredInt(prefix + "feed_forward_length"))
        .layers(metadata.requiredInt(prefix + "block_count"))
        .attention(
            new AttentionShape(
                heads, metadata.optionalInt(prefix + "attention.head_count_kv", heads), headDim))
        .rope(rope(headDim, maxPositions))
        .rmsNormEps((float) metadata.requiredDouble(prefix + "attention.layer_norm_rms_epsilon"))
        .maxPositions(maxPositions)
        .outputHead(file.entries().containsKey(HEAD) ? OutputHead.OWN : OutputHead.TIED)
        .eosTokenIds(endTokens())
        .build();
  }

  private void requireKnown() {
    if (metadata.optionalInt("split.count", 1) > 1) {
      throw metadata.wrong("split.count", "1, since files in parts are not supported");
    }
    final Set<String> known =
        Set.of(
            "context_length",
            "embedding_length",
            "block_count",
            "feed_forward_length",
            "vocab_size",
            "attention.head_count",
            "attention.head_count_kv",
            "attention.key_length",
            "attention.value_length",
            "attention.layer_norm_rms_epsilon",
            "rope.dimension_count",
            "rope.freq_base",
            "rope.scaling.type",
            "rope.scaling.factor",
            "rope.scaling.original_context_length",
            "rope.scaling.finetuned");
    for (String key : metadata.keys()) {
      if (key.startsWith(prefix) && !known.contains(key.substring(prefix.length()))) {
        throw metadata.wrong(key, "absent, since it is not supported");
      }
    }
  }

  private void requireSame(String key, int headDim) {
    if (metadata.optionalInt(prefix + key, headDim) != headDim) {
      throw metadata.wrong(prefix + key, "the size of a head, " + headDim);
    }
  }

  private int vocabulary() {
    final GgufFile.Entry embedding = file.entries().get(EMBEDDING);
    if (embedding == null) {
      throw new ModelFormatException(file.path(), EMBEDDING, "tensor is missing");
    }
    return (int) embedding.rows();
  }

  private RopeConfig rope(int headDim, int maxPositions) {
    final double theta = metadata.optionalDouble(prefix + "rope.freq_base", 10_000);
    final String type = metadata.optionalString(prefix + "rope.scaling.type", "none");
    final GgufFile.Entry factors = file.entries().get(ROPE_FACTORS);
    if (factors != null) {
      if (!type.equals("none")) {
        throw metadata.wrong(prefix + "rope.scaling.type", "none beside " + ROPE_FACTORS);
      }
      final List<Double> values = factors(factors, headDim / 2);
      return new RopeConfig(theta, new RopeScaling.LongRope(values, values, 1, maxPositions));
    }
    return new RopeConfig(
        theta,
        switch (type) {
          case "none" -> new RopeScaling.None();
          case "linear" ->
              new RopeScaling.Linear(metadata.requiredDouble(prefix + "rope.scaling.factor"));
          default -> throw metadata.wrong(prefix + "rope.scaling.type", "none or linear");
        });
  }

  private List<Double> factors(GgufFile.Entry factors, int pairs) {
    if (factors.type() != GgmlType.F32 || factors.columns() != pairs || factors.rows() != 1) {
      throw new ModelFormatException(
          file.path(),
          ROPE_FACTORS,
          "must be F32 of a factor for each pair of a head: type="
              + factors.type()
              + ", columns="
              + factors.columns()
              + ", rows="
              + factors.rows()
              + ", pairs="
              + pairs);
    }
    final MemorySegment bytes = factors.bytes();
    final List<Double> values = new ArrayList<>();
    for (int i = 0; i < pairs; i++) {
      values.add((double) bytes.get(WeightType.FLOAT, 4L * i));
    }
    return values;
  }

  private List<Integer> endTokens() {
    final Set<Integer> ids = new LinkedHashSet<>();
    for (String key : List.of("eos_token_id", "eot_token_id", "eom_token_id")) {
      if (metadata.has("tokenizer.ggml." + key)) {
        ids.add(metadata.requiredInt("tokenizer.ggml." + key));
      }
    }
    return List.copyOf(ids);
  }
}

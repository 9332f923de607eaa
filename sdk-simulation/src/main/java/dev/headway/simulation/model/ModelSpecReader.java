package dev.headway.simulation.model;

import dev.headway.simulation.model.AttentionSpec.Grouped;
import dev.headway.simulation.model.AttentionSpec.Latent;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Reads the shape of a model from the {@code config.json} of a Hugging Face folder: dense models,
 * mixtures of experts, grouped-query and latent attention, sliding windows, quantised weights.
 *
 * <p>Fields are those of transformers' configuration classes, under any of the names that families
 * use for them. What is missing and has no default is refused by name.
 */
public final class ModelSpecReader {

  /** Experts of DeepSeek-V3 where its file leaves them out, as transformers' class has them. */
  private static final int DEEPSEEK_V3_EXPERTS = 256;

  private static final int DEEPSEEK_V3_SHARED = 1;

  /** Of gpt-oss where its file leaves it out, as transformers' class has it. */
  private static final int GPT_OSS_WINDOW = 128;

  private final Path file;
  private final JsonNode config;

  private ModelSpecReader(Path file, JsonNode config) {
    this.file = file;
    this.config = config;
  }

  /**
   * Reads a configuration.
   *
   * @param path a {@code config.json}, or the folder that has one
   * @throws ModelSpecException if it cannot be read, or lacks a field; says which
   */
  public static ModelSpec read(Path path) {
    final Path file = Files.isDirectory(path) ? path.resolve("config.json") : path;
    try {
      final JsonNode root = JsonMapper.shared().readTree(Files.readAllBytes(file));
      final JsonNode text = root.path("text_config");
      return new ModelSpecReader(file, text.isObject() ? text : root).read(nameOf(file), root);
    } catch (NoSuchFileException e) {
      throw new ModelSpecException(
          file,
          "no such file: a model is a config.json of Hugging Face, or the folder that has it",
          e);
    } catch (IOException | JacksonException e) {
      throw new ModelSpecException(file, "cannot be read: " + e.getMessage(), e);
    } catch (IllegalArgumentException e) {
      throw new ModelSpecException(file, String.valueOf(e.getMessage()), e);
    }
  }

  private static String nameOf(Path file) {
    final Path folder = file.toAbsolutePath().getParent();
    final Path name = folder == null ? null : folder.getFileName();
    return name == null ? file.toString() : name.toString();
  }

  private ModelSpec read(String name, JsonNode root) {
    final int layers = required("num_hidden_layers", "n_layer");
    final ExpertsSpec experts = experts(layers);
    return ModelSpec.builder(name)
        .layers(layers)
        .hiddenSize(required("hidden_size", "n_embd"))
        .vocabularySize(required("vocab_size"))
        .attention(attention())
        .windowTokens(windows(layers))
        .denseIntermediateSize(denseIntermediateSize(layers, experts))
        .experts(experts)
        .tiedEmbeddings(config.path("tie_word_embeddings").asBoolean(false))
        .activations(dtype(root))
        .weights(isOfExpertsAlone(root) ? dtype(root) : quantised(root))
        .expertWeights(quantised(root))
        .kvCache(kvCache(quantization(root), dtype(root)))
        .build();
  }

  private AttentionSpec attention() {
    final int heads = required("num_attention_heads", "n_head");
    if (config.hasNonNull("kv_lora_rank")) {
      return new Latent(
          heads,
          optional(0, "q_lora_rank"),
          required("kv_lora_rank"),
          required("qk_nope_head_dim"),
          required("qk_rope_head_dim"),
          required("v_head_dim"));
    }
    final int headDim = optional(required("hidden_size", "n_embd") / heads, "head_dim");
    return new Grouped(heads, optional(heads, "num_key_value_heads"), headDim);
  }

  private @Nullable ExpertsSpec experts(int layers) {
    final boolean isDeepSeekV3 = "deepseek_v3".equals(modelType());
    final int experts =
        optional(
            isDeepSeekV3 ? DEEPSEEK_V3_EXPERTS : 0,
            "num_experts",
            "num_local_experts",
            "n_routed_experts");
    if (experts == 0) {
      return null;
    }
    final int intermediate = optional(required("intermediate_size"), "moe_intermediate_size");
    final int sharedCount =
        optional(isDeepSeekV3 ? DEEPSEEK_V3_SHARED : 0, "n_shared_experts", "num_shared_experts");
    final int llama4Shared = modelType().startsWith("llama4") ? intermediate : 0;
    final int shared =
        optional(sharedCount * intermediate + llama4Shared, "shared_expert_intermediate_size");
    final int withExperts = layers - layersWithoutExperts(layers);
    return new ExpertsSpec(
        withExperts, experts, required("num_experts_per_tok"), intermediate, shared);
  }

  private int layersWithoutExperts(int layers) {
    final int first = optional(0, "first_k_dense_replace");
    final int every =
        optional(1, "decoder_sparse_step", "moe_layer_freq", "interleave_moe_layer_step");
    int without = 0;
    for (int layer = 0; layer < layers; layer++) {
      final boolean skipped = every > 1 && (layer + 1) % every != 0;
      if (layer < first || skipped || isListed("mlp_only_layers", layer)) {
        without++;
      }
    }
    return without;
  }

  private boolean isListed(String field, int layer) {
    for (JsonNode listed : config.path(field)) {
      if (listed.asInt(-1) == layer) {
        return true;
      }
    }
    return false;
  }

  private int denseIntermediateSize(int layers, @Nullable ExpertsSpec experts) {
    if (experts != null && experts.layers() == layers) {
      return 0;
    }
    return optional(required("intermediate_size"), "intermediate_size_mlp");
  }

  /** As transformers decides them: per layer, or for those below {@code max_window_layers}. */
  private int[] windows(int layers) {
    final int[] windows = new int[layers];
    final boolean isGptOss = "gpt_oss".equals(modelType());
    final int usual = isGptOss && !config.has("sliding_window") ? GPT_OSS_WINDOW : 0;
    final int window = optional(usual, "sliding_window");
    final JsonNode types = config.path("layer_types");
    final boolean isOff = !config.path("use_sliding_window").asBoolean(true);
    for (int layer = 0; layer < layers; layer++) {
      if (types.isArray()) {
        final String type = types.path(layer).asString("");
        windows[layer] =
            type.startsWith("sliding") ? window : type.startsWith("chunked") ? chunk() : 0;
      } else if (isGptOss) {
        windows[layer] = layer % 2 == 0 ? window : 0;
      } else if (!isOff && config.hasNonNull("sliding_window_pattern")) {
        windows[layer] = (layer + 1) % required("sliding_window_pattern") == 0 ? 0 : window;
      } else if (!isOff && !config.hasNonNull("max_window_layers")) {
        windows[layer] = window;
      } else if (!isOff) {
        windows[layer] = layer >= required("max_window_layers") ? window : 0;
      }
    }
    return windows;
  }

  private int chunk() {
    return optional(0, "attention_chunk_size");
  }

  private WeightFormat dtype(JsonNode root) {
    final String own = config.path("torch_dtype").asString(config.path("dtype").asString(""));
    final String dtype =
        own.isEmpty() ? root.path("torch_dtype").asString(root.path("dtype").asString("")) : own;
    return dtype.equals("float32") ? WeightFormat.FP32 : WeightFormat.BF16;
  }

  private JsonNode quantization(JsonNode root) {
    final JsonNode own = config.path("quantization_config");
    return own.isObject() ? own : root.path("quantization_config");
  }

  private static String method(JsonNode quantization) {
    return quantization.path("quant_method").asString("").toLowerCase(Locale.ROOT);
  }

  /** MXFP4 is of gpt-oss, whose attention, routers, embedding and head stay as they were. */
  private boolean isOfExpertsAlone(JsonNode root) {
    return method(quantization(root)).equals("mxfp4");
  }

  private WeightFormat quantised(JsonNode root) {
    final JsonNode quantization = quantization(root);
    if (!quantization.isObject()) {
      return dtype(root);
    }
    final String method = method(quantization);
    final int bits = bits(quantization);
    return switch (method) {
      case "fp8", "fbgemm_fp8" -> WeightFormat.FP8;
      case "awq", "gptq" -> bits == Byte.SIZE ? WeightFormat.INT8 : WeightFormat.INT4;
      case "mxfp4" -> WeightFormat.FP4;
      case "compressed-tensors", "modelopt" -> compressed(quantization, bits);
      default ->
          throw new IllegalArgumentException(
              "quantization_config.quant_method must be fp8, fbgemm_fp8, awq, gptq, mxfp4,"
                  + " compressed-tensors or modelopt: quant_method="
                  + method);
    };
  }

  /** As vLLM keeps keys and values where nothing else is asked for. */
  private static WeightFormat kvCache(JsonNode quantization, WeightFormat usual) {
    final JsonNode scheme = quantization.path("kv_cache_scheme");
    if (scheme.isObject()) {
      if (scheme.path("num_bits").asInt(Byte.SIZE) != Byte.SIZE) {
        throw new IllegalArgumentException(
            "quantization_config.kv_cache_scheme.num_bits must be 8: kv_cache_scheme=" + scheme);
      }
      return scheme.path("type").asString("int").equals("float")
          ? WeightFormat.FP8
          : WeightFormat.INT8;
    }
    final String algorithm = quantization.path("kv_cache_quant_algo").asString(""); // ModelOpt's
    if (!algorithm.isEmpty() && !algorithm.equalsIgnoreCase("FP8")) {
      throw new IllegalArgumentException(
          "quantization_config.kv_cache_quant_algo must be FP8: kv_cache_quant_algo=" + algorithm);
    }
    return algorithm.isEmpty() ? usual : WeightFormat.FP8;
  }

  private static WeightFormat compressed(JsonNode quantization, int bits) {
    final String text = quantization.toString();
    final boolean isFloat = text.contains("\"float\"") || text.contains("float-quantized");
    if (bits == Byte.SIZE) {
      return isFloat || text.contains("FP8") ? WeightFormat.FP8 : WeightFormat.INT8;
    }
    return isFloat || text.contains("FP4") ? WeightFormat.FP4 : WeightFormat.INT4;
  }

  /** Bits of the weights, of the first group that says so; 4 if none does. */
  private static int bits(JsonNode quantization) {
    final int own = quantization.path("bits").asInt(0);
    if (own > 0) {
      return own;
    }
    for (JsonNode group : quantization.path("config_groups")) {
      final int bits = group.path("weights").path("num_bits").asInt(0);
      if (bits > 0) {
        return bits;
      }
    }
    return quantization.toString().contains("FP8") ? Byte.SIZE : Byte.SIZE / 2;
  }

  private String modelType() {
    return config.path("model_type").asString("");
  }

  private int required(String... names) {
    final int value = optional(Integer.MIN_VALUE, names);
    if (value == Integer.MIN_VALUE) {
      throw new ModelSpecException(file, String.join(" or ", names) + " is missing", null);
    }
    return value;
  }

  private int optional(int otherwise, String... names) {
    for (String name : names) {
      final JsonNode value = config.path(name);
      if (value.isNull() || value.isMissingNode()) {
        continue;
      }
      if (!value.isIntegralNumber()) {
        throw new ModelSpecException(file, name + " must be a whole number: " + value, null);
      }
      return value.intValue();
    }
    return otherwise;
  }
}

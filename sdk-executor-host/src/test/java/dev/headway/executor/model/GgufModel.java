package dev.headway.executor.model;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;

/** Models as GGUF files, as llama.cpp's converter writes them. */
public enum GgufModel {
  F32(0),
  F16(1),
  BF16(30),
  Q8_0(8),
  Q4_0(2),
  /** Random blocks, not the weights of the model. */
  Q4_K(12),
  /** Random blocks. */
  Q5_K(13),
  /** Random blocks. */
  Q6_K(14);

  private static final Map<String, String> NAMES =
      Map.ofEntries(
          Map.entry("input_layernorm", "attn_norm"),
          Map.entry("self_attn.q_proj", "attn_q"),
          Map.entry("self_attn.k_proj", "attn_k"),
          Map.entry("self_attn.v_proj", "attn_v"),
          Map.entry("self_attn.q_norm", "attn_q_norm"),
          Map.entry("self_attn.k_norm", "attn_k_norm"),
          Map.entry("self_attn.o_proj", "attn_output"),
          Map.entry("post_attention_layernorm", "ffn_norm"),
          Map.entry("mlp.gate_proj", "ffn_gate"),
          Map.entry("mlp.up_proj", "ffn_up"),
          Map.entry("mlp.down_proj", "ffn_down"));

  private final int number;

  GgufModel(int number) {
    this.number = number;
  }

  /** A shape whose rows are of whole blocks of every type. */
  public static ModelConfig config(ModelFamily family, OutputHead head) {
    return ModelConfig.builder(family)
        .vocabularySize(97)
        .hiddenSize(256)
        .intermediateSize(512)
        .layers(2)
        .attention(new AttentionShape(8, 4, 32))
        .rmsNormEps(1e-5f)
        .maxPositions(256)
        .outputHead(head)
        .eosTokenIds(List.of(2))
        .build();
  }

  /** Whether it is the model that was written, or random blocks. */
  public boolean isOfWeights() {
    return ordinal() <= Q4_0.ordinal();
  }

  /** Writes a file with all matrices of this type. */
  public void write(Model model, Path file) throws IOException {
    Files.write(file, of(model).bytes());
  }

  GgufBytes of(Model model) {
    final ModelConfig config = model.config();
    final String architecture = config.family().name().toLowerCase(Locale.ROOT);
    final GgufBytes file =
        new GgufBytes()
            .put("general.architecture", architecture)
            .put("general.name", "tiny")
            .put(architecture + ".context_length", config.maxPositions())
            .put(architecture + ".embedding_length", config.hiddenSize())
            .put(architecture + ".block_count", config.layers())
            .put(architecture + ".feed_forward_length", config.intermediateSize())
            .put(architecture + ".attention.head_count", config.attention().heads())
            .put(architecture + ".attention.head_count_kv", config.attention().kvHeads())
            .put(architecture + ".attention.key_length", config.attention().headDim())
            .put(architecture + ".attention.value_length", config.attention().headDim())
            .put(architecture + ".attention.layer_norm_rms_epsilon", config.rmsNormEps())
            .put(architecture + ".rope.freq_base", (float) config.rope().theta())
            .put("tokenizer.ggml.model", "gpt2")
            .put("tokenizer.ggml.tokens", new String[] {"a", "b"})
            .put("tokenizer.ggml.eos_token_id", 2);
    for (TensorSpec spec : ModelLayout.of(config)) {
      add(file, model, spec);
    }
    return file;
  }

  private void add(GgufBytes file, Model model, TensorSpec spec) {
    final float[] values = new float[(int) spec.elements()];
    model.weights().read(spec.name(), 0, values, 0, values.length);
    final String name = name(spec.name());
    if (spec.shape().size() == 1) {
      file.tensor(name, 0, plain(F32, values), values.length);
      return;
    }
    final int rows = spec.shape().get(0);
    final int columns = spec.shape().get(1);
    final boolean isTurned =
        model.config().family() == ModelFamily.LLAMA && name.matches(".*attn_[qk]\\.weight");
    final float[] stored =
        isTurned ? permuted(values, rows / model.config().attention().headDim()) : values;
    file.tensor(name, number, bytes(stored), columns, rows);
  }

  /** reshape(heads, 2, rows / heads / 2, columns).swapaxes(1, 2), where there are 256 columns. */
  private static float[] permuted(float[] values, int heads) {
    final int columns = 256;
    final int half = values.length / columns / heads / 2;
    final float[] result = new float[values.length];
    int to = 0;
    for (int head = 0; head < heads; head++) {
      for (int i = 0; i < half; i++) {
        for (int s = 0; s < 2; s++) {
          System.arraycopy(
              values, ((head * 2 + s) * half + i) * columns, result, to * columns, columns);
          to++;
        }
      }
    }
    return result;
  }

  private static String name(String tensor) {
    return switch (tensor) {
      case ModelLayout.EMBEDDING -> "token_embd.weight";
      case ModelLayout.FINAL_NORM -> "output_norm.weight";
      case ModelLayout.OWN_HEAD -> "output.weight";
      default -> {
        final String[] parts = tensor.split("\\.", 4);
        final int suffix = parts[3].lastIndexOf('.');
        yield "blk."
            + parts[2]
            + "."
            + NAMES.get(parts[3].substring(0, suffix))
            + parts[3].substring(suffix);
      }
    };
  }

  private byte[] bytes(float[] values) {
    return switch (this) {
      case F32, F16, BF16 -> plain(this, values);
      case Q8_0, Q4_0 -> blocks(values);
      case Q4_K -> random(values.length / 256, 144, 0, 2);
      case Q5_K -> random(values.length / 256, 176, 0, 2);
      case Q6_K -> random(values.length / 256, 210, 208);
    };
  }

  private static byte[] plain(GgufModel type, float[] values) {
    final ByteBuffer bytes = buffer(4 * values.length);
    for (float value : values) {
      switch (type) {
        case F32 -> bytes.putFloat(value);
        case F16 -> bytes.putShort(Float.floatToFloat16(value));
        default -> bytes.putShort(BFloat16.toBits(value));
      }
    }
    return Arrays.copyOf(bytes.array(), bytes.position());
  }

  private byte[] blocks(float[] values) {
    final int most = this == Q8_0 ? 127 : 7;
    final ByteBuffer bytes = buffer(2 * values.length);
    for (int block = 0; block < values.length; block += 32) {
      float largest = 1e-4f;
      for (int i = 0; i < 32; i++) {
        largest = Math.max(largest, Math.abs(values[block + i]));
      }
      final short half = Float.floatToFloat16(largest / most);
      final float scale = Float.float16ToFloat(half);
      bytes.putShort(half);
      for (int i = 0; i < (this == Q8_0 ? 32 : 16); i++) {
        final int code = Math.clamp(Math.round(values[block + i] / scale), -most, most);
        if (this == Q8_0) {
          bytes.put((byte) code);
        } else {
          final int upper = Math.clamp(Math.round(values[block + i + 16] / scale), -most, most);
          bytes.put((byte) (code + 8 | upper + 8 << 4));
        }
      }
    }
    return Arrays.copyOf(bytes.array(), bytes.position());
  }

  private static byte[] random(int blocks, int size, int... halves) {
    final byte[] bytes = new byte[blocks * size];
    new Random(3).nextBytes(bytes);
    for (int block = 0; block < blocks; block++) {
      for (int half : halves) {
        buffer(bytes).putShort(block * size + half, Float.floatToFloat16(6.2e-5f));
      }
    }
    return bytes;
  }

  private static ByteBuffer buffer(int bytes) {
    return buffer(new byte[bytes]);
  }

  private static ByteBuffer buffer(byte[] bytes) {
    return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }
}

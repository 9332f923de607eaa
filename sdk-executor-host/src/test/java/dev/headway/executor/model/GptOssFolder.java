package dev.headway.executor.model;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.function.UnaryOperator;

/**
 * Writes a small gpt-oss as it is published: experts of MXFP4, all others in bfloat16. Weights are
 * random; experts make gates beyond the limit of their activation.
 */
public final class GptOssFolder {

  static final int HIDDEN = 64;
  static final int INNER = 96;
  static final int EXPERTS = 3;
  static final String CONFIG =
      """
      {"architectures": ["GptOssForCausalLM"], "model_type": "gpt_oss", "hidden_act": "silu",
       "vocab_size": 97, "hidden_size": 64, "intermediate_size": 96, "num_hidden_layers": 2,
       "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 16,
       "max_position_embeddings": 256, "num_local_experts": 3, "num_experts_per_tok": 2,
       "rope_scaling": {"rope_type": "yarn", "factor": 4.0, "beta_fast": 32.0, "beta_slow": 1.0,
         "truncate": false, "original_max_position_embeddings": 64},
       "quantization_config": {"quant_method": "mxfp4", "modules_to_not_convert":
         ["model.layers.*.self_attn", "model.layers.*.mlp.router", "lm_head"]}}
      """;

  private final Random random;

  /** Codes of gates and inputs, and of outputs, all experts. */
  final byte[][] blocks = new byte[2][];

  /** Their scales. */
  final byte[][] scales = new byte[2][];

  /** Chooses weights. */
  public GptOssFolder(long seed) {
    random = new Random(seed);
    for (int which = 0; which < 2; which++) {
      final int count = EXPERTS * rows(which) * across(which);
      blocks[which] = bytes(count * 16, 0, 256);
      scales[which] = bytes(count, which == 0 ? 122 : 119, 4); // 2^-5 to 2^-2, 2^-8 to 2^-5
    }
  }

  /** Sets the scale of the second block of row 5 of the second expert's inputs, in all layers. */
  public GptOssFolder withScale(int scale) {
    scales[0][(2 * INNER + 2 * 5 + 1) * across(0) + 1] = (byte) scale;
    return this;
  }

  private static int rows(int which) {
    return which == 0 ? 2 * INNER : HIDDEN;
  }

  private static int across(int which) {
    return (which == 0 ? HIDDEN : INNER) / 32;
  }

  private byte[] bytes(int count, int least, int values) {
    final byte[] bytes = new byte[count];
    for (int i = 0; i < count; i++) {
      bytes[i] = (byte) (least + random.nextInt(values));
    }
    return bytes;
  }

  /** Writes config.json and model.safetensors. */
  public void write(Path directory) throws IOException {
    write(directory, UnaryOperator.identity());
  }

  /**
   * The same with other names.
   *
   * @param names what a tensor is called; "null" leaves it out
   */
  void write(Path directory, UnaryOperator<String> names) throws IOException {
    Files.writeString(directory.resolve("config.json"), CONFIG);
    final SafetensorsBytes file = new SafetensorsBytes();
    final Model others = Model.random(Model.readConfig(directory), 3);
    for (FileTensor tensor : FileTensor.of(others.config())) {
      if (ExpertStack.isOne(tensor) && !tensor.name().endsWith("_bias")) {
        final int which = tensor.name().endsWith("gate_up_proj") ? 0 : 1;
        final List<Integer> shape = List.of(EXPERTS, rows(which), across(which));
        final List<Integer> codes = List.of(EXPERTS, rows(which), across(which), 16);
        add(file, names, tensor.name() + "_blocks", "U8", codes, blocks[which]);
        add(file, names, tensor.name() + "_scales", "U8", shape, scales[which]);
      } else {
        add(file, names, tensor.name(), "BF16", tensor.shape(), bf16(others, tensor));
      }
    }
    file.write(directory.resolve("model.safetensors"));
  }

  private static byte[] bf16(Model model, FileTensor tensor) {
    final byte[] weights = new byte[(int) (2 * tensor.elements())];
    final MemorySegment target = MemorySegment.ofArray(weights);
    long at = 0;
    for (TensorSpec part : tensor.parts()) { // biases lie in some order here
      model.weights().readBf16(part.name(), 0, target.asSlice(at), part.elements());
      at += 2 * part.elements();
    }
    return weights;
  }

  private static void add(
      SafetensorsBytes file,
      UnaryOperator<String> names,
      String name,
      String dtype,
      List<Integer> shape,
      byte[] bytes) {
    final String called = names.apply(name);
    if (!called.equals("null")) {
      file.add(called, dtype, shape, bytes);
    }
  }
}

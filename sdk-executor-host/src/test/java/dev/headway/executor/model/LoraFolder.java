package dev.headway.executor.model;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.function.Predicate;

/** Writes adapters as PEFT does, with random weights, and merges them into a model. */
public final class LoraFolder {

  /** What PEFT 0.17 writes for {@code LoraConfig(r=3, lora_alpha=6)}. */
  static final String CONFIG =
      """
      {"alpha_pattern": {}, "auto_mapping": null, "base_model_name_or_path": "base", "bias": "none",
       "corda_config": null, "eva_config": null, "exclude_modules": null, "fan_in_fan_out": false,
       "inference_mode": true, "init_lora_weights": true, "layer_replication": null,
       "layers_pattern": null, "layers_to_transform": null, "loftq_config": {}, "lora_alpha": 6,
       "lora_bias": false, "lora_dropout": 0.0, "megatron_config": null,
       "megatron_core": "megatron.core", "modules_to_save": null, "peft_type": "LORA",
       "qalora_group_size": 16, "r": 3, "rank_pattern": {}, "revision": null,
       "target_modules": ["q_proj"], "target_parameters": null, "task_type": "CAUSAL_LM",
       "trainable_token_indices": null, "use_dora": false, "use_qalora": false, "use_rslora": false}
      """;

  static final int RANK = 3;
  private static final float SCALE = 2;

  private LoraFolder() {}

  /** The matrices of attention and of feed-forwards that are not experts'. */
  private static List<FileTensor> matrices(ModelConfig config) {
    return FileTensor.of(config).stream()
        .filter(FileTensor::isOfLinearLayer)
        .filter(tensor -> tensor.parts().getFirst().name().startsWith("model.layers."))
        .filter(tensor -> !tensor.parts().getFirst().name().contains("experts."))
        .toList();
  }

  /** Writes an adapter of all matrices that may have one. */
  public static void write(Path directory, ModelConfig config, long seed) throws IOException {
    write(directory, CONFIG, tensors(config, seed));
  }

  /**
   * Writes an adapter of all matrices that may have one, in bfloat16.
   *
   * @param scale what it is multiplied by
   */
  public static void write(Path directory, ModelConfig config, long seed, int rank, double scale)
      throws IOException {
    write(directory, config, seed, rank, scale, name -> true);
  }

  /** As the other one, of the matrices whose tensors in a checkpoint have such names. */
  public static void write(
      Path directory,
      ModelConfig config,
      long seed,
      int rank,
      double scale,
      Predicate<String> which)
      throws IOException {
    final String json =
        CONFIG
            .replace("\"r\": " + RANK, "\"r\": " + rank)
            .replace("\"lora_alpha\": 6", "\"lora_alpha\": " + scale * rank);
    write(directory, json, tensors(config, seed, rank, WeightType.BF16, which));
  }

  static void write(Path directory, String json, SafetensorsBytes tensors) throws IOException {
    Files.createDirectories(directory);
    Files.writeString(directory.resolve("adapter_config.json"), json);
    tensors.write(directory.resolve("adapter_model.safetensors"));
  }

  static SafetensorsBytes tensors(ModelConfig config, long seed) {
    return tensors(config, seed, RANK, WeightType.F32, name -> true);
  }

  private static SafetensorsBytes tensors(
      ModelConfig config, long seed, int rank, WeightType type, Predicate<String> which) {
    final SafetensorsBytes file = new SafetensorsBytes();
    for (FileTensor tensor : matrices(config)) {
      if (!which.test(tensor.name())) {
        continue;
      }
      final String module = "base_model.model." + tensor.name().replaceFirst("\\.weight$", "");
      final List<Integer> shape = tensor.shape();
      file.addFloats(
          module + ".lora_A.weight", type, List.of(rank, shape.get(1)), down(tensor, seed, rank));
      file.addFloats(
          module + ".lora_B.weight", type, List.of(shape.get(0), rank), up(tensor, seed, rank));
    }
    return file;
  }

  private static float[] down(FileTensor tensor, long seed, int rank) {
    return random(rank * tensor.shape().get(1), seed + tensor.name().hashCode(), 0.3f);
  }

  private static float[] up(FileTensor tensor, long seed, int rank) {
    return random(rank * tensor.shape().get(0), seed - tensor.name().hashCode(), 0.1f);
  }

  private static float[] random(int count, long seed, float deviation) {
    final Random random = new Random(seed);
    final float[] values = new float[count];
    for (int i = 0; i < count; i++) {
      values[i] = deviation * (float) random.nextGaussian();
    }
    return values;
  }

  /** The model whose matrices have what {@link #write} adds, in them. */
  public static Model merged(Model model, long seed) {
    final ModelWeights plain = model.weights();
    return new Model(
        model.config(),
        new ModelWeights() {
          @Override
          public WeightType type(String tensor) {
            return plain.type(tensor);
          }

          @Override
          public void read(String name, long from, float[] target, int offset, int length) {
            plain.read(name, from, target, offset, length);
            for (FileTensor tensor : matrices(model.config())) {
              int row = 0;
              for (TensorSpec part : tensor.parts()) {
                if (part.name().equals(name)) {
                  add(tensor, row, from, target, offset, length);
                }
                row += part.shape().getFirst();
              }
            }
          }

          private void add(
              FileTensor tensor, int firstRow, long from, float[] target, int offset, int length) {
            final float[] down = down(tensor, seed, RANK);
            final float[] up = up(tensor, seed, RANK);
            final int columns = tensor.shape().get(1);
            for (int i = 0; i < length; i++) {
              final int row = firstRow + (int) ((from + i) / columns);
              final int column = (int) ((from + i) % columns);
              double sum = 0;
              for (int j = 0; j < RANK; j++) {
                sum += (double) up[row * RANK + j] * down[j * columns + column];
              }
              target[offset + i] += (float) (SCALE * sum);
            }
          }

          @Override
          public void close() {
            plain.close();
          }
        });
  }
}

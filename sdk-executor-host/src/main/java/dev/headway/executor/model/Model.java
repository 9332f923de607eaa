package dev.headway.executor.model;

import java.nio.file.Path;
import java.util.Optional;

/**
 * A shape and its weights. Immutable; any thread may use it. Its creator closes it, after the
 * executors made from it were built: they copy what they need.
 *
 * @param config the shape
 * @param weights the tensors of {@link ModelLayout#of}
 */
public record Model(ModelConfig config, ModelWeights weights) implements AutoCloseable {

  /**
   * Reads the shape of a model folder without its weights.
   *
   * @throws ModelFormatException if the folder cannot be used
   */
  public static ModelConfig readConfig(Path directory) {
    final Optional<Path> gguf = GgufFolder.find(directory);
    if (gguf.isPresent()) {
      return GgufWeights.readConfig(gguf.get());
    }
    final ModelConfig config = ModelConfigReader.read(directory);
    QuantizationReader.read(directory); // refuses what the weights could not be read by
    return config;
  }

  /**
   * The folder in which what belongs to a model lies, its tokenizer for one.
   *
   * @param path as for {@link #load}
   * @return that folder, or the one of a {@code .gguf} file
   */
  public static Path folderOf(Path path) {
    final Path parent = path.toAbsolutePath().getParent();
    return GgufFolder.isFile(path) && parent != null ? parent : path;
  }

  /** Whether a folder has files that {@link #load} would open for the weights. */
  public static boolean hasWeights(Path directory) {
    return GgufFolder.find(directory).isPresent() || SafetensorsFolder.isIn(directory);
  }

  /**
   * Opens a folder in the layout of Hugging Face, or a GGUF file. Weights are mapped, not read.
   *
   * @param directory holds config.json and model.safetensors, or an index with its shards; or one
   *     {@code .gguf} file and no safetensors; or is such a file
   * @throws ModelFormatException if the folder cannot be used
   */
  public static Model load(Path directory) {
    final Optional<Path> gguf = GgufFolder.find(directory);
    if (gguf.isPresent()) {
      return GgufWeights.open(gguf.get());
    }
    final ModelConfig config = ModelConfigReader.read(directory);
    return new Model(
        config, SafetensorsFolder.open(directory, config, QuantizationReader.read(directory)));
  }

  /** A model of any shape with seeded random bfloat16 weights, made as they are read. */
  public static Model random(ModelConfig config, long seed) {
    return random(config, seed, WeightType.BF16);
  }

  /** As {@link #random(ModelConfig, long)}, with weights that {@code type} can hold. */
  public static Model random(ModelConfig config, long seed, WeightType type) {
    return new Model(config, new RandomWeights(config, seed, type));
  }

  /**
   * The same weights for contexts that are not longer than this, as {@link
   * ModelConfig#withMaxPositions}. Closing either closes both.
   */
  public Model withMaxPositions(int longest) {
    return new Model(config.withMaxPositions(longest), weights);
  }

  /**
   * What embeddings are multiplied by: 1, or the root of the hidden size, rounded to what the
   * embedding is stored as.
   *
   * <p>Source: {@code Gemma3TextScaledWordEmbedding} in transformers, which keeps it in the type of
   * the weights.
   */
  public float embeddingScale() {
    if (!config.family().scalesEmbedding()) {
      return 1;
    }
    final float[] scale = {(float) Math.sqrt(config.hiddenSize())};
    weights.type(ModelLayout.EMBEDDING).round(scale, 0, 1);
    return scale[0];
  }

  @Override
  public void close() {
    weights.close();
  }
}

package dev.headway.executor.model;

import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Finds a model's tensors in a GGUF file. Exactly those of {@link ModelLayout} must be there, by
 * llama.cpp's names.
 */
final class GgufWeights {

  private static final Map<String, String> NAMES =
      Map.ofEntries(
          Map.entry(ModelLayout.INPUT_NORM, "attn_norm.weight"),
          Map.entry(ModelLayout.Q_PROJ, "attn_q.weight"),
          Map.entry(ModelLayout.K_PROJ, "attn_k.weight"),
          Map.entry(ModelLayout.V_PROJ, "attn_v.weight"),
          Map.entry(ModelLayout.Q_BIAS, "attn_q.bias"),
          Map.entry(ModelLayout.K_BIAS, "attn_k.bias"),
          Map.entry(ModelLayout.V_BIAS, "attn_v.bias"),
          Map.entry(ModelLayout.Q_NORM, "attn_q_norm.weight"),
          Map.entry(ModelLayout.K_NORM, "attn_k_norm.weight"),
          Map.entry(ModelLayout.O_PROJ, "attn_output.weight"),
          Map.entry(ModelLayout.POST_ATTENTION_NORM, "ffn_norm.weight"),
          Map.entry(ModelLayout.GATE_PROJ, "ffn_gate.weight"),
          Map.entry(ModelLayout.UP_PROJ, "ffn_up.weight"),
          Map.entry(ModelLayout.DOWN_PROJ, "ffn_down.weight"));

  private GgufWeights() {}

  /** Reads the shape of a file's model. */
  static ModelConfig readConfig(Path path) {
    try (Arena arena = Arena.ofConfined()) {
      return GgufConfig.read(GgufFile.open(path, arena));
    }
  }

  /** Opens a file's model. */
  static Model open(Path path) {
    final Arena arena = Arena.ofShared();
    try {
      final GgufFile file = GgufFile.open(path, arena);
      final ModelConfig config = GgufConfig.read(file);
      return new Model(
          config, new MappedWeights(arena, tensors(file, config), EightBitKv.NONE, ""));
    } catch (Throwable e) {
      arena.close();
      throw e;
    }
  }

  private static Map<String, StoredTensor> tensors(GgufFile file, ModelConfig config) {
    final Map<String, GgufFile.Entry> left = new LinkedHashMap<>(file.entries());
    left.remove(GgufConfig.ROPE_FACTORS);
    final Map<String, StoredTensor> tensors = new HashMap<>();
    for (TensorSpec spec : ModelLayout.of(config)) {
      final String name = nameInFile(spec.name());
      final GgufFile.Entry entry = left.remove(name);
      if (entry == null) {
        throw new ModelFormatException(file.path(), name, "tensor is missing");
      }
      final int rows = spec.shape().size() == 1 ? 1 : spec.shape().getFirst();
      final int columns = spec.shape().getLast();
      if (entry.rows() != rows || entry.columns() != columns) {
        throw new ModelFormatException(
            file.path(),
            name,
            "shape must be that of the metadata: rows="
                + entry.rows()
                + ", columns="
                + entry.columns()
                + ", expected="
                + List.of(rows, columns));
      }
      tensors.put(
          spec.name(),
          new GgufTensor(spec, entry.type(), entry.bytes(), turnedHead(config, spec.name())));
    }
    final Optional<String> unexpected = left.keySet().stream().findFirst();
    if (unexpected.isPresent()) {
      throw new ModelFormatException(
          file.path(),
          unexpected.get(),
          "tensor is not expected in a model of architecture "
              + file.metadata().requiredString("general.architecture")
              + ": unexpected tensors="
              + left.size());
    }
    return tensors;
  }

  private static String nameInFile(String tensor) {
    return switch (tensor) {
      case ModelLayout.EMBEDDING -> GgufConfig.EMBEDDING;
      case ModelLayout.FINAL_NORM -> "output_norm.weight";
      case ModelLayout.OWN_HEAD -> GgufConfig.HEAD;
      default -> {
        final String[] parts = tensor.split("\\.", 4); // model.layers.N.name
        final String name = NAMES.get(parts[3]);
        if (name == null) {
          throw new IllegalStateException("a name must be known: tensor=" + tensor);
        }
        yield "blk." + parts[2] + "." + name;
      }
    };
  }

  /** Queries and keys of Llama alone are written for a rotary embedding of adjacent elements. */
  private static int turnedHead(ModelConfig config, String tensor) {
    final boolean isTurned =
        config.family() == ModelFamily.LLAMA
            && (tensor.endsWith(ModelLayout.Q_PROJ) || tensor.endsWith(ModelLayout.K_PROJ));
    return isTurned ? config.attention().headDim() : 0;
  }
}

package dev.headway.executor.model;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A tensor as it lies in a file: the rows of one or more tensors of {@link ModelLayout}, one after
 * the other, or an {@link ExpertStack}.
 *
 * @param name in the file
 * @param newName in files of newer classes of transformers
 * @param parts of one number of columns, at least one
 */
record FileTensor(String name, String newName, List<TensorSpec> parts) {

  /** What the name of a layer's matrix ends with. */
  static final String WEIGHT = ".weight";

  FileTensor {
    parts = List.copyOf(parts);
  }

  /** All tensors of a model, in the order of {@link ModelLayout#of}. */
  static List<FileTensor> of(ModelConfig config) {
    final Map<String, List<TensorSpec>> parts = new LinkedHashMap<>();
    for (TensorSpec spec : ModelLayout.of(config)) {
      parts
          .computeIfAbsent(config.family().nameInFile(spec.name()), name -> new ArrayList<>())
          .add(spec);
    }
    final List<FileTensor> tensors = new ArrayList<>();
    parts.forEach(
        (name, of) ->
            tensors.add(
                new FileTensor(name, config.family().newNameInFile(of.getFirst().name()), of)));
    return tensors;
  }

  /** Sizes of the dimensions, the slowest first. */
  List<Integer> shape() {
    if (ExpertStack.isOne(this)) {
      return new ExpertStack(this).shape();
    }
    final List<Integer> shape = new ArrayList<>(parts.getFirst().shape());
    shape.set(0, Math.toIntExact(elements() / (parts.getFirst().elements() / shape.getFirst())));
    return shape;
  }

  /**
   * Whether it is the matrix of a linear layer: those can be quantised. A router is not, as in vLLM
   * and transformers, whatever a config.json says.
   */
  boolean isOfLinearLayer() {
    final String part = parts.getFirst().name();
    return name.endsWith(WEIGHT)
        && parts.getFirst().shape().size() == 2
        && !part.equals(ModelLayout.EMBEDDING)
        && !part.endsWith("." + ModelLayout.ROUTER);
  }

  /** Elements of all parts. */
  long elements() {
    return parts.stream().mapToLong(TensorSpec::elements).sum();
  }
}

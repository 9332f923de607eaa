package dev.headway.executor.model;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** How a checkpoint says that its matrices are stored. Immutable. */
interface WeightQuantization {

  /** All tensors are of the types of {@link WeightType}. */
  WeightQuantization NONE = modules -> null;

  /**
   * How the weight of a linear layer is stored.
   *
   * @param modules the layer's names, as files and newer files have them, without {@code .weight}
   * @return null if it is not quantised
   */
  @Nullable MatrixFormat formatOf(List<String> modules);

  /** Whether experts that files hold as an {@link ExpertStack} are MXFP4. */
  default boolean hasMxfp4Experts() {
    return false;
  }

  /** How the checkpoint wants keys and values to be kept. */
  default KvScheme kvScheme() {
    return KvScheme.NONE;
  }
}

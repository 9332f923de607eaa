package dev.headway.cuda.executor;

import dev.headway.executor.model.LoraTarget;
import dev.headway.executor.model.ModelConfig;
import java.util.List;

/** A product of a layer whose outputs adapters can change, and the matrices side by side in it. */
enum AdaptedProduct {
  QKV,
  OUTPUT,
  GATE_UP,
  DOWN;

  /** The matrices, in the order of their outputs; three at most. */
  List<LoraTarget> targets() {
    return switch (this) {
      case QKV -> List.of(LoraTarget.QUERY, LoraTarget.KEY, LoraTarget.VALUE);
      case OUTPUT -> List.of(LoraTarget.OUTPUT);
      case GATE_UP -> List.of(LoraTarget.GATE, LoraTarget.UP);
      case DOWN -> List.of(LoraTarget.DOWN);
    };
  }

  /** Values of a row that it reads. */
  int inputs(ModelConfig config) {
    return switch (this) {
      case QKV, GATE_UP -> config.hiddenSize();
      case OUTPUT -> config.attention().queryDim();
      case DOWN -> config.intermediateSize();
    };
  }

  /** Where the outputs of a matrix begin; of {@code targets().size()}, where all end. */
  int firstOutput(ModelConfig config, int target) {
    int first = 0;
    for (LoraTarget before : targets().subList(0, target)) {
      first +=
          switch (before) {
            case QUERY -> config.attention().queryDim();
            case KEY, VALUE -> config.attention().kvDim();
            case GATE, UP -> config.intermediateSize();
            case OUTPUT, DOWN -> config.hiddenSize();
          };
    }
    return first;
  }
}

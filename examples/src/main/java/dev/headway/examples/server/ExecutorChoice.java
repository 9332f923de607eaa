package dev.headway.examples.server;

import dev.headway.cuda.device.CudaDevice;
import org.jspecify.annotations.Nullable;

/**
 * Who runs the model, and why not the device.
 *
 * @param backend never {@link Backend#AUTO}
 * @param withoutDevice why there is no device to choose; null if one runs the model or nobody asked
 */
record ExecutorChoice(Backend backend, @Nullable String withoutDevice) {

  /** Who may run the model. */
  enum Backend {
    /** A CUDA device if there is one, else plain Java. */
    AUTO,
    /** A CUDA device. */
    CUDA,
    /** Plain Java: right and slow. */
    REFERENCE
  }

  /** Chooses. */
  static ExecutorChoice of(Backend wanted) {
    if (wanted != Backend.AUTO) {
      return new ExecutorChoice(wanted, null);
    }
    return CudaDevice.unavailableBecause(0)
        .map(why -> new ExecutorChoice(Backend.REFERENCE, why))
        .orElse(new ExecutorChoice(Backend.CUDA, null));
  }

  /** For people. */
  String describe() {
    return switch (backend) {
      case CUDA -> "cuda, two steps in flight";
      case AUTO, REFERENCE ->
          "reference, plain Java"
              + (withoutDevice == null ? "" : " (no CUDA device: " + withoutDevice + ")");
    };
  }
}

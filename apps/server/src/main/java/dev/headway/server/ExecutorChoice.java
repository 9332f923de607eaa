package dev.headway.server;

import dev.headway.cuda.executor.CudaExecutor;
import dev.headway.executor.vector.VectorSupport;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Which executor runs the model, and why not a faster one.
 *
 * @param backend never {@link Backend#AUTO}
 * @param threads threads that compute, where the executor has some
 * @param missing why there is no faster one to choose; empty if not looked for
 */
public record ExecutorChoice(Backend backend, int threads, List<String> missing) {

  /** The executors for the model, the fastest first. */
  public enum Backend {
    /** The first of the others that can run here. */
    AUTO,
    /** A CUDA device. */
    CUDA,
    /** The CPU's vectors, on all processors. */
    VECTOR,
    /** Plain Java on one thread: right and slow. */
    REFERENCE,
    /** No model is run: steps take as long as a formula says, tokens are made up. */
    SIMULATED
  }

  /** Validates the components. */
  public ExecutorChoice {
    if (threads < 1) {
      throw new IllegalArgumentException("--threads must be >= 1: --threads=" + threads);
    }
    missing = List.copyOf(missing);
  }

  /** Chooses. */
  public static ExecutorChoice of(Backend wanted, int threads) {
    if (wanted != Backend.AUTO) {
      return new ExecutorChoice(wanted, threads, List.of());
    }
    final List<String> missing = new ArrayList<>();
    final Optional<String> withoutDevice = CudaExecutor.unavailableBecause(0);
    if (withoutDevice.isEmpty()) {
      return new ExecutorChoice(Backend.CUDA, threads, missing);
    }
    missing.add(withoutDevice.get());
    final Optional<String> withoutVectors = VectorSupport.unavailableBecause();
    if (withoutVectors.isEmpty()) {
      return new ExecutorChoice(Backend.VECTOR, threads, missing);
    }
    missing.add("the Vector API is not available: " + withoutVectors.get());
    return new ExecutorChoice(Backend.REFERENCE, threads, missing);
  }

  /** For people. */
  public String describe() {
    final String chosen =
        switch (backend) {
          case CUDA -> "cuda";
          case VECTOR -> "vector, " + threads + (threads == 1 ? " thread" : " threads");
          case AUTO, REFERENCE -> "reference, plain Java";
          case SIMULATED -> "simulated: no model is run, tokens are made up";
        };
    return missing.isEmpty() ? chosen : chosen + " (" + String.join("; ", missing) + ")";
  }
}

package dev.headway.executor.reference;

import dev.headway.api.request.LoraAdapter;
import dev.headway.executor.model.LoraWeights;
import dev.headway.executor.model.ModelConfig;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/** The adapters of an executor that is being built. Not thread-safe. */
public final class LoraAdapters {

  private final Map<LoraAdapter, LoraWeights> adapters = new LinkedHashMap<>();

  /** None yet. */
  public LoraAdapters() {}

  /**
   * Adds one, which is read now.
   *
   * @param adapter what requests call it
   * @param directory as for {@link LoraWeights#load}
   * @throws IllegalArgumentException if its id or its name is taken
   */
  public void add(LoraAdapter adapter, Path directory, ModelConfig config) {
    for (LoraAdapter other : adapters.keySet()) {
      if (other.id() == adapter.id() || other.name().equals(adapter.name())) {
        throw new IllegalArgumentException(
            "adapters must have ids and names of their own: adapter="
                + adapter
                + ", other="
                + other);
      }
    }
    adapters.put(adapter, LoraWeights.load(directory, config));
  }

  /** All of them. */
  public Map<LoraAdapter, LoraWeights> all() {
    return Map.copyOf(adapters);
  }
}

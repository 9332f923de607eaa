package dev.headway.cuda.executor;

import dev.headway.api.request.LoraAdapter;
import dev.headway.cuda.kernel.LoraKernels;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which place the matrices of an adapter have on the device, from 0. Immutable; allocates nothing
 * once made.
 */
final class AdapterSlots {
  /** Of an executor without adapters. */
  static final AdapterSlots NONE = new AdapterSlots(Set.of());

  private final Map<LoraAdapter, Integer> slots = new LinkedHashMap<>();

  /** Gives each its place, in their order. */
  AdapterSlots(Collection<LoraAdapter> adapters) {
    for (LoraAdapter adapter : adapters) {
      slots.put(adapter, slots.size());
    }
  }

  /** Whether there are none. */
  boolean isEmpty() {
    return slots.isEmpty();
  }

  /** All that have a place, in order. */
  Set<LoraAdapter> all() {
    return slots.keySet();
  }

  /**
   * The place of an adapter; {@link LoraKernels#NO_ADAPTER} of null.
   *
   * @throws NullPointerException if it has none
   */
  int of(@Nullable LoraAdapter adapter) {
    return adapter == null
        ? LoraKernels.NO_ADAPTER
        : Objects.requireNonNull(slots.get(adapter), "an adapter must have a place");
  }
}

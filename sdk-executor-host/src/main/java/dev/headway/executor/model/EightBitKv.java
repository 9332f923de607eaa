package dev.headway.executor.model;

import java.util.Map;
import java.util.TreeMap;

/**
 * What a checkpoint says of keys and values that are kept as eight-bit floats. Immutable.
 *
 * @param isAskedFor whether its {@code quantization_config} asks for them
 * @param refusal why they cannot be kept as it asks, in words; empty if they can, or it says
 *     nothing
 * @param scales by the numbers of the layers that have some, from 0
 */
public record EightBitKv(boolean isAskedFor, String refusal, Map<Integer, KvScale> scales) {

  /** Of a checkpoint that says nothing. */
  public static final EightBitKv NONE = new EightBitKv(false, "", Map.of());

  /** Copies the components. */
  public EightBitKv {
    scales = Map.copyOf(scales);
  }

  /** The scale of a layer; {@link KvScale#ONE} if the checkpoint has none, as vLLM takes then. */
  public KvScale of(int layer) {
    return scales.getOrDefault(layer, KvScale.ONE);
  }

  /** For people: what there is; empty if that is nothing. */
  public String describe(int layers) {
    if (!refusal.isEmpty()) {
      return refusal;
    }
    if (scales.isEmpty()) {
      return isAskedFor ? "asked for by kv_cache_scheme, without scales in the files" : "";
    }
    return (isAskedFor ? "asked for by kv_cache_scheme" : "not asked for")
        + ", with scales for "
        + (scales.size() == layers ? "all " : scales.size() + " of ")
        + layers
        + " layers"
        + (layers > scales.size() ? ", 1 for the others" : "")
        + ": keys "
        + range(true)
        + ", values "
        + range(false);
  }

  private String range(boolean ofKeys) {
    final TreeMap<Float, Boolean> sorted = new TreeMap<>();
    scales.values().forEach(scale -> sorted.put(ofKeys ? scale.keys() : scale.values(), true));
    final float least = sorted.firstKey();
    final float most = sorted.lastKey();
    return least == most ? Float.toString(least) : least + " to " + most;
  }
}

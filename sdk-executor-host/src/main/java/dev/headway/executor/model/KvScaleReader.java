package dev.headway.executor.model;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Takes the scales of keys and values out of a model's tensors, by any of the names that
 * checkpoints give them: {@code self_attn.k_scale} and {@code v_scale}, those beside {@code k_proj}
 * and {@code v_proj} (ModelOpt), their {@code output_scale} (compressed-tensors of old), and {@code
 * kv_scale} for both. What belongs to queries is taken out too, and counted: they are not rounded.
 *
 * <p>Source: {@code maybe_remap_kv_scale_name} in vLLM's {@code weight_utils.py}, {@code
 * get_cache_scale_mapper} of its {@code fp8.py}, and {@code BaseKVCacheMethod} in its {@code
 * kv_cache.py}, which takes 1 for a layer without scales and the keys' for values without one.
 */
final class KvScaleReader {

  private static final Pattern NAME =
      Pattern.compile(
          "(?<module>(?:.*\\.)?layers\\.(?<layer>\\d{1,6})\\.self_attn)\\."
              + "(?:(?<keys>(?:attn\\.|k_proj\\.|qkv_proj\\.)?k_scale|k_proj\\.output_scale)"
              + "|(?<values>(?:attn\\.|v_proj\\.|qkv_proj\\.)?v_scale|v_proj\\.output_scale)"
              + "|(?<both>kv_scale)"
              + "|(?:attn\\.|q_proj\\.|qkv_proj\\.)?q_scale|q_proj\\.output_scale"
              + "|prob_output_scale|[kv]_zero_point)");

  private final Map<String, SafetensorsFile> files;
  private final Path listing;
  private final int layers;
  private final KvScheme scheme;
  private final TreeMap<Integer, Found> ofKeys = new TreeMap<>();
  private final TreeMap<Integer, Found> ofValues = new TreeMap<>();
  private String refusal;
  private int ofQueries;

  /** A tensor of a layer, by its module and its name in it. */
  private record Found(SafetensorsFile file, String module, String suffix) {
    String tensor() {
      return module + "." + suffix;
    }
  }

  /**
   * Prepares a reading.
   *
   * @param files by the tensors that are not taken yet
   * @param listing what is to blame for a tensor that is missing
   */
  KvScaleReader(Map<String, SafetensorsFile> files, Path listing, int layers, KvScheme scheme) {
    this.files = files;
    this.listing = listing;
    this.layers = layers;
    this.scheme = scheme;
    this.refusal = scheme.refusal();
  }

  /**
   * Takes the scales.
   *
   * @throws ModelFormatException if one is no scale, or given twice; names the tensor
   */
  EightBitKv read() {
    for (Map.Entry<String, SafetensorsFile> tensor : List.copyOf(files.entrySet())) {
      final Matcher name = NAME.matcher(tensor.getKey());
      if (name.matches() && Integer.parseInt(name.group("layer")) < layers) {
        note(name, tensor.getValue());
      }
    }
    final Map<Integer, KvScale> scales = new TreeMap<>();
    for (int layer = 0; layer < layers; layer++) {
      final Found keys = ofKeys.get(layer);
      final Found values = ofValues.get(layer);
      if (keys == null && values != null) {
        throw new ModelFormatException(
            listing, values.tensor(), "tensor must have one for keys beside it: layer=" + layer);
      }
      if (keys != null) {
        final @Nullable Float ofKey = scale(keys);
        final @Nullable Float ofValue = values == null ? ofKey : scale(values);
        if (ofKey != null && ofValue != null) {
          scales.put(layer, new KvScale(ofKey, ofValue));
        }
      }
    }
    return new EightBitKv(scheme.isAskedFor(), refusal, refusal.isEmpty() ? scales : Map.of());
  }

  /** Scales of queries and of attention's weights, and zero points, which nothing reads. */
  int notRead() {
    return ofQueries;
  }

  private void note(Matcher name, SafetensorsFile file) {
    final int layer = Integer.parseInt(name.group("layer"));
    final String tensor = name.group();
    final String module = name.group("module");
    final Found found = new Found(file, module, tensor.substring(module.length() + 1));
    if (name.group("keys") != null || name.group("both") != null) {
      noteOnce(ofKeys, layer, found);
    } else if (name.group("values") != null) {
      noteOnce(ofValues, layer, found);
    } else {
      files.remove(tensor);
      ofQueries++;
    }
  }

  private void noteOnce(Map<Integer, Found> noted, int layer, Found found) {
    final Found other = noted.put(layer, found);
    if (other != null) {
      throw new ModelFormatException(
          listing,
          found.tensor(),
          "scale must be given once for a layer: also given as " + other.tensor());
    }
  }

  /** The number of a tensor, which it takes; null if there are several, which no executor has. */
  private @Nullable Float scale(Found found) {
    final List<Integer> shape = found.file().entry(found.tensor()).shape();
    if (!refusal.isEmpty() || shape.stream().reduce(1, Math::multiplyExact) != 1) {
      files.remove(found.tensor());
      if (refusal.isEmpty()) {
        refusal =
            "scales of eight-bit keys and values must be one number for a layer: tensor="
                + found.tensor()
                + ", shape="
                + shape;
      }
      return null;
    }
    final MatrixFile layer = new MatrixFile(files, listing, found.module(), List.of(1, 1));
    final float scale = layer.takeScales(found.suffix(), List.of(shape)).at(0);
    if (scale == 0) {
      throw layer.wrong(found.suffix(), "scale must be > 0: scale=" + scale);
    }
    return scale;
  }
}

package dev.headway.simulation.hardware;

import dev.headway.api.internal.NearestName;
import dev.headway.simulation.model.WeightFormat.Arithmetic;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.TreeMap;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Devices by name. The built-in table is the resource {@code gpus.json}; a file of the same form
 * adds devices or replaces them. Immutable.
 */
public final class GpuCatalog {

  private static final String BUILT_IN = "gpus.json";
  private static final String PRICE = "price_per_gpu_hour";
  private static final String TILE = "mat_mul_tile_tokens";
  private static final double TERA = 1e12;
  private static final double GIGA = 1e9;
  private static final long GIB = 1L << 30;

  private final Map<String, GpuSpec> byName;
  private final Map<String, Double> prices;

  private GpuCatalog(Map<String, GpuSpec> byName, Map<String, Double> prices) {
    this.byName = Map.copyOf(byName);
    this.prices = Map.copyOf(prices);
  }

  /** The built-in devices. */
  public static GpuCatalog builtIn() {
    try (InputStream in = GpuCatalog.class.getResourceAsStream(BUILT_IN)) {
      if (in == null) {
        throw new IllegalStateException("resource is missing: " + BUILT_IN);
      }
      return parse(BUILT_IN, in.readAllBytes());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * This catalogue with the devices of a file, which replace those of the same name.
   *
   * @throws IllegalArgumentException if the file is not of the form of the built-in one; names the
   *     device and the figure
   * @throws UncheckedIOException if it cannot be read
   */
  public GpuCatalog with(Path file) {
    try {
      final Map<String, GpuSpec> all = new TreeMap<>(byName);
      final GpuCatalog own = parse(file.toString(), Files.readAllBytes(file));
      all.putAll(own.byName);
      final Map<String, Double> allPrices = new TreeMap<>(prices);
      allPrices.putAll(own.prices);
      return new GpuCatalog(all, allPrices);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read " + file + ": " + e.getMessage(), e);
    }
  }

  /** The names, sorted. */
  public List<String> names() {
    return byName.keySet().stream().sorted().toList();
  }

  /**
   * The device of a name; case, blanks and underscores do not matter.
   *
   * @throws IllegalArgumentException if there is none; lists the names
   */
  public GpuSpec get(String name) {
    final String wanted = name.toLowerCase(Locale.ROOT).replace(' ', '-').replace('_', '-');
    final GpuSpec found = byName.get(wanted);
    if (found == null) {
      throw new IllegalArgumentException(
          "gpu must be one of "
              + names()
              + " or in a file of your own: gpu="
              + name
              + NearestName.hint(wanted, names()));
    }
    return found;
  }

  /**
   * What the device costs for an hour, as {@code price_per_gpu_hour} of a file says; the built-in
   * table has no prices.
   *
   * @param name as of {@link #get}
   */
  public OptionalDouble pricePerHour(String name) {
    final Double price = prices.get(get(name).name());
    return price == null ? OptionalDouble.empty() : OptionalDouble.of(price);
  }

  private static GpuCatalog parse(String where, byte[] json) {
    final Map<String, GpuSpec> parsed = new TreeMap<>();
    final Map<String, Double> prices = new TreeMap<>();
    try {
      for (Map.Entry<String, JsonNode> gpu :
          JsonMapper.shared().readTree(json).path("gpus").properties()) {
        parsed.put(gpu.getKey(), parse(gpu.getKey(), gpu.getValue()));
        if (gpu.getValue().has(PRICE)) {
          prices.put(gpu.getKey(), price(gpu.getValue(), gpu.getKey()));
        }
      }
    } catch (JacksonException | IllegalArgumentException e) {
      throw new IllegalArgumentException(where + ": " + e.getMessage(), e);
    }
    if (parsed.isEmpty()) {
      throw new IllegalArgumentException(where + ": must have an object \"gpus\" with devices");
    }
    return new GpuCatalog(parsed, prices);
  }

  private static double price(JsonNode gpu, String name) {
    final double price = number(gpu, name, PRICE);
    if (!(price > 0)) {
      throw new IllegalArgumentException(PRICE + " must be > 0: gpu=" + name + ", value=" + price);
    }
    return price;
  }

  private static GpuSpec parse(String name, JsonNode gpu) {
    final Map<Arithmetic, Double> flops = new EnumMap<>(Arithmetic.class);
    for (Arithmetic kind : Arithmetic.values()) {
      final JsonNode tera = gpu.path("tflops_" + kind.name().toLowerCase(Locale.ROOT));
      if (tera.isNumber()) {
        flops.put(kind, tera.doubleValue() * TERA);
      }
    }
    return new GpuSpec(
        name,
        flops,
        Math.round(number(gpu, name, "memory_gib") * GIB),
        number(gpu, name, "memory_gb_per_s") * GIGA,
        number(gpu, name, "link_gb_per_s_one_way") * GIGA,
        gpu.has(TILE) ? (int) number(gpu, name, TILE) : 1,
        gpu.path("source").asString(""));
  }

  private static double number(JsonNode gpu, String name, String figure) {
    final JsonNode value = gpu.path(figure);
    if (!value.isNumber()) {
      throw new IllegalArgumentException(figure + " must be a number: gpu=" + name);
    }
    return value.doubleValue();
  }
}

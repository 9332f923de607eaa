package dev.headway.cli.plan;

import dev.headway.simulation.hardware.GpuCatalog;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.stream.Collectors;

/**
 * What devices cost for an hour. None is built in: without prices a device costs a device-hour.
 *
 * @param byDevice price by name; empty if none is known
 */
record Prices(Map<String, Double> byDevice) {

  /**
   * Prices of the command line, and those of the catalogue for the devices it does not name.
   *
   * @throws IllegalArgumentException if some devices have a price and others none, a price is not
   *     above 0, or it is of a device that is not in the plan
   */
  static Prices of(Map<String, Double> given, GpuCatalog catalog, List<String> gpus) {
    final Map<String, Double> prices = new LinkedHashMap<>();
    for (Map.Entry<String, Double> each : given.entrySet()) {
      final String gpu = catalog.get(each.getKey()).name();
      if (!gpus.contains(gpu)) {
        throw new IllegalArgumentException(
            "--price must be of a --gpu of the plan: --price=" + gpu + ", --gpu=" + gpus);
      }
      if (!(each.getValue() > 0 && each.getValue() < Double.POSITIVE_INFINITY)) {
        throw new IllegalArgumentException(
            "--price must be finite and > 0: --price=" + gpu + "=" + each.getValue());
      }
      prices.put(gpu, each.getValue());
    }
    for (String gpu : gpus) {
      final OptionalDouble known = catalog.pricePerHour(gpu);
      if (known.isPresent()) {
        prices.putIfAbsent(gpu, known.getAsDouble());
      }
    }
    if (!prices.isEmpty() && prices.size() < gpus.size()) {
      throw new IllegalArgumentException(
          "--price must be given for each --gpu or for none: without="
              + gpus.stream().filter(gpu -> !prices.containsKey(gpu)).toList());
    }
    return new Prices(prices);
  }

  boolean areKnown() {
    return !byDevice.isEmpty();
  }

  /** Price of a device for an hour; 1, a device-hour, where prices are not known. */
  double perHour(String gpu) {
    return byDevice.getOrDefault(gpu, 1.0);
  }

  /** The prices in words. */
  String text(List<String> gpus) {
    return areKnown()
        ? gpus.stream()
            .map(gpu -> gpu + " " + Money.of(this, perHour(gpu)))
            .collect(Collectors.joining(", ", "per device and hour: ", ""))
        : "no prices were given: costs are device-hours";
  }
}

package dev.headway.simulation.kernel;

import dev.headway.toolbox.csv.CsvReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/**
 * All-reduces of one kind of node as CUDA graphs run them, by devices and bytes: linear in the
 * logarithms between the measurements, at the bandwidth of the largest beyond. Immutable.
 */
final class AllReduceKernels {

  /** Messages are measured in numbers of two bytes. */
  private static final int BYTES_PER_NUMBER = Short.BYTES;

  private record Table(GridTable logs, double largestBytes) {}

  private final Map<Integer, Table> byDevices = new HashMap<>();

  private AllReduceKernels() {}

  static AllReduceKernels read(Path file) throws IOException {
    final Map<Integer, GridTable.Builder> tables = new HashMap<>();
    final Map<Integer, Double> largest = new HashMap<>();
    CsvReader.read(
        file,
        row -> {
          if (row.get("backend").endsWith("graph")) {
            final int devices = (int) ProfileCsv.number(row, "num_gpus");
            final double bytes = ProfileCsv.number(row, "message_size") * BYTES_PER_NUMBER;
            largest.merge(devices, bytes, Math::max);
            tables
                .computeIfAbsent(devices, of -> new GridTable.Builder())
                .add(Math.log(ProfileCsv.milliseconds(row, "latency")), Math.log(bytes));
          }
        });
    final AllReduceKernels kernels = new AllReduceKernels();
    tables.forEach(
        (devices, table) ->
            kernels.byDevices.put(
                devices, new Table(table.buildLevel(), largest.getOrDefault(devices, 1.0))));
    return kernels;
  }

  boolean has(int devices) {
    return byDevices.containsKey(devices);
  }

  /** One all-reduce; {@link #has} the devices. */
  double ns(double bytes, int devices) {
    final Table table = byDevices.get(devices);
    if (table == null) {
      throw new IllegalArgumentException("devices must be measured: devices=" + devices);
    }
    final double beyond = Math.max(1, bytes / table.largestBytes);
    return Math.exp(table.logs.at(Math.log(Math.max(1, bytes)))) * beyond;
  }
}

package dev.headway.simulation.kernel;

import dev.headway.simulation.model.MatMul;
import dev.headway.simulation.model.MatMul.Rows;
import dev.headway.simulation.model.WeightFormat;
import dev.headway.simulation.step.Roofline;
import dev.headway.toolbox.csv.CsvReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Matrix multiplications {@code m x n x k} of one device. A pair of n and k that was not measured
 * gets the slowdown of the four nearest that were, by the inverse square of the distance between
 * their logarithms.
 *
 * <p>One thread; allocates at the first use of a pair only.
 */
final class GemmKernels {

  private static final int NEIGHBOURS = 4;

  private record Shape(int n, int k) {

    double squareDistance(int otherN, int otherK) {
      final double byN = Math.log((double) n / otherN);
      final double byK = Math.log((double) k / otherK);
      return byN * byN + byK * byK;
    }
  }

  /** Tables of measured shapes, and how much each counts for one that was asked for. */
  private static final class Blend {

    private final SlowdownTable[] tables;
    private final double[] shares;

    Blend(SlowdownTable[] tables, double[] shares) {
      this.tables = tables;
      this.shares = shares;
    }

    double at(double m) {
      double log = 0;
      for (int i = 0; i < tables.length; i++) {
        log += shares[i] * Math.log(tables[i].at(m));
      }
      return Math.exp(log);
    }
  }

  private final Roofline peak;
  private final Map<WeightFormat, Map<Shape, SlowdownTable>> measured = new HashMap<>();
  private final Map<MatMul, Blend> blends = new HashMap<>();
  private int dropped;

  private GemmKernels(Roofline peak) {
    this.peak = peak;
  }

  /**
   * Reads a table.
   *
   * @param peak what the device can do at best
   * @param fp8 the kind of 8-bit multiplication to take: scaled per tensor or per block
   */
  static GemmKernels read(Path file, Roofline peak, String fp8) throws IOException {
    final GemmKernels kernels = new GemmKernels(peak);
    final Map<WeightFormat, Map<Shape, SlowdownTable.Builder>> tables = new HashMap<>();
    CsvReader.read(
        file,
        row -> {
          final String type = row.get("gemm_dtype");
          final WeightFormat format =
              type.equals(fp8)
                  ? WeightFormat.FP8
                  : type.equals("bfloat16") ? WeightFormat.BF16 : null;
          if (format != null) {
            final double m = ProfileCsv.number(row, "m");
            final Shape shape =
                new Shape((int) ProfileCsv.number(row, "n"), (int) ProfileCsv.number(row, "k"));
            final MatMul matMul = new MatMul("", shape.n, shape.k, 1, Rows.TOKENS, format);
            final boolean added =
                tables
                    .computeIfAbsent(format, of -> new HashMap<>())
                    .computeIfAbsent(shape, of -> new SlowdownTable.Builder())
                    .add(ProfileCsv.milliseconds(row, "latency"), peak.matMulNs(matMul, m), m);
            kernels.dropped += added ? 0 : 1;
          }
        });
    tables.forEach(
        (format, shapes) -> {
          final Map<Shape, SlowdownTable> built = new HashMap<>();
          shapes.forEach(
              (shape, table) -> {
                if (!table.isEmpty()) {
                  built.put(shape, table.build());
                }
              });
          if (!built.isEmpty()) {
            kernels.measured.put(format, built);
          }
        });
    return kernels;
  }

  /** Measurements left out because they are faster than the device. */
  int dropped() {
    return dropped;
  }

  /** Whether multiplications with such weights were measured. */
  boolean has(WeightFormat format) {
    return measured.containsKey(format);
  }

  /** One run over {@code rows} rows; {@link #has} its format. */
  double ns(MatMul matMul, double rows) {
    Blend blend = blends.get(matMul);
    if (blend == null) {
      blend = blend(matMul);
      blends.put(matMul, blend);
    }
    return peak.matMulNs(matMul, rows) * blend.at(rows);
  }

  private Blend blend(MatMul matMul) {
    final Map<Shape, SlowdownTable> shapes = measured.getOrDefault(matMul.format(), Map.of());
    final @Nullable SlowdownTable exact = shapes.get(new Shape(matMul.n(), matMul.k()));
    if (exact != null) {
      return new Blend(new SlowdownTable[] {exact}, new double[] {1});
    }
    final List<Map.Entry<Shape, SlowdownTable>> nearest = new ArrayList<>(shapes.entrySet());
    nearest.sort(
        Comparator.comparingDouble(
            (Map.Entry<Shape, SlowdownTable> entry) ->
                entry.getKey().squareDistance(matMul.n(), matMul.k())));
    final int count = Math.min(NEIGHBOURS, nearest.size());
    final SlowdownTable[] tables = new SlowdownTable[count];
    final double[] shares = new double[count];
    double sum = 0;
    for (int i = 0; i < count; i++) {
      tables[i] = nearest.get(i).getValue();
      shares[i] = 1 / nearest.get(i).getKey().squareDistance(matMul.n(), matMul.k());
      sum += shares[i];
    }
    for (int i = 0; i < count; i++) {
      shares[i] /= sum;
    }
    return new Blend(tables, shares);
  }
}

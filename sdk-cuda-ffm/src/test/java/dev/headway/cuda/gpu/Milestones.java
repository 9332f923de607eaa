package dev.headway.cuda.gpu;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.function.Predicate;

/**
 * Holds what was measured against what was promised: reads {@code rates.csv}, and {@code torch.csv}
 * of the same machine if there is one, and prints a line of CSV for each criterion and shape, with
 * the ratio, its target and whether it is met. A criterion that needs a row that is not there says
 * so: it is not counted as met.
 */
final class Milestones {
  private final List<Row> own;
  private final List<Row> torch;
  private final PrintStream out;

  Milestones(List<Row> own, List<Row> torch, PrintStream out) {
    this.own = own;
    this.torch = torch;
    this.out = out;
  }

  /** A line of a table of rates. */
  record Row(String what, String shape, double value) {

    static List<Row> read(Path table) throws IOException {
      final List<Row> rows = new ArrayList<>();
      for (String line : Files.readAllLines(table)) {
        final String[] cells = line.split(",", -1);
        if (cells.length == 6 && !cells[0].equals("milestone")) {
          rows.add(new Row(cells[1], cells[2], Double.parseDouble(cells[3])));
        }
      }
      return rows;
    }
  }

  /** Arguments: rates.csv [torch.csv]. */
  public static void main(String[] args) throws IOException {
    final Path torch = args.length > 1 ? Path.of(args[1]) : Path.of("torch.csv");
    final List<Row> theirs = Files.exists(torch) ? Row.read(torch) : List.of();
    new Milestones(Row.read(Path.of(args[0])), theirs, System.out).print();
  }

  /** Prints the table. */
  void print() {
    out.println("milestone,criterion,shape,ratio,target,met");
    kernels();
    products();
    attention();
    steps();
  }

  private void kernels() {
    final OptionalDouble copy = best(torch, named("copy"));
    atLeast("M3", "copy / torch copy", named("copy"), row -> copy, 0.8);
    atLeast("M3", "rms_norm / torch copy", named("rms_norm"), row -> copy, 0.8);
    final OptionalDouble ownCopy = best(own, named("copy"));
    final Predicate<Row> rowsOfOne =
        named("gemv").and(row -> row.shape().startsWith("1x") && !row.shape().contains("128256"));
    atLeast("M4", "gemv / copy", rowsOfOne, row -> ownCopy, 0.85);
    atLeast("M4", "gemv / torch", rowsOfOne, row -> torch("gemv", row.shape()), 1);
    final Reference library = row -> own("cuBLASLt few rows", row.shape());
    atLeast("M4", "few rows / cuBLASLt", named("gemm few rows"), library, 0.74);
  }

  private void products() {
    final Reference matmul = row -> torch("gemm", row.shape());
    atLeast("M5", "cuBLASLt / torch matmul", named("gemm cuBLASLt"), matmul, 0.95);
    atLeast("M5", "own product / torch matmul", named("gemm own"), matmul, 0.45);
  }

  private void attention() {
    atLeast(
        "M5",
        "attention prefill / torch SDPA",
        named("attention prefill"),
        row -> torch("attention prefill", row.shape()),
        0.5);
    final OptionalDouble copy = best(own, named("copy"));
    final List<Row> best = bestParts();
    final Predicate<Row> large = row -> !row.shape().matches("batch [0-9] .*");
    atLeast("M6", "attention decode / copy", best, large, row -> copy, 0.7);
    atLeast(
        "M6",
        "attention decode / torch SDPA",
        best,
        row -> true,
        row -> torch("attention decode", row.shape()),
        1);
  }

  /** The best cut of each shape, under the name that PyTorch's row has. */
  private List<Row> bestParts() {
    final Map<String, Double> best = new LinkedHashMap<>();
    for (Row row : own) {
      if (row.what().matches("attention decode parts=\\d+")) {
        best.merge(row.shape(), row.value(), Math::max);
      }
    }
    final List<Row> rows = new ArrayList<>();
    best.forEach((shape, value) -> rows.add(new Row("attention decode", shape, value)));
    return rows;
  }

  private void steps() {
    final String replayed = "decode forward replayed";
    final Reference floor = row -> own("decode floor", row.shape());
    final Predicate<Row> replay = named(replayed);
    atMost("M4", "decode / bytes at copy rate", replay.and(batch("8B batch 1 ")), floor, 1.25);
    atMost("M6", "decode / bytes at copy rate", replay.and(batch("8B batch 32 ")), floor, 1.35);
    atMost("M4", "decode / torch CUDA graph", replay, row -> torch(replayed, row.shape()), 1);
    final Predicate<Row> launched = named("decode forward launched");
    atLeast(
        "M4",
        "decode launched / replayed",
        launched.and(batch("1B batch 1 ")),
        row -> own(replayed, row.shape()),
        1.5);
    atLeast(
        "M5", "prefill / torch prefill", named("prefill"), row -> torch("prefill", row.shape()), 1);
    atLeast(
        "M5",
        "prefill / torch products only",
        named("prefill").and(batch("8B ")),
        row -> torch("prefill products only", row.shape()),
        0.6);
    atMost(
        "M7",
        "sampling / decode",
        named("sampling replayed").and(batch("8B batch 32 ")),
        row -> own(replayed, row.shape()),
        0.03);
  }

  private static Predicate<Row> named(String what) {
    return row -> row.what().equals(what);
  }

  private static Predicate<Row> batch(String beginning) {
    return row -> row.shape().startsWith(beginning);
  }

  private OptionalDouble own(String what, String shape) {
    return best(own, named(what).and(row -> row.shape().equals(shape)));
  }

  private OptionalDouble torch(String what, String shape) {
    return best(torch, named(what).and(row -> row.shape().equals(shape)));
  }

  private static OptionalDouble best(List<Row> rows, Predicate<Row> which) {
    return rows.stream().filter(which).mapToDouble(Row::value).max();
  }

  /** What a row is divided by. */
  private interface Reference {
    OptionalDouble of(Row row);
  }

  private void atLeast(
      String milestone,
      String criterion,
      Predicate<Row> which,
      Reference reference,
      double target) {
    atLeast(milestone, criterion, own, which, reference, target);
  }

  private void atLeast(
      String milestone,
      String criterion,
      List<Row> rows,
      Predicate<Row> which,
      Reference reference,
      double target) {
    rows.stream()
        .filter(which)
        .forEach(
            row -> {
              final Optional<Double> ratio = ratio(row, reference);
              line(milestone, criterion, row, ratio, ">=", target, ratio.map(r -> r >= target));
            });
  }

  private void atMost(
      String milestone,
      String criterion,
      Predicate<Row> which,
      Reference reference,
      double target) {
    own.stream()
        .filter(which)
        .forEach(
            row -> {
              final Optional<Double> ratio = ratio(row, reference);
              line(milestone, criterion, row, ratio, "<=", target, ratio.map(r -> r <= target));
            });
  }

  private static Optional<Double> ratio(Row row, Reference reference) {
    final OptionalDouble divisor = reference.of(row);
    return divisor.isPresent()
        ? Optional.of(row.value() / divisor.getAsDouble())
        : Optional.empty();
  }

  private void line(
      String milestone,
      String criterion,
      Row row,
      Optional<Double> ratio,
      String direction,
      double target,
      Optional<Boolean> met) {
    out.printf(
        Locale.ROOT,
        "%s,%s,%s,%s,%s%s,%s%n",
        milestone,
        criterion,
        row.shape(),
        ratio.map(r -> String.format(Locale.ROOT, "%.3f", r)).orElse(""),
        direction,
        target,
        met.map(m -> m ? "yes" : "no").orElse("not compared"));
  }
}

package dev.headway.cuda.gpu;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.stream.Stream;

/**
 * What was measured against what is wanted, a line for each goal: met, not met, or not measured,
 * which is never met. PyTorch's figure of the same shape stands beside it where there is one.
 *
 * <p>Figures are those wanted of an 8B model in bf16 on an H200; on another device they say how far
 * it is from one. Goals that the memory decides stand a second time, scaled by the device's own
 * copy rate against the H200's: what is wanted of this device.
 */
final class Goals {
  /** What the H200 of docs/benchmarks/cuda.md copies, read and written. */
  private static final double H200_COPY_GB_PER_S = 4_250;

  /** Goals that are bytes for the most part. */
  private static final Set<String> OF_BYTES =
      Set.of("decode forward", "attention decode", "rms_norm");

  private final Rates own;
  private final Rates torch;
  private final Scale scale;
  private final PrintStream out;
  private int unmet;
  private int unmeasured;
  private int lines;

  Goals(Rates own, Rates torch, Scale scale, PrintStream out) {
    this.own = own;
    this.torch = torch;
    this.scale = scale;
    this.out = out;
  }

  /** Argument: the folder with the tables of all stages. Ends with 0: a table is no test. */
  public static void main(String[] args) throws IOException {
    final Path folder = Path.of(args[0]);
    final List<Path> tables =
        Stream.of("steps", "products", "kernels", "load", "checks")
            .map(stage -> folder.resolve(stage + ".csv"))
            .toList();
    final Rates torch = Rates.read(List.of(folder.resolve("torch.csv")));
    new Goals(Rates.read(tables), torch, Scale.ofProperty(), System.out).print();
  }

  /** Prints the table, and last a line that counts. */
  void print() {
    out.println("goal,shape,measured,target,unit,met,torch,scaled");
    steps();
    mixed();
    final String name = scale.modelName();
    final int[][] prompts = scale.prompts();
    final int[] longest = prompts[prompts.length - 1];
    atLeast("prefill", name + " " + longest[0] + "x" + longest[1], 42_000, "tokens/s");
    atLeast("load output", name + " 40/s", 5_000, "tokens/s");
    atLeast("load ended", name + " 40/s", 1, "of requests");
    atMost("load rules broken", name + " 40/s", 0, "rows");
    sampling();
    attention();
    products();
    atLeast("rms_norm", shapeOf("rms_norm"), 3_400, "GB/s");
    atMost("decode host", name + " batch 64", 100, "us");
    start();
    nothingRecorded();
    atMost("tests failed", "all classes", 0, "tests");
    atMost("tests skipped without a reason", "all classes", 0, "tests");
    for (String tool : List.of("memcheck", "racecheck", "initcheck", "synccheck")) {
      atMost(tool, "kernel classes", 0, "errors");
    }
    final OptionalDouble copy = copyRate();
    if (copy.isPresent()) {
      out.printf(
          Locale.ROOT,
          "# targets are of an H200; scaled: by the copy rate, %.0f GB/s here and %.0f there%n",
          copy.getAsDouble(),
          H200_COPY_GB_PER_S);
    }
    out.printf(
        "# %d goals: %d met, %d not met, %d not measured%n",
        lines, lines - unmet - unmeasured, unmet, unmeasured);
  }

  private void steps() {
    final int[] batches = {1, 8, 16, 64, 256};
    final int[] most = {4_600, 5_200, 5_400, 7_900, 16_500};
    for (int i = 0; i < batches.length; i++) {
      atMost("decode forward", scale.modelName() + " batch " + batches[i], most[i], "us");
    }
  }

  /** A long context among short ones costs what its bytes cost at the device's copy rate. */
  private void mixed() {
    for (int batch : scale.mixedBatches()) {
      final String shape = scale.modelName() + " batch " + batch;
      final OptionalDouble took = own.of("mixed forward", shape);
      final OptionalDouble uniform = own.of("mixed beside uniform", shape);
      final OptionalDouble bytes = own.of("mixed more bytes", shape);
      final OptionalDouble copy = copyRate();
      OptionalDouble ratio = OptionalDouble.empty();
      if (took.isPresent() && uniform.isPresent() && bytes.isPresent() && copy.isPresent()) {
        final double moreUs = bytes.getAsDouble() / (copy.getAsDouble() * 1e3);
        ratio = OptionalDouble.of(took.getAsDouble() / (uniform.getAsDouble() + moreUs));
      }
      final String what = "one context of " + scale.longContext() + " among short ones";
      line(what, shape, ratio, "<=", 1.15, "of uniform and bytes");
    }
  }

  private void sampling() {
    for (SamplingRates.Filter filter : SamplingRates.Filter.values()) {
      for (int rows : scale.samplingRows()) {
        final String what = "sampling " + filter.words;
        final OptionalDouble worst =
            own.worst(row -> row.what().equals(what) && row.shape().endsWith(" rows " + rows));
        line(what, "any logits rows " + rows, worst, "<=", rows <= 64 ? 150 : 400, "us");
      }
    }
  }

  private void attention() {
    for (int batch : scale.attentionBatches()) {
      if (batch >= 32) {
        atLeast(
            "attention decode", "batch " + batch + " context " + scale.context(), 3_200, "GB/s");
      }
    }
    for (int batch : scale.mixedBatches()) { // bytes that cost what others cost
      final String where = "batch " + batch + " one context of " + scale.longContext();
      atLeast("attention decode", where, 3_200, "GB/s");
    }
    atLeast("attention prefill", scale.attentionPromptTokens() + " tokens", 300, "TFLOP/s");
    atLeast("attention prefill", AttentionRates.turn(scale), 180, "TFLOP/s");
  }

  private void products() {
    for (int[] shape : scale.weights()) {
      for (int m : scale.fewRows()) {
        final String where = m + "x" + shape[0] + "x" + shape[1];
        final OptionalDouble mine = own.of("product own", where);
        final OptionalDouble library = own.of("product cuBLASLt", where);
        line("product own / cuBLASLt", where, ratio(mine, library), "<=", 1.35, "of its time");
      }
    }
    for (int[] shape : scale.weights()) {
      final String where = scale.manyRows() + "x" + shape[0] + "x" + shape[1];
      final double flops = 2.0 * scale.manyRows() * shape[0] * shape[1];
      final OptionalDouble took = own.of("product own", where);
      final OptionalDouble rate =
          took.isPresent()
              ? OptionalDouble.of(flops / took.getAsDouble() / 1e6)
              : OptionalDouble.empty();
      line("product own", where, rate, ">=", 350, "TFLOP/s");
    }
  }

  private void start() {
    final String name = scale.modelName();
    atLeast("start with machine code", name, 1, "");
    atMost("start without recordings", name, 0, "batch sizes");
  }

  /** A first step of a size that was not recorded before takes many milliseconds more. */
  private void nothingRecorded() {
    final OptionalDouble worst = own.worst(row -> row.what().equals("decode first beyond others"));
    line("nothing recorded after start", "first step of any size", worst, "<=", 2_000, "us");
    final String prompt = scale.modelName() + " prompt of " + StepBench.BLOCK;
    final OptionalDouble first = own.of("step first", prompt);
    final OptionalDouble later = own.of("step hundredth", prompt);
    final OptionalDouble more =
        first.isPresent() && later.isPresent()
            ? OptionalDouble.of(first.getAsDouble() - later.getAsDouble())
            : OptionalDouble.empty();
    line("first step of the process", prompt, more, "<=", 2_000, "us beyond the hundredth");
  }

  private static OptionalDouble ratio(OptionalDouble value, OptionalDouble reference) {
    return value.isPresent() && reference.isPresent()
        ? OptionalDouble.of(value.getAsDouble() / reference.getAsDouble())
        : OptionalDouble.empty();
  }

  private String shapeOf(String what) {
    return own.rows().stream()
        .filter(row -> row.what().equals(what))
        .map(Rates.Row::shape)
        .findFirst()
        .orElse("large");
  }

  private void atMost(String what, String shape, double target, String unit) {
    line(what, shape, own.of(what, shape), "<=", target, unit);
  }

  private void atLeast(String what, String shape, double target, String unit) {
    line(what, shape, own.of(what, shape), ">=", target, unit);
  }

  private void line(
      String goal,
      String shape,
      OptionalDouble measured,
      String direction,
      double target,
      String unit) {
    String met = "not measured";
    lines++;
    if (measured.isPresent()) {
      final double value = measured.getAsDouble();
      final boolean isMet = direction.equals("<=") ? value <= target : value >= target;
      met = isMet ? "met" : "not met";
      unmet += isMet ? 0 : 1;
    } else {
      unmeasured++;
    }
    out.printf(
        Locale.ROOT,
        "%s,%s,%s,%s %s,%s,%s,%s,%s%n",
        goal,
        shape,
        number(measured),
        direction,
        number(OptionalDouble.of(target)),
        unit,
        met,
        number(torch.of(goal, shape)),
        scaled(goal, direction, target));
  }

  /** The target of a goal that bytes decide, for this device; empty for others. */
  private String scaled(String goal, String direction, double target) {
    final OptionalDouble copy = copyRate();
    if (!OF_BYTES.contains(goal) || copy.isEmpty()) {
      return "";
    }
    final double share = copy.getAsDouble() / H200_COPY_GB_PER_S;
    final double here = direction.equals("<=") ? target / share : target * share;
    return direction + " " + number(OptionalDouble.of(here));
  }

  private OptionalDouble copyRate() {
    return own.worst(row -> row.what().equals("copy"));
  }

  private static String number(OptionalDouble value) {
    if (value.isEmpty()) {
      return "";
    }
    final double number = value.getAsDouble();
    return String.format(Locale.ROOT, Math.abs(number) < 1_000 ? "%.4g" : "%.0f", number);
  }
}

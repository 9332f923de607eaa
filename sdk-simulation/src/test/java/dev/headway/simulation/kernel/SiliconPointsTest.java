package dev.headway.simulation.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.headway.simulation.hardware.GpuCatalog;
import dev.headway.simulation.kernel.KernelDatabase.EightBit;
import dev.headway.simulation.kernel.SiliconPoints.Point;
import dev.headway.simulation.kernel.SiliconPoints.Simulated;
import dev.headway.simulation.step.HostTime;
import dev.headway.simulation.step.OperatorTimes;
import dev.headway.simulation.step.Roofline;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/**
 * Times per output token of real vLLM servers under closed loops, against their simulation from
 * measured kernels. What the host adds is fitted on one model and one GPU, and tested on another
 * model, on that GPU and another. The tables lie in {@code ../shared/profiles/aiconfigurator} or
 * where {@code -Dheadway.profiles=DIR} says; skipped elsewhere.
 *
 * <p>Times to the first token depend on when the clients of the benchmark sent their requests,
 * which was not recorded; they are compared for mixtures of experts only.
 */
class SiliconPointsTest {

  private static final double MS = 1e6;

  private final Map<String, OperatorTimes> kernels = new HashMap<>();

  private record Errors(HostTime host, double fitted, double sameGpu, double otherGpu) {}

  @Test
  void shouldPredictTheTimePerTokenOfAModelThatNothingWasFittedOn() throws IOException {
    final List<Point> points =
        SiliconPoints.read(folder().resolve("silicon_vllm_h100_h200.csv.gz"), SiliconPoints.DENSE);
    final Errors measured = errors(points, SiliconPointsTest::read);
    final Errors estimated = errors(points, gpu -> new Roofline(GpuCatalog.builtIn().get(gpu)));

    System.out.println("kernels: " + measured);
    System.out.println("roofline: " + estimated);
    assertThat(measured.fitted).isLessThan(0.035);
    assertThat(measured.sameGpu).isLessThan(0.055);
    assertThat(measured.otherGpu).isLessThan(0.18);
    assertThat(estimated.fitted).isLessThan(0.035);
    assertThat(estimated.sameGpu).isLessThan(0.06);
    assertThat(estimated.otherGpu).isLessThan(0.06);
  }

  /** The host's part is that of a dense model under an earlier version of the server. */
  @Test
  void shouldPredictMixturesOfExpertsFromTheRoofline() throws IOException {
    final Path file = folder().resolve("silicon_vllm_h100_h200.csv.gz");
    final Function<String, OperatorTimes> roofline =
        gpu -> new Roofline(GpuCatalog.builtIn().get(gpu));
    final List<Point> dense = SiliconPoints.read(file, SiliconPoints.DENSE);
    final HostTime host = fit(of(dense, "Qwen3-32B h100-sxm bf16 tp8"), roofline);
    final List<Point> points = SiliconPoints.read(file, SiliconPoints.EXPERTS);

    for (String group : points.stream().map(Point::group).distinct().toList()) {
      final Medians medians = medians(of(points, group), roofline, host);
      System.out.println("median " + group + " " + medians);
      assertThat(medians.tpot).as(group).isLessThan(0.25);
      assertThat(medians.ttft).as(group).isLessThan(0.40);
    }
  }

  private record Medians(double ttft, double tpot) {}

  private Medians medians(
      List<Point> points, Function<String, OperatorTimes> source, HostTime host) {
    final double[] ttft = new double[points.size()];
    final double[] tpot = new double[points.size()];
    for (int i = 0; i < ttft.length; i++) {
      final Point point = points.get(i);
      final Simulated simulated = simulate(point, source, host);
      System.out.println(SiliconPoints.row(point, simulated));
      ttft[i] = Math.abs(simulated.ttftMs() / point.ttftMs() - 1);
      tpot[i] = Math.abs(simulated.tpotMs() / point.tpotMs() - 1);
    }
    Arrays.sort(ttft);
    Arrays.sort(tpot);
    return new Medians(ttft[ttft.length / 2], tpot[tpot.length / 2]);
  }

  private Errors errors(List<Point> points, Function<String, OperatorTimes> source) {
    kernels.clear();
    final List<Point> known = of(points, "Qwen3-32B h100-sxm bf16 tp8");
    final HostTime host = fit(known, source);
    return new Errors(
        host,
        meanError(known, source, host),
        meanError(of(points, "Llama-3.1-70B h100-sxm fp8 tp8"), source, host),
        meanError(of(points, "Llama-3.1-70B h200-sxm fp8 tp4"), source, host));
  }

  private static List<Point> of(List<Point> points, String group) {
    return points.stream().filter(point -> point.group().equals(group)).toList();
  }

  /** Least squares of the relative errors over what a step and a request in it add. */
  private HostTime fit(List<Point> points, Function<String, OperatorTimes> source) {
    double steps = 0;
    double both = 0;
    double requests = 0;
    double ofSteps = 0;
    double ofRequests = 0;
    for (Point point : points) {
      final double missing = point.tpotMs() - simulate(point, source, HostTime.NONE).tpotMs();
      final double weight = 1 / (point.tpotMs() * point.tpotMs());
      steps += weight;
      both += weight * point.concurrency();
      requests += weight * point.concurrency() * point.concurrency();
      ofSteps += weight * missing;
      ofRequests += weight * missing * point.concurrency();
    }
    final double determinant = steps * requests - both * both;
    final double perStepMs = (ofSteps * requests - ofRequests * both) / determinant;
    final double perRequestMs = (ofRequests * steps - ofSteps * both) / determinant;
    return new HostTime(Math.max(0, perStepMs) * MS, Math.max(0, perRequestMs) * MS);
  }

  private double meanError(
      List<Point> points, Function<String, OperatorTimes> source, HostTime host) {
    double sum = 0;
    for (Point point : points) {
      final Simulated simulated = simulate(point, source, host);
      System.out.println(SiliconPoints.row(point, simulated));
      sum += Math.abs(simulated.tpotMs() / point.tpotMs() - 1);
    }
    return sum / points.size();
  }

  private Simulated simulate(Point point, Function<String, OperatorTimes> source, HostTime host) {
    return SiliconPoints.simulate(point, kernels.computeIfAbsent(point.gpu(), source), host);
  }

  private static OperatorTimes read(String gpu) {
    try {
      return KernelDatabase.read(folder(), GpuCatalog.builtIn().get(gpu), EightBit.PER_TENSOR);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Path folder() {
    final Path folder = VllmRunTest.directory().resolve("aiconfigurator");
    assumeTrue(
        Files.isDirectory(folder),
        "not tested with the measured servers of aiconfigurator: give its parent by"
            + " -Dheadway.profiles=DIR");
    return folder;
  }
}

package dev.headway.simulation.fit;

import dev.headway.api.step.StepFeatures;
import dev.headway.simulation.hardware.GpuCatalog;
import dev.headway.simulation.hardware.GpuSpec;
import dev.headway.simulation.model.AttentionSpec;
import dev.headway.simulation.model.ForwardPass;
import dev.headway.simulation.model.ModelSpec;
import dev.headway.simulation.model.Parallelism;
import dev.headway.simulation.regression.Coefficient;
import dev.headway.simulation.regression.Coefficient.Status;
import dev.headway.simulation.regression.Feature;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Function;

/** Recorded steps whose coefficients are known. */
final class RecordedFixture {

  static final GpuSpec H100 = GpuCatalog.builtIn().get("h100-sxm");
  static final GpuSpec H200 = GpuCatalog.builtIn().get("h200-sxm");
  static final ForwardPass PASS = pass("8B", 4_096, 32, 1);

  /** In the order of OperatorKind, then per step, request, saved and loaded block. */
  static final double[] FORWARD = {1.4, 1.2, 1.7, 1.3, 1.5, 1.8, 0, 1_500_000, 30_000, 0, 0};

  /** Per step, request, new request, token. */
  static final double[] HOST = {400_000, 20_000, 150_000, 100};

  private RecordedFixture() {}

  static ForwardPass pass(String name, int hiddenSize, int layers, int tensor) {
    return ForwardPass.of(
        ModelSpec.builder(name)
            .layers(layers)
            .hiddenSize(hiddenSize)
            .vocabularySize(128_256)
            .attention(new AttentionSpec.Grouped(hiddenSize / 128, 8, 128))
            .denseIntermediateSize(3 * hiddenSize)
            .build(),
        Parallelism.tensor(tensor));
  }

  /** Steps in which each term is large in turn: few and many requests, short and long contexts. */
  static StepFeatures draw(Random random) {
    final StepFeatures step = new StepFeatures();
    final int kind = random.nextInt(4);
    final int longest = kind == 1 ? 20_000 : 300;
    final int decodes = kind == 2 ? 0 : 1 + random.nextInt(256);
    for (int i = 0; i < decodes; i++) {
      step.addDecode(1, 1 + random.nextInt(longest));
    }
    final int prompts = kind < 2 ? 0 : 1 + random.nextInt(3);
    for (int i = 0; i < prompts; i++) {
      step.addPrefill(1 + random.nextInt(4_000), random.nextInt(2) * random.nextInt(30_000));
    }
    step.addSampling(decodes + prompts);
    step.addAdmissions(prompts, 0);
    step.addBlocks((step.kvTokens() + 15) / 16);
    return step;
  }

  /**
   * Steps of a load made for learning: besides those of {@link #draw} some with one to three
   * decodes, in which the constant is large, and some with nothing but prompts, very short to very
   * long. They tell the constant from the weights, and a new request from its tokens.
   */
  static StepFeatures drawDesigned(Random random) {
    final int kind = random.nextInt(10);
    if (kind < 4) {
      return draw(random);
    }
    final StepFeatures step = new StepFeatures();
    final int decodes = kind == 4 ? 1 + random.nextInt(3) : 0;
    for (int i = 0; i < decodes; i++) {
      step.addDecode(1, 1 + random.nextInt(300));
    }
    final int prompts = kind == 4 ? 0 : 1 + random.nextInt(3);
    final int[] length = {10, 250, 250, 250, 8_000};
    for (int i = 0; i < prompts; i++) {
      step.addPrefill(length[kind - 5] + random.nextInt(length[kind - 5]), 0);
    }
    step.addSampling(decodes + prompts);
    step.addAdmissions(prompts, 0);
    step.addBlocks((step.kvTokens() + 15) / 16);
    return step;
  }

  static FittedPart part(StepPart part, double[] values, ForwardPass pass, GpuSpec gpu) {
    final FormSettings settings = FormSettings.of(StepTimeForm.PHYSICS);
    final Feature[] features = FittedPart.features(part, settings, pass, gpu, null).features();
    final List<Coefficient> coefficients = new ArrayList<>();
    for (int i = 0; i < values.length; i++) {
      coefficients.add(new Coefficient(features[i], values[i], Double.NaN, Status.FITTED));
    }
    return new FittedPart(part, settings, coefficients, Double.NaN);
  }

  static FittedStepTime model(StepPart part, double[] values, ForwardPass pass, GpuSpec gpu) {
    return new FittedSteps(List.of(part(part, values, pass, gpu)), null, StepRange.NONE)
        .on(pass, gpu, null, ErrorBands.UNKNOWN);
  }

  /** A run of the truth, whose times are off by a random share. */
  static RecordedRun run(
      String label, int steps, double noise, long seed, ForwardPass pass, GpuSpec gpu) {
    return run(label, steps, noise, seed, pass, gpu, RecordedFixture::draw);
  }

  private static RecordedRun run(
      String label,
      int steps,
      double noise,
      long seed,
      ForwardPass pass,
      GpuSpec gpu,
      Function<Random, StepFeatures> load) {
    final FittedStepTime forward = model(StepPart.FORWARD, FORWARD, pass, gpu);
    final FittedStepTime host = model(StepPart.HOST, HOST, pass, gpu);
    final Random random = new Random(seed);
    final RecordedSteps recorded = new RecordedSteps(label);
    long nowNs = 0;
    for (int i = 0; i < steps; i++) {
      final StepFeatures step = load.apply(random);
      final long forwardNs = Math.round(forward.ns(step) * (1 + noise * random.nextGaussian()));
      final long hostNs = Math.round(host.ns(step) * (1 + noise * random.nextGaussian()));
      recorded.add(step, forwardNs + hostNs, forwardNs, nowNs);
      nowNs += forwardNs + hostNs;
    }
    return new RecordedRun(recorded, pass, gpu, null);
  }

  static RecordedRun designedRun(int steps, double noise, long seed) {
    return run("run", steps, noise, seed, PASS, H100, RecordedFixture::drawDesigned);
  }

  static RecordedRun run(int steps, double noise, long seed) {
    return run("run", steps, noise, seed, PASS, H100);
  }
}

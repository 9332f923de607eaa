package dev.headway.simulation.fit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.headway.api.step.StepFeatures;
import dev.headway.simulation.fit.StepTimeFit.Regime;
import dev.headway.simulation.fit.TrainingSteps.Omission;
import dev.headway.simulation.hardware.GpuCatalog;
import dev.headway.simulation.hardware.GpuSpec;
import dev.headway.simulation.model.AttentionSpec;
import dev.headway.simulation.model.ForwardPass;
import dev.headway.simulation.model.ModelSpec;
import dev.headway.simulation.model.Parallelism;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Steps made with known coefficients give them back. */
class StepTimeFitTest {

  private static final GpuSpec H100 = GpuCatalog.builtIn().get("h100-sxm");
  private static final ForwardPass PASS = pass(2);

  @TempDir private Path folder;

  private static ForwardPass pass(int tensor) {
    return ForwardPass.of(
        ModelSpec.builder("8B")
            .layers(32)
            .hiddenSize(4_096)
            .vocabularySize(128_256)
            .attention(new AttentionSpec.Grouped(32, 8, 128))
            .denseIntermediateSize(14_336)
            .build(),
        Parallelism.tensor(tensor));
  }

  /** Prompts of all lengths beside decodes of all contexts. */
  private static StepFeatures draw(Random random) {
    final StepFeatures step = new StepFeatures();
    final int decodes = random.nextInt(200);
    for (int i = 0; i < decodes; i++) {
      step.addDecode(1, 1 + random.nextInt(20_000));
    }
    final int prompts = decodes == 0 ? 1 : random.nextInt(3);
    for (int i = 0; i < prompts; i++) {
      step.addPrefill(1 + random.nextInt(4_000), random.nextInt(30_000));
    }
    step.addSampling(decodes + prompts);
    return step;
  }

  private static TrainingSteps steps(double[] truth, double noise, int count) {
    final StepTimeModel model = new StepTimeModel(PASS, H100, truth);
    final Random random = new Random(3);
    final TrainingSteps steps = new TrainingSteps();
    for (int i = 0; i < count; i++) {
      final StepFeatures step = draw(random);
      final double factor = 1 + noise * random.nextGaussian();
      steps.add(step, Math.round(model.stepNs(step) * factor));
    }
    return steps;
  }

  private static double[] truth() {
    return new double[] {1.4, 1.7, 1.3, 1.5, 1.25, 1.8, 1_500_000, 30_000};
  }

  @Test
  void shouldGiveTheCoefficientsBack() {
    final StepTimeFit fit = StepTimeFit.of(steps(truth(), 0.01, 2_000), PASS, H100);

    for (Term term : new Term[] {Term.MAT_MULS, Term.PREFILL_ATTENTION, Term.DECODE_ATTENTION}) {
      final double expected = truth()[term.ordinal()];
      assertThat(fit.model().coefficient(term) / expected).isCloseTo(1, within(0.02));
    }
    assertThat(fit.held().steps()).isEqualTo(400);
    assertThat(fit.held().meanError()).as("the noise itself is 0.8 %").isLessThan(0.0085);
    assertThat(fit.held().bias()).isCloseTo(0, within(0.002));
    assertThat(fit.held().r2()).isGreaterThan(0.995);
    assertThat(fit.heldByRegime().get(Regime.MIXED).steps()).isPositive();
    assertThat(fit.unseen()).containsExactly(Term.EXPERTS);
  }

  @Test
  void shouldNeverBeFasterThanTheDevice() {
    final TrainingSteps impossible = new TrainingSteps();
    final Random random = new Random(5);
    final StepTimeModel peak = new StepTimeModel(PASS, H100, new double[] {1, 1, 1, 1, 1, 1, 0, 0});
    for (int i = 0; i < 200; i++) {
      final StepFeatures step = draw(random);
      impossible.add(step, peak.stepNs(step) / 3);
    }

    final StepTimeFit fit = StepTimeFit.of(impossible, PASS, H100);

    for (Term term : Term.values()) {
      assertThat(fit.model().coefficient(term)).isGreaterThanOrEqualTo(term.lowerBound());
    }
    assertThat(fit.held().bias()).as("predictions are too long, and it says so").isGreaterThan(1);
  }

  @Test
  void shouldRefuseTooFewSteps() {
    assertThatThrownBy(() -> StepTimeFit.of(steps(truth(), 0, 49), PASS, H100))
        .hasMessageContaining("a fit needs at least 50 steps: steps=49");
  }

  @Test
  void shouldReadWhatItWrote() throws IOException {
    final TrainingSteps steps = steps(truth(), 0.01, 100);
    final StepTimeFit fit = StepTimeFit.of(steps, PASS, H100);
    final Path file = folder.resolve("model.json");

    StepTimeModelFile.write(file, fit, PASS, H100, steps);
    final StepTimeModel read = StepTimeModelFile.read(file, PASS, H100);

    assertThat(read.coefficients()).containsExactly(fit.model().coefficients());
    assertThatThrownBy(
            () -> StepTimeModelFile.read(file, PASS, GpuCatalog.builtIn().get("h200-sxm")))
        .hasMessageContaining("must be of this gpu: expected=h200-sxm, found=h100-sxm");
    assertThatThrownBy(() -> StepTimeModelFile.read(file, pass(4), H100))
        .hasMessageContaining("tensor_parallel_size: expected=4, found=2");
  }

  @Test
  void shouldNameWhatIsWrongWithAFile() throws IOException {
    final Path file = folder.resolve("model.json");
    final TrainingSteps steps = steps(truth(), 0, 100);
    StepTimeModelFile.write(file, StepTimeFit.of(steps, PASS, H100), PASS, H100, steps);
    final String sound = Files.readString(file);

    Files.writeString(file, "{");
    assertThatThrownBy(() -> StepTimeModelFile.read(file, PASS, H100))
        .hasMessageContaining("must be JSON");
    Files.writeString(file, sound.replace("\"decode_attention\"", "\"other\""));
    assertThatThrownBy(() -> StepTimeModelFile.read(file, PASS, H100))
        .hasMessageContaining("must have a number at coefficients.decode_attention");
    Files.writeString(file, sound.replaceFirst("\"value\" : [0-9.]+", "\"value\" : 0.5"));
    assertThatThrownBy(() -> StepTimeModelFile.read(file, PASS, H100))
        .hasMessageContaining("a coefficient must be >= 1.0: mat_muls=0.5");
  }

  @Test
  void shouldLeaveOutRowsThatSayNothingAndCountThem() throws IOException {
    final String header =
        "beta_step_ns,warm_up,preempted_requests,n_prefill,t_prefill,prefill_context_sum,"
            + "prefill_attention_pairs,n_decode,t_decode,decode_context_sum,"
            + "decode_context_square_sum,n_spec,sampling_requests\n";
    final String rest = "1,10,5,100.0,2,2,30,500,0,3\n";
    Files.writeString(
        folder.resolve("beta.csv"),
        header
            + ("7000,true,0," + rest)
            + ("7000,false,1," + rest)
            + (",false,0," + rest)
            + ("0,false,0," + rest)
            + ("7000,false,0," + rest));
    final TrainingSteps given = new TrainingSteps();

    given.read(folder);

    assertThat(given.size()).isOne();
    assertThat(given.omitted())
        .isEqualTo(
            Map.of(
                Omission.WARM_UP,
                1,
                Omission.PREEMPTION,
                1,
                Omission.NO_NEXT_STEP,
                1,
                Omission.NO_TIME,
                1));
    final StepFeatures features = given.slice(0, 1).get(0).features();
    assertThat(features.twicePrefillPairs()).isEqualTo(200);
    assertThat(features.decodeContextTokens()).isEqualTo(30);
    assertThat(features.requests()).isEqualTo(3);
    assertThat(features.samplingRequests()).isEqualTo(3);

    Files.writeString(folder.resolve("beta.csv"), header + "7000,false,none," + rest);
    assertThatThrownBy(() -> new TrainingSteps().read(folder))
        .hasMessageContaining("beta.csv, line 2: ");
  }
}

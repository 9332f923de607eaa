package dev.headway.simulation.fit;

import static dev.headway.simulation.fit.RecordedFixture.H100;
import static dev.headway.simulation.fit.RecordedFixture.H200;
import static dev.headway.simulation.fit.RecordedFixture.PASS;
import static dev.headway.simulation.fit.RecordedFixture.run;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.api.step.StepFeatures;
import dev.headway.simulation.fit.PerformanceModelFile.Loaded;
import dev.headway.simulation.model.ForwardPass;
import dev.headway.simulation.model.WeightFormat;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What is written is read again, and damage is named. */
class PerformanceModelFileTest {

  @TempDir private Path folder;
  private Path file;

  @BeforeEach
  void nameFile() {
    file = folder.resolve("model.json");
  }

  private StepTimeFit write(StepTimeForm form) throws IOException {
    final StepTimeFit fit = StepTimeFit.of(List.of(run(300, 0.01, 4)), form, 0.7);
    PerformanceModelFile.write(file, fit, null, null);
    return fit;
  }

  @ParameterizedTest
  @EnumSource(StepTimeForm.class)
  void shouldPredictAsBeforeItWasWritten(StepTimeForm form) throws IOException {
    final FittedStepTime written = write(form).on(PASS, H100, null);

    final Loaded loaded = PerformanceModelFile.read(file, PASS, H100, null);

    final Random random = new Random(6);
    for (int i = 0; i < 50; i++) {
      final StepFeatures step = RecordedFixture.draw(random);
      assertThat(loaded.stepTime().stepNs(step)).isEqualTo(written.stepNs(step));
    }
    assertThat(loaded.isTransferred()).isFalse();
    assertThat(loaded.stepTime().band(Regime.DECODE)).isEqualTo(written.band(Regime.DECODE));
    final StepFeatures far = new StepFeatures();
    far.addPrefill(1_000_000, 0);
    assertThat(loaded.stepTime().band(far)).isEqualTo(written.band(far));
    assertThat(loaded.stepTime().isExtrapolating(far)).isTrue();
  }

  @Test
  void shouldWriteEqualFitsAsEqualBytes() throws IOException {
    write(StepTimeForm.PHYSICS);
    final byte[] once = Files.readAllBytes(file);
    write(StepTimeForm.PHYSICS);

    assertThat(file).hasBinaryContent(once);
  }

  /** Attention reads half the bytes then, so it is another model's. */
  @Test
  void shouldCarryOverToOtherKeysAndValuesAndSaySo() throws IOException {
    write(StepTimeForm.PHYSICS);
    final ForwardPass eight =
        ForwardPass.of(PASS.model().withKvCache(WeightFormat.FP8), PASS.parallelism());
    final StepFeatures step = new StepFeatures();
    step.addDecodesAt(64, 16_000);

    final Loaded usual = PerformanceModelFile.read(file, PASS, H100, null);
    final Loaded loaded = PerformanceModelFile.read(file, eight, H100, null);

    assertThat(loaded.isTransferred()).isTrue();
    assertThat(loaded.recordedOn()).containsExactly("8B on 1 x h100-sxm");
    assertThat(loaded.stepTime().stepNs(step)).isLessThan(usual.stepTime().stepNs(step));
  }

  @Test
  void shouldKnowTheKeysAndValuesOfWhatItWasFittedOn() throws IOException {
    final ForwardPass eight =
        ForwardPass.of(PASS.model().withKvCache(WeightFormat.FP8), PASS.parallelism());
    final RecordedRun run = new RecordedRun(run(300, 0.01, 4).steps(), eight, H100, null);
    PerformanceModelFile.write(
        file, StepTimeFit.of(List.of(run), StepTimeForm.PHYSICS, 0.7), null, null);

    assertThat(PerformanceModelFile.read(file, eight, H100, null).isTransferred()).isFalse();
    final Loaded elsewhere = PerformanceModelFile.read(file, PASS, H100, null);
    assertThat(elsewhere.isTransferred()).isTrue();
    assertThat(elsewhere.recordedOn())
        .containsExactly("8B with keys and values in fp8 on 1 x h100-sxm");
  }

  @ParameterizedTest
  @EnumSource(names = {"PHYSICS", "PIECEWISE"})
  void shouldCarryOverToAnotherDeviceAndSaySo(StepTimeForm form) throws IOException {
    final StepTimeFit fit = write(form);

    final Loaded loaded = PerformanceModelFile.read(file, PASS, H200, null);

    assertThat(loaded.isTransferred()).isTrue();
    assertThat(loaded.recordedOn()).containsExactly("8B on 1 x h100-sxm");
    final StepFeatures decodes = new StepFeatures();
    for (int i = 0; i < 100; i++) {
      decodes.addDecode(1, 10_000);
    }
    assertThat(loaded.stepTime().stepNs(decodes))
        .as("an H200 reads faster")
        .isLessThan(fit.on(PASS, H100, null).stepNs(decodes));
    assertThat(loaded.stepTime().band(Regime.DECODE).low()).as("not known there").isNaN();
    final Path physics = folder.resolve("physics.json");
    PerformanceModelFile.write(
        physics, StepTimeFit.of(fit.runs(), StepTimeForm.PHYSICS, 0.7), null, null);
    assertThat(loaded.stepTime().stepNs(decodes))
        .as("pieces are of one device: others are predicted as physics")
        .isEqualTo(PerformanceModelFile.read(physics, PASS, H200, null).stepTime().stepNs(decodes));
  }

  @Test
  void shouldNameWhatIsWrongWithAFile() throws IOException {
    write(StepTimeForm.PHYSICS);
    final String sound = Files.readString(file);

    assertWrong("{", "must be JSON");
    assertWrong("{}", "must be of this format: expected=headway-performance-model, found=");
    assertWrong(
        sound.replace("\"schema_version\" : 1", "\"schema_version\" : 9"),
        "must be of this schema_version: expected=1, found=9");
    assertWrong(sound.replace("\"form\" : \"physics\"", "\"form\" : \"x\""), "form=x");
    assertWrong(
        sound.replace("\"decode_attention\"", "\"other\""),
        "must have the coefficients of this version, fit it again: beta_forward");
    assertWrong(
        sound.replaceFirst(
            "\"name\" : \"mat_muls\",\\s+\"per\" : \"[a-z ]+\",\\s+\"value\" : [0-9.]+",
            "\"name\" : \"mat_muls\", \"value\" : 0.5"),
        "a coefficient must be >= 1.0: mat_muls=0.5");
    assertWrong(
        sound.replace("\"beta_forward\"", "\"x\"").replace("\"beta_host\"", "\"y\""),
        "must have beta_forward and beta_host, or beta_step");
  }

  private void assertWrong(String content, String message) throws IOException {
    Files.writeString(file, content);
    assertThatThrownBy(() -> PerformanceModelFile.read(file, PASS, H100, null))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(message);
  }
}

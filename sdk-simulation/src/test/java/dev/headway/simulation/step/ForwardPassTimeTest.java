package dev.headway.simulation.step;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.headway.api.step.StepFeatures;
import dev.headway.simulation.hardware.GpuCatalog;
import dev.headway.simulation.hardware.GpuSpec;
import dev.headway.simulation.model.AttentionCall;
import dev.headway.simulation.model.AttentionSpec;
import dev.headway.simulation.model.ExpertCall;
import dev.headway.simulation.model.ExpertsSpec;
import dev.headway.simulation.model.ForwardPass;
import dev.headway.simulation.model.LaunchMode;
import dev.headway.simulation.model.MatMul;
import dev.headway.simulation.model.ModelConfigs;
import dev.headway.simulation.model.ModelSpec;
import dev.headway.simulation.model.ModelSpecReader;
import dev.headway.simulation.model.Parallelism;
import dev.headway.simulation.model.WeightFormat;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class ForwardPassTimeTest {

  private static final GpuSpec H100 = GpuCatalog.builtIn().get("h100-sxm");

  @TempDir private Path folder;

  @ParameterizedTest
  @EnumSource(ModelConfigs.class)
  void shouldHoldTheWeightsOfTheModelOnItsDevices(ModelConfigs config) throws IOException {
    final ModelSpec model = read(config);
    final ForwardPass one = ForwardPass.of(model, Parallelism.NONE);
    final ForwardPass eight = ForwardPass.of(model, Parallelism.tensor(8));

    assertThat(one.weightBytes())
        .isCloseTo(model.weightBytes(), within(0.01 * model.weightBytes()));
    assertThat(eight.weightBytes() * 8).isGreaterThanOrEqualTo(one.weightBytes() * 0.999);
  }

  /** A token takes 1,000 ns in all experts and 100 elsewhere, an all-reduce 1 ns for a byte. */
  private static final class RoundTimes implements OperatorTimes {

    @Override
    public double matMulNs(MatMul matMul, double rows) {
      return matMul.name().equals("qkv_proj") ? 100 * rows : 0;
    }

    @Override
    public double attentionNs(AttentionCall call, StepFeatures step) {
      return 0;
    }

    @Override
    public double expertsNs(ExpertCall experts, double tokens) {
      return tokens * experts.share() * 1_000;
    }

    @Override
    public double elementwiseNs(ForwardPass pass, double tokens) {
      return 0;
    }

    @Override
    public double allReduceNs(double bytes, int devices) {
      return bytes;
    }
  }

  private static final ModelSpec MIXTURE =
      ModelSpec.builder("one layer of experts")
          .layers(1)
          .hiddenSize(64)
          .vocabularySize(100)
          .attention(new AttentionSpec.Grouped(4, 2, 16))
          .experts(new ExpertsSpec(1, 8, 2, 32, 0))
          .build();

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void shouldShareExpertsBetweenRanksThatRunTogether(int expertParallel) {
    final ForwardPass pass =
        ForwardPass.of(MIXTURE, new Parallelism(1, 1, expertParallel, 2), LaunchMode.CUDA_GRAPHS);
    final ForwardPassTime time = new ForwardPassTime(pass, new RoundTimes(), HostTime.NONE);

    // 40 tokens here: 4,000 ns; experts of all 50, half of them or of each: 25,000 ns; their
    // residuals and 8 scores brought there, and the residuals back, for half an all-reduce each
    final double exchange = (50 * (64 + 8) * 2 + 50 * 64 * 2) / 2.0;
    assertThat(time.groupStepNs(List.of(prompt(40), prompt(10))))
        .isEqualTo(Math.round(4_000 + 25_000 + exchange));
    assertThat(time.groupStepNs(List.of(prompt(10), prompt(40))))
        .isEqualTo(Math.round(4_000 + 25_000 + exchange));
  }

  @Test
  void shouldLetARankWithoutRequestsRunAlongWithOneToken() {
    final ForwardPass pass = ForwardPass.of(MIXTURE, new Parallelism(1, 1, 2, 2));
    final ForwardPassTime time = new ForwardPassTime(pass, new RoundTimes(), HostTime.NONE);

    final double exchange = (2 * (64 + 8) * 2 + 2 * 64 * 2) / 2.0;
    assertThat(time.groupStepNs(List.of(prompt(1), new StepFeatures())))
        .isEqualTo(Math.round(100 + 1_000 + exchange));
    assertThat(time.stepNs(prompt(1)))
        .as("the other has as many")
        .isEqualTo(Math.round(100 + 1_000 + exchange));
  }

  private static StepFeatures prompt(int tokens) {
    final StepFeatures step = new StepFeatures();
    step.addPrefill(tokens, 0);
    return step;
  }

  @Test
  void shouldAddUpEmbeddingsAndGatherLogitsOfASpreadVocabulary() {
    final ForwardPass pass = ForwardPass.of(MIXTURE, Parallelism.tensor(2));
    final ForwardPassTime time = new ForwardPassTime(pass, new RoundTimes(), HostTime.NONE);
    final StepFeatures sampled = prompt(10);
    sampled.addSampling(3);

    // the embedding, attention and the experts of 10 tokens; half an all-reduce for 3 x 100 logits
    assertThat(time.stepNs(prompt(10))).isEqualTo(10 * 100 + 10 * 500 + 3 * 10 * 64 * 2);
    assertThat(time.stepNs(sampled) - time.stepNs(prompt(10))).isEqualTo(3 * 100 * 2 / 2);
  }

  @Test
  void shouldTakeTheTimeOfARing() {
    final Link link = new Link(16e9, 20_000);

    // 2 hops of half of it each between two devices, 6 of a quarter between four
    assertThat(link.allReduceNs(32_000, 2)).isCloseTo(2 * (20_000 + 1_000), within(1e-6));
    assertThat(link.allReduceNs(32_000, 4)).isCloseTo(6 * (20_000 + 500), within(1e-6));
  }

  @Test
  void shouldReplaceAllReducesAloneByThoseOfALink() throws IOException {
    final ModelSpec model = read(ModelConfigs.LLAMA_3_1_8B);
    final ForwardPass pass = ForwardPass.of(model, Parallelism.tensor(2));
    final Roofline roofline = new Roofline(H100);
    final Link link = new Link(16e9, 20_000);
    final StepFeatures step = prompt(100);

    final double ownNs = new ForwardPassTime(pass, roofline, HostTime.NONE).ns(step);
    final double linkedNs =
        new ForwardPassTime(pass, new LinkedTimes(roofline, link), HostTime.NONE).ns(step);

    final double bytes = 100.0 * 4_096 * 2;
    assertThat(linkedNs - ownNs)
        .isCloseTo(65 * (link.allReduceNs(bytes, 2) - roofline.allReduceNs(bytes, 2)), within(1.0));
  }

  /** 2 operations per parameter and token, and what attention adds: no faster than the chip. */
  @Test
  void shouldNotPredictAPrefillFasterThanTheDevice() throws IOException {
    final ModelSpec model = read(ModelConfigs.QWEN3_14B);
    final StepFeatures prompt = new StepFeatures();
    prompt.addPrefill(8_000, 0);
    prompt.addSampling(1);

    final double peakMs = timeMs(model, Roofline.Shares.PEAK, prompt);
    final double typicalMs = timeMs(model, Roofline.Shares.TYPICAL, prompt);

    final double floorMs = 2.0 * (model.layerParameters()) * 8_000 / 989.5e12 * 1e3;
    assertThat(peakMs).isBetween(floorMs, 1.25 * floorMs);
    assertThat(typicalMs).isBetween(peakMs / 0.8, peakMs / 0.6);
  }

  @Test
  void shouldReadTheWeightsOnceForADecodeStep() throws IOException {
    final ModelSpec model = read(ModelConfigs.LLAMA_3_1_8B);
    final StepFeatures one = decodes(1, 100);
    final StepFeatures sixteen = decodes(16, 100);

    final double oneMs = timeMs(model, Roofline.Shares.PEAK, one);
    final double sixteenMs = timeMs(model, Roofline.Shares.PEAK, sixteen);

    final double read = 2.0 * (model.parameters() - model.embeddingParameters() / 2.0);
    assertThat(oneMs).isCloseTo(read / 3_350e9 * 1e3, within(0.02));
    assertThat(sixteenMs).isBetween(oneMs, 1.05 * oneMs);
  }

  @Test
  void shouldTouchMoreExpertsWithMoreTokens() throws IOException {
    final ModelSpec model = read(ModelConfigs.QWEN3_30B_A3B);

    final double oneMs = timeMs(model, Roofline.Shares.PEAK, decodes(1, 100));
    final double manyMs = timeMs(model, Roofline.Shares.PEAK, decodes(256, 100));

    // 8 of 128 experts against nearly all: 3 billion parameters against 30
    assertThat(manyMs / oneMs).isBetween(8.0, 12.0);
  }

  @Test
  void shouldAttendToNoMoreThanTheWindow() throws IOException {
    final ModelSpec full = read(ModelConfigs.LLAMA_3_1_8B.json());
    final ModelSpec windowed = read(ModelConfigs.LLAMA_3_1_8B.with("\"sliding_window\": 1000"));

    final double longFull = timeMs(full, Roofline.Shares.PEAK, decodes(64, 16_000));
    final double longWindowed = timeMs(windowed, Roofline.Shares.PEAK, decodes(64, 16_000));
    final double shortFull = timeMs(full, Roofline.Shares.PEAK, decodes(64, 1_000));

    assertThat(longWindowed).isEqualTo(shortFull).isLessThan(longFull / 4);
  }

  @Test
  void shouldLeaveTheRestOfTheMemoryToTheKvCache() throws IOException {
    final ForwardPass pass = ForwardPass.of(read(ModelConfigs.LLAMA_3_1_8B), Parallelism.NONE);

    final int blocks = DeviceMemory.blocks(pass, H100, 0.9, 16, 8_192);

    // vLLM's log for this model, this device and 0.9: some 27,000 blocks
    assertThat(blocks).isBetween(25_000, 29_000);
  }

  /** A step of 2,048 tokens has 4 x 2 x 2 x 14,336 bytes of each in both experts of a token. */
  @Test
  void shouldLeaveMemoryToAllExpertsOfAToken() throws IOException {
    final ModelSpec model = read(ModelConfigs.MIXTRAL_8X7B);
    final ForwardPass pass = ForwardPass.of(model, Parallelism.NONE);
    final GpuSpec h200 = GpuCatalog.builtIn().get("h200-sxm");

    final int few = DeviceMemory.blocks(pass, h200, 0.9, 16, 1);
    final int many = DeviceMemory.blocks(pass, h200, 0.9, 16, 2_049);

    final double bytes = 2_048.0 * 4 * 2 * (2 * 14_336) * 2;
    assertThat(few - many)
        .isBetween((int) (bytes / (16 * 131_072)), (int) (bytes / (16 * 131_072)) + 1);
  }

  /** Llama-3.1-8B: 131,072 bytes of a token in bf16, 8.03 billion parameters of two bytes. */
  @Test
  void shouldReadAndKeepHalfTheBytesOfEightBitKeysAndValues() throws IOException {
    final ModelSpec usual = read(ModelConfigs.LLAMA_3_1_8B);
    final ModelSpec eight = usual.withKvCache(WeightFormat.FP8);
    final ForwardPass usualPass = ForwardPass.of(usual, Parallelism.NONE);
    final ForwardPass eightPass = ForwardPass.of(eight, Parallelism.NONE);
    final StepFeatures step = decodes(64, 16_000);

    assertThat(eight.kvBytesPerToken()).isEqualTo(65_536);
    assertThat(eight.weightBytes()).isEqualTo(usual.weightBytes());
    assertThat(DeviceMemory.kvBytesPerToken(eightPass)).isEqualTo(65_536);
    final int blocks = DeviceMemory.blocks(usualPass, H100, 0.9, 16, 8_192);
    assertThat(DeviceMemory.blocks(eightPass, H100, 0.9, 16, 8_192) - 2 * blocks).isBetween(0, 1);
    // 64 requests read 16,000 tokens each; and every token writes its own, half as many bytes
    final double savedMs = (64 * 16_000.0 + 64) * 65_536 / 3_350e9 * 1e3;
    assertThat(
            timeMs(usual, Roofline.Shares.PEAK, step) - timeMs(eight, Roofline.Shares.PEAK, step))
        .isCloseTo(savedMs, within(0.01));
  }

  @Test
  void shouldTakeNoLessThanTheLaunchesOfAllKernelsWithoutGraphs() throws IOException {
    final ModelSpec model = read(ModelConfigs.LLAMA_3_1_8B);
    final StepFeatures few = decodes(1, 100);
    final StepFeatures prompt = new StepFeatures();
    prompt.addPrefill(8_000, 0);
    prompt.addSampling(1);
    final HostTime host = new HostTime(1_000_000, 0, HostTime.EAGER_LAUNCH_NS);

    final ForwardPass pass = ForwardPass.of(model, Parallelism.NONE, LaunchMode.EAGER);
    final ForwardPassTime eager = new ForwardPassTime(pass, new Roofline(H100), host);
    final ForwardPassTime graphs =
        new ForwardPassTime(ForwardPass.of(model, Parallelism.NONE), new Roofline(H100), host);

    // per layer 4 products, attention, 5 small ones; and the head
    assertThat(pass.kernels()).isEqualTo(32 * 10 + 1);
    assertThat(eager.stepNs(few)).isEqualTo(1_000_000 + 321 * 26_000);
    assertThat(graphs.stepNs(few)).isLessThan(eager.stepNs(few));
    assertThat(eager.stepNs(prompt))
        .as("hidden behind the device")
        .isEqualTo(graphs.stepNs(prompt));
    assertThat(eager.stepNs(new StepFeatures())).as("nothing is launched").isZero();
  }

  @Test
  void shouldLeaveTheMemoryOfGraphsToTheKvCacheWithoutThem() throws IOException {
    final ModelSpec model = read(ModelConfigs.LLAMA_3_1_8B);
    final ForwardPass graphs = ForwardPass.of(model, Parallelism.NONE);
    final ForwardPass eager = ForwardPass.of(model, Parallelism.NONE, LaunchMode.EAGER);

    final int more =
        DeviceMemory.blocks(eager, H100, 0.9, 16, 8_192)
            - DeviceMemory.blocks(graphs, H100, 0.9, 16, 8_192);

    assertThat(more).as("0.5 GiB at 2 MiB per block").isEqualTo(256);
  }

  @Test
  void shouldRefuseWhatCannotBe() throws IOException {
    final ModelSpec large = read(ModelConfigs.LLAMA_3_1_70B);
    final ForwardPass one = ForwardPass.of(large, Parallelism.NONE);

    assertThatThrownBy(() -> DeviceMemory.blocks(one, H100, 0.9, 16, 8_192))
        .hasMessageContaining("the model must leave room for a KV block")
        .hasMessageContaining("gpu=h100-sxm");
    assertThatThrownBy(() -> ForwardPass.of(large, Parallelism.tensor(3)))
        .hasMessageContaining("must divide the attention heads: tensor=3, heads=64");
    assertThatThrownBy(() -> new Roofline.Shares(1.1, 1, 1, 0, 0))
        .hasMessageContaining("compute must be in (0, 1]: compute=1.1");
  }

  private static StepFeatures decodes(int requests, int context) {
    final StepFeatures step = new StepFeatures();
    for (int i = 0; i < requests; i++) {
      step.addDecode(1, context);
    }
    step.addSampling(requests);
    return step;
  }

  private static double timeMs(ModelSpec model, Roofline.Shares shares, StepFeatures step) {
    final ForwardPass pass = ForwardPass.of(model, Parallelism.NONE);
    return new ForwardPassTime(pass, new Roofline(H100, shares), HostTime.NONE).stepNs(step) / 1e6;
  }

  private ModelSpec read(ModelConfigs config) throws IOException {
    return read(config.json());
  }

  private ModelSpec read(String json) throws IOException {
    Files.writeString(folder.resolve("config.json"), json);
    return ModelSpecReader.read(folder);
  }
}

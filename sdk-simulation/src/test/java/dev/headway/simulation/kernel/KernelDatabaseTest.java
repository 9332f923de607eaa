package dev.headway.simulation.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.headway.api.step.StepFeatures;
import dev.headway.simulation.hardware.GpuCatalog;
import dev.headway.simulation.hardware.GpuSpec;
import dev.headway.simulation.kernel.KernelDatabase.EightBit;
import dev.headway.simulation.model.AttentionCall;
import dev.headway.simulation.model.MatMul;
import dev.headway.simulation.model.MatMul.Rows;
import dev.headway.simulation.model.WeightFormat;
import dev.headway.simulation.step.Roofline;
import dev.headway.simulation.step.Roofline.Shares;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tables of a few kernels, in ms, that take round numbers of microseconds. */
class KernelDatabaseTest {

  private static final GpuSpec H100 = GpuCatalog.builtIn().get("h100-sxm");
  private static final Roofline PEAK = new Roofline(H100, Shares.PEAK);
  private static final AttentionCall CALL =
      new AttentionCall(1, 0, 8, 1, 128, 2L * 8 * 128, 2.0 * 128 * 2);

  @TempDir private Path folder;

  @BeforeEach
  void writeTables() throws IOException {
    write(
        "gemm_perf",
        """
        gemm_dtype,m,n,k,latency
        bfloat16,1,4096,4096,0.020
        bfloat16,1024,4096,4096,0.080
        bfloat16,1,8192,4096,0.040
        fp8,1,4096,4096,0.010
        fp8_block,1,4096,4096,0.015
        bfloat16,1024,8192,4096,0.000001
        """);
    final String attention =
        "batch_size,isl,num_heads,num_key_value_heads,head_dim,kv_cache_dtype,step,window_size,"
            + "latency\n";
    write(
        "context_attention_perf",
        attention + "1,1024,8,1,128,bfloat16,0,0,0.050\n" + "1,4096,8,1,128,bfloat16,0,0,0.300\n");
    write(
        "generation_attention_perf",
        attention + "1,1,8,1,128,bfloat16,1024,0,0.010\n" + "64,1,8,1,128,bfloat16,1024,0,0.050\n");
    write(
        "custom_allreduce_perf",
        """
        num_gpus,message_size,latency,backend
        2,1024,0.004,vllm_graph
        2,1024,0.020,vllm_eager
        2,1048576,0.016,vllm_graph
        """);
  }

  private void write(String table, String rows) throws IOException {
    Files.writeString(folder.resolve("h100_sxm_" + table + ".csv"), rows);
  }

  private KernelDatabase read() throws IOException {
    return KernelDatabase.read(folder, H100, EightBit.PER_TENSOR);
  }

  private static MatMul matMul(int n, int k, WeightFormat format) {
    return new MatMul("proj", n, k, 1, Rows.TOKENS, format);
  }

  @Test
  void shouldTakeWhatWasMeasured() throws IOException {
    final KernelDatabase given = read();

    assertThat(given.matMulNs(matMul(4_096, 4_096, WeightFormat.BF16), 1))
        .isCloseTo(20_000, within(0.1));
    assertThat(given.matMulNs(matMul(4_096, 4_096, WeightFormat.BF16), 1_024))
        .isCloseTo(80_000, within(0.1));
    assertThat(given.matMulNs(matMul(4_096, 4_096, WeightFormat.FP8), 1))
        .isCloseTo(10_000, within(0.1));
    assertThat(given.attentionNs(CALL, prompt(1_024, 0))).isCloseTo(50_000, within(0.1));
    assertThat(given.attentionNs(CALL, decodes(64, 1_024))).isCloseTo(50_000, within(0.1));
    assertThat(given.allReduceNs(2_048, 2))
        .as("numbers of two bytes")
        .isCloseTo(4_000, within(0.1));
    assertThat(given.estimated()).isEmpty();
  }

  @Test
  void shouldScaleAsThePeaksDoBetweenMeasurements() throws IOException {
    final KernelDatabase given = read();
    final MatMul matMul = matMul(4_096, 4_096, WeightFormat.BF16);

    final double slowdown = given.matMulNs(matMul, 32) / PEAK.matMulNs(matMul, 32);

    final double atOne = 20_000 / PEAK.matMulNs(matMul, 1);
    final double atMany = 80_000 / PEAK.matMulNs(matMul, 1_024);
    assertThat(slowdown).isCloseTo(Math.sqrt(atOne * atMany), within(1e-9)); // halfway in logs
  }

  @Test
  void shouldTakeTheSlowdownOfNeighboursForAnotherShape() throws IOException {
    final KernelDatabase given = read();
    final MatMul between = matMul(6_000, 4_096, WeightFormat.BF16);

    final double slowdown = given.matMulNs(between, 1) / PEAK.matMulNs(between, 1);

    final double one = 20_000 / PEAK.matMulNs(matMul(4_096, 4_096, WeightFormat.BF16), 1);
    final double other = 40_000 / PEAK.matMulNs(matMul(8_192, 4_096, WeightFormat.BF16), 1);
    assertThat(slowdown).isBetween(Math.min(one, other), Math.max(one, other));
  }

  @Test
  void shouldComposeAChunkFromPromptsWithAsManyPairs() throws IOException {
    final KernelDatabase given = read();
    final StepFeatures chunk = prompt(512, 768); // 512 * (2 * 768 + 512) = 1,024 squared

    assertThat(given.attentionNs(CALL, chunk) / PEAK.attentionNs(CALL, chunk))
        .isCloseTo(50_000 / PEAK.attentionNs(CALL, prompt(1_024, 0)), within(1e-9));
  }

  /** So that a fit tells decodes, which wait for weights, from prompts. */
  @Test
  void shouldTellProductsThatWaitForMemory() throws IOException {
    final KernelDatabase given = read();
    final MatMul matMul = matMul(4_096, 4_096, WeightFormat.BF16);

    assertThat(given.isBoundByMemory(matMul, 8)).isTrue();
    assertThat(given.isBoundByMemory(matMul, 4_096)).isFalse();
  }

  @Test
  void shouldLeaveOutWhatIsFasterThanTheDevice() throws IOException {
    final KernelDatabase given = read();
    final MatMul matMul = matMul(8_192, 4_096, WeightFormat.BF16);

    assertThat(given.dropped()).isEqualTo(1);
    assertThat(given.matMulNs(matMul, 1_024)).isGreaterThan(PEAK.matMulNs(matMul, 1_024));
  }

  @Test
  void shouldNotTrustATableThatIsOftenFasterThanTheDevice() throws IOException {
    Files.writeString(
        folder.resolve("h100_sxm_context_attention_perf.csv"),
        "1,8192,8,1,128,bfloat16,0,0,0.000001\n",
        StandardOpenOption.APPEND);
    final KernelDatabase given = read();

    assertThat(given.attentionNs(CALL, prompt(1_024, 0)))
        .isEqualTo(new Roofline(H100).attentionNs(CALL, prompt(1_024, 0)));
    assertThat(given.estimated()).containsExactly("prefill attention");
    assertThat(given.dropped()).isEqualTo(4);
  }

  @Test
  void shouldSayWhatItEstimates() throws IOException {
    final KernelDatabase given = read();
    final MatMul matMul = matMul(4_096, 4_096, WeightFormat.INT4);
    final AttentionCall latent = new AttentionCall(1, 0, 16, 1, 576, 16L * 1_088, 576 * 2);

    assertThat(given.matMulNs(matMul, 1)).isEqualTo(new Roofline(H100).matMulNs(matMul, 1));
    assertThat(given.attentionNs(latent, decodes(1, 100)))
        .isEqualTo(new Roofline(H100).attentionNs(latent, decodes(1, 100)));
    assertThat(given.allReduceNs(1_000, 4)).isEqualTo(new Roofline(H100).allReduceNs(1_000, 4));
    assertThat(given.estimated())
        .containsExactlyInAnyOrder("gemm of int4", "decode attention", "all-reduce of 4 devices");
  }

  @Test
  void shouldTakeTheKindOfEightBitMultiplicationAskedFor() throws IOException {
    final MatMul matMul = matMul(4_096, 4_096, WeightFormat.FP8);

    assertThat(KernelDatabase.read(folder, H100, EightBit.PER_BLOCK).matMulNs(matMul, 1))
        .isCloseTo(15_000, within(0.1));
  }

  @Test
  void shouldNameTheFileAndTheLineOfWhatItCannotRead() throws IOException {
    write("gemm_perf", "gemm_dtype,m,n,k,latency\nbfloat16,one,4096,4096,0.02\n");
    assertThatThrownBy(this::read).hasMessageContaining("h100_sxm_gemm_perf.csv, line 2");

    write("gemm_perf", "gemm_dtype,m,n,k\nbfloat16,1,4096,4096\n");
    assertThatThrownBy(this::read).hasMessageContaining("latency");

    Files.delete(folder.resolve("h100_sxm_gemm_perf.csv"));
    assertThatThrownBy(this::read).hasMessageContaining("must have h100_sxm_gemm*.csv[.gz]");
    assertThat(KernelDatabase.isIn(folder, H100)).isFalse();
  }

  private static StepFeatures prompt(int tokens, int context) {
    final StepFeatures step = new StepFeatures();
    step.addPrefill(tokens, context);
    return step;
  }

  private static StepFeatures decodes(int requests, int context) {
    final StepFeatures step = new StepFeatures();
    for (int i = 0; i < requests; i++) {
      step.addDecode(1, context);
    }
    return step;
  }
}

package dev.headway.simulation.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.headway.api.step.StepFeatures;
import dev.headway.simulation.hardware.GpuCatalog;
import dev.headway.simulation.hardware.GpuSpec;
import dev.headway.simulation.model.AttentionSpec;
import dev.headway.simulation.model.ExpertsSpec;
import dev.headway.simulation.model.ForwardPass;
import dev.headway.simulation.model.ModelSpec;
import dev.headway.simulation.model.Parallelism;
import dev.headway.simulation.step.ForwardPassTime;
import dev.headway.simulation.step.HostTime;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A model of two layers whose every kernel takes a round number of microseconds. */
class LayerProfileTest {

  private static final ModelSpec MODEL =
      ModelSpec.builder("two layers")
          .layers(2)
          .hiddenSize(64)
          .vocabularySize(100)
          .attention(new AttentionSpec.Grouped(4, 2, 16))
          .denseIntermediateSize(128)
          .build();

  private static final ModelSpec MIXTURE =
      ModelSpec.builder("two layers of experts")
          .layers(2)
          .hiddenSize(64)
          .vocabularySize(100)
          .attention(new AttentionSpec.Grouped(4, 2, 16))
          .experts(new ExpertsSpec(2, 8, 2, 32, 0))
          .build();

  private static final GpuSpec GPU = GpuCatalog.builtIn().get("rtx-pro-6000");
  private static final Path TABLES = Path.of("src", "test", "resources", "kernels");

  @TempDir private Path folder;

  /** Dense kernels take 9 us and one more for each token. */
  @BeforeEach
  void copyTables() throws IOException {
    for (String table : List.of("tp1_dense.csv", "tp1_per_sequence.csv", "tp1_attention.csv")) {
      Files.copy(TABLES.resolve(table), folder.resolve(table));
    }
  }

  @Test
  void shouldAddUpTheKernelsOfADecodeStep() throws IOException {
    final StepFeatures step = decodes(200, 200);

    final long ns = time().stepNs(step);

    // per layer: four projections, two norms, rotary embedding, activation at 2 tokens; attention
    final int layer = 8 * 11 + 50;
    assertThat(ns).isEqualTo((2 * layer + 2 * 11 + 51 + 5) * 1_000L);
  }

  @Test
  void shouldTimePromptsAloneAndBesideDecodes() throws IOException {
    final StepFeatures alone = new StepFeatures();
    alone.addPrefill(24, 0);
    final StepFeatures beside = decodes(100);
    beside.addPrefill(16, 0);

    assertThat(time().stepNs(alone)).isEqualTo((2 * (8 * 33 + 150) + 2 * 33) * 1_000L);
    assertThat(time().stepNs(beside)).isEqualTo((2 * (8 * 26 + 500) + 2 * 26 + 50 + 5) * 1_000L);
  }

  @Test
  void shouldCountUnevenContextsAsLongerOnes() throws IOException {
    Files.writeString(
        folder.resolve("tp1_skew.csv"),
        """
        regime,n,nb,ratio,skew,pc,kp,kvs,kv_big,kv_mean,t_mean_us,t_max_us,t_skew_us,alpha
        pure,2,1,0.5,3,0,0,100,300,200,50,70,60,0.5
        """);

    final long evenNs = time().stepNs(decodes(200, 200));
    final long unevenNs = time().stepNs(decodes(100, 300));

    // half a deviation of 100 tokens: as two of 250, at 20 us per 100 tokens and layer
    assertThat(unevenNs - evenNs).isEqualTo(2 * 10_000L);
  }

  @Test
  void shouldCountUnevenContextsBesideAChunkApart() throws IOException {
    Files.writeString(
        folder.resolve("tp1_attention.csv"),
        "16,0,2,100,600\n16,0,2,300,1000\n",
        StandardOpenOption.APPEND);
    Files.writeString(
        folder.resolve("tp1_skew.csv"),
        """
        regime,n,nb,ratio,skew,pc,kp,kvs,kv_big,kv_mean,t_mean_us,t_max_us,t_skew_us,alpha
        pure,2,1,0.5,3,0,0,100,300,200,50,70,50,0
        mixed,2,1,0.5,3,16,0,100,300,200,800,1000,900,0.5
        """);
    final StepFeatures even = decodes(200, 200);
    even.addPrefill(16, 0);
    final StepFeatures uneven = decodes(100, 300);
    uneven.addPrefill(16, 0);

    // half a deviation of 100 tokens, at 200 us per 100 tokens and layer; without a chunk nothing
    assertThat(time().stepNs(uneven) - time().stepNs(even)).isEqualTo(2 * 100_000L);
    assertThat(time().stepNs(decodes(100, 300))).isEqualTo(time().stepNs(decodes(200, 200)));
  }

  @Test
  void shouldTakeExpertsByTokensAndByHowManyTheyReach() throws IOException {
    writeMoe("");

    final double oneNs = time(MIXTURE, 1).ns(decodes(200));
    final double twoNs = time(MIXTURE, 1).ns(decodes(200, 200));

    // 1 token reaches 2 of 8 experts, 2 tokens 8 (1 - (3/4)^2) = 3.5: 70 + (130 - 70) 1.5 / 2
    assertThat(oneNs).isCloseTo((2 * (5 * 10 + 30 + 50) + 2 * 10 + 50 + 5) * 1e3, within(1e-3));
    assertThat(twoNs).isCloseTo((2 * (5 * 11 + 50 + 115) + 2 * 11 + 51 + 5) * 1e3, within(1e-3));
  }

  @Test
  void shouldAddTheRouterWhereItWasTimedApart() throws IOException {
    writeMoe("gate,1,4\n");

    final double ns = time(MIXTURE, 1).ns(decodes(200));

    assertThat(ns).isCloseTo((2 * (5 * 10 + 30 + 50 + 4) + 2 * 10 + 50 + 5) * 1e3, within(1e-3));
  }

  @Test
  void shouldGiveADeviceItsShareOfTokensAndExperts() throws IOException {
    writeMoe("");
    final ForwardPass halves = ForwardPass.of(MIXTURE, Parallelism.tensor(2));
    final ForwardPass whole = ForwardPass.of(MIXTURE, new Parallelism(2, 1, 2));

    // half of 8 tokens and half of the 8 (1 - (3/4)^8) experts that they reach, 3.6
    final double reached = 4 * (1 - Math.pow(0.75, 8));
    final double expectedNs = (80 + (140 - 80) * (reached - 2) / 2) * 1e3;
    assertThat(LayerProfile.read(folder, halves, GPU).expertsNs(halves.experts(), 8))
        .isCloseTo(expectedNs, within(1e-3));
    assertThat(LayerProfile.read(folder, whole, GPU).expertsNs(whole.experts(), 8))
        .isCloseTo(expectedNs, within(1e-3));
  }

  private void writeMoe(String moreLayers) throws IOException {
    final List<String> rows =
        Files.readAllLines(folder.resolve("tp1_dense.csv")).stream()
            .filter(row -> !row.matches("(gate_up_proj|down_proj|act_fn),.*"))
            .toList();
    Files.writeString(folder.resolve("tp1_dense.csv"), String.join("\n", rows) + "\n" + moreLayers);
    Files.writeString(
        folder.resolve("tp1_moe.csv"),
        """
        tokens,activated_experts,time_us
        1,2,50
        2,2,70
        4,2,80
        2,4,130
        4,4,140
        """);
  }

  @Test
  void shouldShareLayersWithMoreDevicesThanWereProfiled() throws IOException {
    Files.writeString(
        folder.resolve("rtx_pro_6000_custom_allreduce_perf.csv"),
        "num_gpus,message_size,latency,backend\n2,64,0.007,vllm_graph\n2,1024,0.007,vllm_graph\n");

    final long ns = time(MODEL, 2).stepNs(decodes(200, 200));

    // of multiplications half of what is beyond the shortest, 10 us; attention of one request;
    // rotary embedding and activation of one token; norms stay whole; the embedding is added up,
    // and logits are gathered for half of what that takes
    final double layer = 4 * 10.5 + 2 * 11 + 2 * 10 + 30 + 2 * 7;
    assertThat(ns)
        .isEqualTo(Math.round((2 * layer + 2 * 11 + 7 + (10 + 41 / 2.0) + 5 + 3.5) * 1e3));
  }

  @Test
  void shouldShareChunksByTheirWork() throws IOException {
    Files.writeString(
        folder.resolve("tp1_attention.csv"),
        "16,32,0,0,300\n32,32,0,0,600\n",
        StandardOpenOption.APPEND);
    final ForwardPass two = ForwardPass.of(MODEL, Parallelism.tensor(2));
    final StepFeatures step = new StepFeatures();
    step.addPrefill(32, 0);

    final double ns =
        LayerProfile.read(folder, two, GPU).attentionNs(two.attention().getFirst(), step);

    // half the heads of 32 tokens: all heads of 16, which see 16 on average, so 8 before them
    assertThat(ns).isEqualTo((100 + (300 - 100) * 8 / 32.0) * 1e3);
  }

  @Test
  void shouldTakeTheTablesOfAsManyDevicesWhereverTheyLie() throws IOException {
    Files.createDirectory(folder.resolve("tp2"));
    for (String table : List.of("dense", "per_sequence", "attention")) {
      Files.move(folder.resolve("tp1_" + table + ".csv"), folder.resolve("tp2/" + table + ".csv"));
    }
    final ForwardPass two = ForwardPass.of(MODEL, Parallelism.tensor(2));

    final double ns = LayerProfile.read(folder, two, GPU).matMulNs(two.matMuls().getFirst(), 100);

    assertThat(ns).isEqualTo(109_000);
  }

  @Test
  void shouldRefuseLayersOfAnotherModel() throws IOException {
    Files.writeString(
        folder.resolve("tp1_dense.csv"), "shared_head,1,10\n", StandardOpenOption.APPEND);

    assertThatThrownBy(this::time)
        .hasMessageContaining("the profile must have layers of the model only: layer=shared_head");
  }

  @Test
  void shouldNormaliseQueriesAndKeysWhereThatWasTimed() throws IOException {
    final long withoutNs = time().stepNs(decodes(200));
    Files.writeString(folder.resolve("tp1_dense.csv"), "qk_norm,1,3\n", StandardOpenOption.APPEND);

    assertThat(time().stepNs(decodes(200)) - withoutNs).isEqualTo(2 * 3_000L);
  }

  @Test
  void shouldNameWhatIsMissing() throws IOException {
    Files.writeString(folder.resolve("tp1_dense.csv"), "layer,tokens,time_us\nqkv_proj,1,10\n");
    assertThatThrownBy(this::time)
        .hasMessageContaining("the profile must have every layer of the model: layer=o_proj");

    Files.writeString(folder.resolve("tp1_dense.csv"), "layer,tokens,time_us\nqkv_proj,1,fast\n");
    assertThatThrownBy(this::time)
        .isInstanceOf(IOException.class)
        .hasMessageContaining("tp1_dense.csv, line 2");

    Files.delete(folder.resolve("tp1_dense.csv"));
    assertThatThrownBy(this::time).hasMessageContaining("must have tp1_dense*.csv[.gz]");
  }

  private ForwardPassTime time() throws IOException {
    return time(MODEL, 1);
  }

  private ForwardPassTime time(ModelSpec model, int devices) throws IOException {
    final ForwardPass pass = ForwardPass.of(model, Parallelism.tensor(devices));
    return new ForwardPassTime(pass, LayerProfile.read(folder, pass, GPU), HostTime.NONE);
  }

  private static StepFeatures decodes(int... contexts) {
    final StepFeatures step = new StepFeatures();
    for (int context : contexts) {
      step.addDecode(1, context);
    }
    step.addSampling(contexts.length);
    return step;
  }
}

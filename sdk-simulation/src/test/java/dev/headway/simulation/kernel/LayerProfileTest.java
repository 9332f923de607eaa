package dev.headway.simulation.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.api.step.StepFeatures;
import dev.headway.simulation.model.AttentionSpec;
import dev.headway.simulation.model.ForwardPass;
import dev.headway.simulation.model.ModelSpec;
import dev.headway.simulation.model.Parallelism;
import dev.headway.simulation.step.ForwardPassTime;
import dev.headway.simulation.step.HostTime;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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
    return new ForwardPassTime(
        ForwardPass.of(MODEL, Parallelism.NONE), LayerProfile.read(folder, 1), HostTime.NONE);
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

package dev.headway.simulation.fit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.api.Absent;
import dev.headway.api.step.StepFeatures;
import dev.headway.simulation.fit.RecordedSteps.Omission;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rows of training, and which of them count. */
class RecordedStepsTest {

  private static final String HEADER =
      "beta_step_ns,warm_up,preempted_requests,beta_forward_ns,overlapped,begin_ns,n_prefill,"
          + "t_prefill,prefill_context_sum,prefill_attention_pairs,n_decode,t_decode,"
          + "decode_context_sum,decode_context_square_sum,n_spec,sampling_requests,n_new,n_resumed,"
          + "kv_blocks_read\n";
  private static final String BATCH = "1,10,5,100.0,2,2,30,500,0,3,1,0,7\n";

  @TempDir private Path folder;

  private RecordedSteps read(String rows) throws IOException {
    Files.writeString(folder.resolve("beta.csv"), HEADER + rows);
    final RecordedSteps steps = new RecordedSteps("rows");
    steps.read(folder);
    return steps;
  }

  @Test
  void shouldLeaveOutRowsThatSayNothingAndCountThem() throws IOException {
    final RecordedSteps steps =
        read(
            ("7000,true,0,5000,false,1," + BATCH)
                + ("7000,false,1,5000,false,2," + BATCH)
                + (",false,0,5000,false,3," + BATCH)
                + ("0,false,0,5000,false,4," + BATCH)
                + ("7000,false,0,5000,false,5," + BATCH));

    assertThat(steps.size()).isOne();
    assertThat(steps.omitted())
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
    final StepFeatures features = new StepFeatures();
    steps.features(0, features);
    assertThat(features.twicePrefillPairs()).isEqualTo(200);
    assertThat(features.prefillContextTokens()).isEqualTo(5);
    assertThat(features.decodeContextTokens()).isEqualTo(30);
    assertThat(features.decodeContextSquares()).isEqualTo(500);
    assertThat(features.requests()).isEqualTo(3);
    assertThat(features.samplingRequests()).isEqualTo(3);
    assertThat(features.newRequests()).isOne();
    assertThat(features.kvBlocks()).isEqualTo(7);
    assertThat(steps.stepNs(0)).isEqualTo(7_000);
    assertThat(steps.forwardNs(0)).isEqualTo(5_000);
    assertThat(steps.beginNs(0)).isEqualTo(5);
    assertThat(steps.hasForward()).isTrue();
  }

  @Test
  void shouldReadHowManyExpertsComputedWhereThatIsSaid() throws IOException {
    final String row = "7000,false,0,5000,false,1," + BATCH.strip();
    Files.writeString(
        folder.resolve("beta.csv"),
        HEADER.strip() + ",activated_experts\n" + row + ",96\n" + row + ",\n");
    final RecordedSteps steps = new RecordedSteps("rows");
    steps.read(folder);

    assertThat(steps.activatedExperts(0)).isEqualTo(96);
    assertThat(steps.activatedExperts(1)).isEqualTo(Absent.ABSENT);
    assertThat(steps.tokens(0)).isEqualTo(12);
    assertThat(steps.stepNs(0)).isEqualTo(7_000);
    assertThat(read(row + "\n").activatedExperts(0)).isEqualTo(Absent.ABSENT);
  }

  @Test
  void shouldReadWhatExecutorsSayOfAStepAndOfThemselves() throws IOException {
    final String said =
        HEADER.strip()
            + ",max_context,decode_context_max,first_of_kind,kv_saved_blocks,kv_loaded_blocks\n";
    final String row = "7000,false,0,5000,false,1," + BATCH.strip();
    Files.writeString(
        folder.resolve("beta.csv"),
        said + row + ",90,20,true,0,0\n" + row + ",90,20,false,4,5\n" + row + ",90,20,,0,0\n");
    Files.writeString(
        folder.resolve("manifest.json"),
        """
        {"runs": [{"attributes": {"batch_sizes": "1 2 4 8 16", "product_rows": "2 17"}},
                  {"attributes": {"batch_sizes": ""}}, {}]}
        """);
    final RecordedSteps steps = new RecordedSteps("rows");

    steps.read(folder);

    assertThat(steps.omitted()).isEqualTo(Map.of(Omission.FIRST_OF_KIND, 1));
    assertThat(steps.size()).isEqualTo(2);
    assertThat(features(steps, 0).longestDecodeContext()).isEqualTo(20);
    assertThat(features(steps, 0).savedBlocks()).isEqualTo(4);
    assertThat(features(steps, 0).loadedBlocks()).isEqualTo(5);
    assertThat(steps.classEnds())
        .as("filled up to these sizes; other kernels from 2 rows and from 17")
        .containsExactly(1, 2, 4, 8, 16);
    Files.writeString(
        folder.resolve("manifest.json"),
        "{\"runs\": [{\"attributes\": {\"product_rows\": \"x\"}}]}");
    assertThatThrownBy(() -> new RecordedSteps("rows").read(folder))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("manifest.json must be a manifest");
  }

  /** Journals of before there was a column: the longest of all is that of the decodes alone. */
  @Test
  void shouldTakeTheLongestContextForADecodesWhereNoPrefillHasOne() throws IOException {
    final String old = HEADER.strip() + ",max_context\n";
    Files.writeString(
        folder.resolve("beta.csv"),
        old
            + ("7000,false,0,5000,false,1," + BATCH.strip() + ",30\n")
            + "7000,false,0,5000,false,1,1,10,0,50.0,2,2,30,500,0,3,1,0,7,16\n");
    final RecordedSteps steps = new RecordedSteps("rows");

    steps.read(folder.resolve("beta.csv"));

    assertThat(features(steps, 0).longestDecodeContext()).as("a chunk's, perhaps").isZero();
    assertThat(features(steps, 1).longestDecodeContext()).isEqualTo(16);
  }

  private static StepFeatures features(RecordedSteps steps, int row) {
    final StepFeatures features = new StepFeatures();
    steps.features(row, features);
    return features;
  }

  @Test
  void shouldFitForwardPassesByThemselvesWhereAllWereTimed() throws IOException {
    assertThat(read("7000,false,0,,true,5," + BATCH).hasForward()).isFalse();
    assertThat(read("7000,false,0,,false,5," + BATCH).hasForward()).isFalse();
    assertThat(read("7000,false,0,9000,false,5," + BATCH).hasForward()).isFalse();
    assertThat(read("7000,false,0,5000,true,5," + BATCH).hasForward()).isTrue();
    assertThat(read("7000,false,0,7100,true,5," + BATCH).hasForward())
        .as("the output before it was noticed a little late")
        .isTrue();
  }

  /** One that is noticed late makes its own step long and the next one short. */
  @Test
  void shouldLeaveOutStepsWhoseOutputWasNoticedLate() throws IOException {
    final RecordedSteps steps =
        read(
            ("7000,false,0,6900,true,1," + BATCH)
                + ("9000,false,0,6900,true,2," + BATCH)
                + ("4900,false,0,6900,true,3," + BATCH)
                + ("0,false,0,6900,true,4," + BATCH)
                + ("7100,false,0,6900,true,5," + BATCH));

    assertThat(steps.omitted()).isEqualTo(Map.of(Omission.LATE_OUTPUT, 3));
    assertThat(steps.size()).isEqualTo(2);
    assertThat(steps.stepNs(0)).isEqualTo(7_000);
    assertThat(steps.stepNs(1)).isEqualTo(7_100);
  }

  @Test
  void shouldNameTheLineOfARowThatIsWrong() {
    assertThatThrownBy(() -> read("7000,false,none,5000,false,5," + BATCH))
        .hasMessageContaining("beta.csv, line 2: ");
  }

  @Test
  void shouldThinEvenlyBeyondItsMemory() {
    final RecordedSteps steps = new RecordedSteps("long");
    final StepFeatures step = new StepFeatures();
    step.addDecode(1, 10);
    final int offered = 5 * RecordedSteps.MOST_STEPS / 2;

    for (int i = 0; i < offered; i++) {
      step.begin();
      step.addDecode(1, i + 1);
      steps.add(step, 1_000, 900, i);
    }

    assertThat(steps.size()).isEqualTo(offered / 4);
    assertThat(steps.omitted()).containsEntry(Omission.THINNED, offered - offered / 4);
    for (int row = 0; row < steps.size(); row++) {
      assertThat(steps.beginNs(row)).isEqualTo(4L * row);
    }
    steps.features(1, step);
    assertThat(step.decodeContextTokens()).isEqualTo(5);
  }
}

package dev.headway.report.analyze;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProfileReaderTest {

  private static final String V1 =
      "{\"batch_id\":0,\"timestamp\":1700000000.5,\"schedule_duration_ms\":5.2,"
          + "\"model_run_duration_ms\":45.8,\"total_step_duration_ms\":51.0,"
          + "\"num_prefill_reqs\":3,\"num_decode_reqs\":7,\"total_scheduled_tokens\":903,"
          + "\"prefill_chunk_sizes\":[512,256,128],\"decode_chunk_sizes\":[1,1,1,1,1,1,1],"
          + "\"num_waiting_reqs\":5,\"num_running_reqs\":12,\"kv_cache_usage\":0.75}";
  private static final String V2 =
      "{\"batch_id\": 1, \"schedule_duration_ms\": 2.0, \"model_run_duration_ms\": 8.0,"
          + " \"total_scheduled_tokens\": 34, \"chunk_sizes\": [32, 1, 1],"
          + " \"all_computed_tokens\": [16, 90, 110], \"all_cached_tokens\": [16, -1, 0]}";
  private static final String V3 =
      "{\"time\": \"2025-07-01 10:00:00\", \"schedule_ms\": \"1.5\", \"model_run_ms\": \"20.25\","
          + " \"sched_tokens\": [64, 1], \"num_waiting\": 4, \"num_running\": 2,"
          + " \"num_scheduled\": 2, \"computed_tokens\": [0, 99], \"cached_tokens\": [0, 0],"
          + " \"token_budget\": 2048, \"ttft_slo\": null, \"meet_ttft\": \"T\", \"tbt\": [1.0]}";

  @TempDir private Path temporary;
  private final StepTable table = new StepTable();

  @Test
  void shouldReadTheOriginal() throws IOException {
    assertThat(read(V1 + "\n")).isEqualTo(new ProfileReader.Summary(1, 0, false));

    assertThat(table.scheduleMs.at(0)).isEqualTo(5.2);
    assertThat(table.runMs.at(0)).isEqualTo(45.8);
    assertThat(table.totalMs.at(0)).isEqualTo(51.0);
    assertThat(table.prefillRequests.at(0)).isEqualTo(3);
    assertThat(table.prefillTokens.at(0)).isEqualTo(896);
    assertThat(table.tokens.at(0)).isEqualTo(903);
    assertThat(table.kvUsage.at(0)).isEqualTo(0.75);
    assertThat(table.producedTokens.at(0)).isNaN();
    assertThat(table.spanSeconds()).isEqualTo(0.051, org.assertj.core.data.Offset.offset(1e-6));
  }

  @Test
  void shouldReadTheSecondShape() throws IOException {
    assertThat(read(V2 + "\n").records()).isEqualTo(1);

    assertThat(table.totalMs.at(0)).isEqualTo(10);
    assertThat(table.prefillRequests.at(0)).isEqualTo(1);
    assertThat(table.decodeRequests.at(0)).isEqualTo(2);
    assertThat(table.prefillTokens.at(0)).isEqualTo(32);
    assertThat(table.computedMax.at(0)).isEqualTo(110);
    assertThat(table.lookupRequests.at(0)).isEqualTo(1);
    assertThat(table.lookupRequestsHit.at(0)).isEqualTo(1);
    assertThat(table.spanSeconds()).isNaN();
  }

  @Test
  void shouldReadTheThirdShapeWithNumbersAsStrings() throws IOException {
    assertThat(read(V3 + "\n").records()).isEqualTo(1);

    assertThat(table.scheduleMs.at(0)).isEqualTo(1.5);
    assertThat(table.runMs.at(0)).isEqualTo(20.25);
    assertThat(table.tokens.at(0)).isEqualTo(65);
    assertThat(table.waiting.at(0)).isEqualTo(4);
    assertThat(table.decodeRequests.at(0)).isEqualTo(1);
  }

  @Test
  void shouldTakeASumInPlaceOfAList() throws IOException {
    read("{\"schedule_ms\":\"1\",\"sched_tokens\":\"77\"}\n");

    assertThat(table.tokens.at(0)).isEqualTo(77);
    assertThat(table.prefillRequests.at(0)).isNaN();
  }

  @Test
  void shouldToleratePartsOfLinesAndCountThem() throws IOException {
    assertThat(read(V1 + "\n" + V1.substring(0, 70)))
        .isEqualTo(new ProfileReader.Summary(1, 0, true));
    assertThat(read(V1 + "\n" + V1)).isEqualTo(new ProfileReader.Summary(2, 0, false));
    assertThat(read("[]\n{\"other\":1}\n\n" + V1.substring(5) + "\n" + V1 + "\n"))
        .isEqualTo(new ProfileReader.Summary(1, 3, false));
  }

  @Test
  void shouldReadACompressedFileUpToWhereItWasCut() throws IOException {
    final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (OutputStream gzip = new GZIPOutputStream(bytes, 512, true)) {
      gzip.write((V1 + "\n").getBytes(StandardCharsets.UTF_8));
      gzip.flush();
      gzip.write((V2 + "\n").getBytes(StandardCharsets.UTF_8));
    }
    final Path file = temporary.resolve("p.jsonl.gz");
    Files.write(file, bytes.toByteArray());
    assertThat(ProfileReader.read(file, table).records()).isEqualTo(2);

    Files.write(file, Arrays.copyOf(bytes.toByteArray(), bytes.size() - 30));

    assertThat(ProfileReader.read(file, table)).isEqualTo(new ProfileReader.Summary(1, 0, true));
  }

  @Test
  void shouldReadLinesLongerThanItsBuffer() throws IOException {
    final String longLine =
        V2.replace("[32, 1, 1]", "[32" + ", 1".repeat(400_000) + "]").replace("34", "400032");

    assertThat(read(V1 + "\n" + longLine + "\n" + V1 + "\n").records()).isEqualTo(3);

    assertThat(table.decodeRequests.at(1)).isEqualTo(400_000);
  }

  private ProfileReader.Summary read(String text) throws IOException {
    return ProfileReader.read(
        new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)), table);
  }
}

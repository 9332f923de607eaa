package dev.headway.simulation.workload;

import static dev.headway.simulation.workload.TraceFixture.all;
import static dev.headway.simulation.workload.TraceFixture.request;
import static dev.headway.simulation.workload.TraceFixture.trace;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.simulation.workload.generated.NamedLoads;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is written is read again as the same requests; what is lost is counted. */
class TraceWritersTest {
  private static final String CANONICAL_COLUMNS =
      "request_id,arrival_ns,input_tokens,output_tokens,tenant,priority,prefix_block_tokens,"
          + "prefix_blocks\n";

  private final StringBuilder out = new StringBuilder();

  @Test
  void shouldWriteEverythingOfARequest() throws IOException {
    final TraceWriters.Written written =
        write(
            WrittenFormat.CANONICAL,
            new WorkloadRequest("a, \"b\"", 7, 40, 5, new int[] {3, 0, 9}, 16, "acme", -3),
            request("c", 1_000_000_007, 1, 1));

    assertThat(out.toString())
        .isEqualTo(
            CANONICAL_COLUMNS
                + "\"a, \"\"b\"\"\",7,40,5,acme,-3,16,3 0 9\n"
                + "c,1000000007,1,1,,0,,\n");
    assertThat(written).isEqualTo(new TraceWriters.Written(2, Map.of()));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "synthetic(requests=300,tenants=3,seed=5)",
        "priorities(requests=300,seed=5)",
        "chatbot(requests=300,seed=5,prefix-groups=4,prefix-tokens=100,tenants=2)",
        "prefix_repetition(requests=300,rate=20)"
      })
  void shouldReadBackWhatWasWritten(String load) throws IOException {
    final List<WorkloadRequest> requests = Requests.of(NamedLoads.open(load));

    final TraceWriters.Written written = write(WrittenFormat.CANONICAL, requests);

    assertThat(written.losses()).isEmpty();
    assertThat(readBack(TraceFormat.AUTO)).as(load).isEqualTo(requests);
    assertThat(readBack(TraceFormat.ofLabel("canonical"))).isEqualTo(requests);
  }

  @Test
  void shouldWriteMooncakeWithFractionsOfMilliseconds() throws IOException {
    final List<WorkloadRequest> requests =
        List.of(
            request("mooncake-0", 0, 600, 52, 512, 46, 47),
            request("mooncake-1", 27_000_000, 513, 7, 512, 46),
            request("mooncake-2", 30_000_002, 5, 1));

    final TraceWriters.Written written = write(WrittenFormat.MOONCAKE, requests);

    assertThat(out.toString())
        .isEqualTo(
            """
            {"timestamp": 0, "input_length": 600, "output_length": 52, "hash_ids": [46, 47]}
            {"timestamp": 27, "input_length": 513, "output_length": 7, "hash_ids": [46]}
            {"timestamp": 30.000002, "input_length": 5, "output_length": 1, "hash_ids": []}
            """);
    assertThat(written.losses()).isEmpty();
    assertThat(readBack(TraceFormat.AUTO)).isEqualTo(requests);
  }

  /** Two prompts share, in 512-token blocks, what they shared before, rounded down. */
  @ParameterizedTest(name = "blocks of {0}")
  @CsvSource({"16, 1000", "300, 1000", "512, 1500", "1000, 3000", "1024, 3000", "1500, 4000"})
  void shouldKeepSharingInOtherBlocks(int blockTokens, int input) throws IOException {
    final int blocks = Math.ceilDiv(input, blockTokens);
    final int[] first = new int[blocks];
    final int[] second = new int[blocks];
    for (int i = 0; i < blocks; i++) {
      first[i] = i;
      second[i] = i < blocks - 1 ? i : 10_000 + i;
    }
    final int shared = (blocks - 1) * blockTokens;

    write(
        WrittenFormat.MOONCAKE,
        request("a", 0, input, 1, blockTokens, first),
        request("b", 0, input, 1, blockTokens, second),
        request("c", 0, input, 1, blockTokens, first));

    final List<WorkloadRequest> read = readBack(TraceFormat.MOONCAKE);
    assertThat(read).allMatch(request -> request.prefixTokens() == input);
    assertThat(sharedTokens(read.get(0), read.get(1))).isEqualTo(shared / 512 * 512);
    assertThat(sharedTokens(read.get(0), read.get(2))).isEqualTo(input);
    for (WorkloadRequest request : read) {
      assertThat(request.prefixBlockIds()).doesNotHaveDuplicates();
    }
  }

  @Test
  void shouldCountWhatMooncakeCannotHold() throws IOException {
    final TraceWriters.Written written =
        write(
            WrittenFormat.MOONCAKE,
            new WorkloadRequest("a", 0, 2_000, 1, new int[] {4}, 600, "acme", 2),
            new WorkloadRequest("b", 0, 300, 1, new int[] {4}, 100, null, 0));

    assertThat(written.losses())
        .isEqualTo(
            Map.of(
                "prefix tokens that fill no block of 512", 188L, "tenants", 1L, "priorities", 1L));
  }

  @Test
  void shouldWriteATraceOfBlis() throws IOException {
    final List<WorkloadRequest> requests =
        List.of(
            new WorkloadRequest("0", 0, 364, 10, new int[] {0}, 64, "acme", 3),
            new WorkloadRequest("1", 5_000, 100, 7, new int[] {1}, 100, null, 0),
            request("2", 9_000, 64, 2));

    final TraceWriters.Written written = write(WrittenFormat.TRACEV2, requests);

    assertThat(out.toString().lines())
        .containsExactly(
            "request_id,client_id,tenant_id,slo_class,vllm_priority,session_id,round_index,"
                + "prefix_group,prefix_length,streaming,input_tokens,output_tokens,text_tokens,"
                + "image_tokens,audio_tokens,video_tokens,reason_ratio,model,deadline_us,"
                + "server_input_tokens,arrival_time_us,send_time_us,first_chunk_time_us,"
                + "last_chunk_time_us,num_chunks,status,error_message,finish_reason",
            "0,acme,acme,,3,,0,prefix-0,64,true,300,10,0,0,0,0,0,,0,0,0,0,0,0,0,ok,,",
            "1,,,,0,,0,prefix-1,100,true,0,7,0,0,0,0,0,,0,0,5,5,0,0,0,ok,,",
            "2,,,,0,,0,,0,true,64,2,0,0,0,0,0,,0,0,9,9,0,0,0,ok,,");
    assertThat(written.losses()).isEmpty();
    assertThat(readBack(TraceFormat.AUTO)).isEqualTo(requests);
  }

  @Test
  void shouldCountWhatATraceOfBlisCannotHold() throws IOException {
    final TraceWriters.Written written =
        write(
            WrittenFormat.TRACEV2,
            request("a", 1_499, 100, 1, 16, 1, 2, 3),
            request("b", 2_000, 10, 1, 16, 1));

    assertThat(written.losses())
        .isEqualTo(
            Map.of(
                "prefix tokens behind the first block", 32L,
                "arrivals rounded to microseconds", 1L));
    assertThat(out.toString()).contains(",prefix-1,16,true,84,", ",prefix-1-10,10,true,0,");
    assertThatThrownBy(
            () ->
                write(
                    WrittenFormat.TRACEV2,
                    new WorkloadRequest("u", 0, 1, 1, new int[0], 0, null, -1)))
        .hasMessage("tracev2 has no priority below 0: request=u, priority=-1");
  }

  @Test
  void shouldQuoteTheNameInAHeader() {
    assertThat(TraceWriters.traceV2Header("a\"b\\c\n"))
        .endsWith("workload_spec: \"a\\\"b\\\\c?\"\n")
        .startsWith("trace_version: 2\ntime_unit: microseconds\n");
  }

  @Test
  void shouldFindFormatsByTheirLabels() {
    for (WrittenFormat format : WrittenFormat.values()) {
      assertThat(WrittenFormat.ofLabel(format.label())).isSameAs(format);
    }
    assertThatThrownBy(() -> WrittenFormat.ofLabel("csv"))
        .hasMessage("a workload is written as one of canonical, mooncake, tracev2: format=csv");
    assertThatThrownBy(() -> WrittenFormat.ofLabel("mooncak"))
        .hasMessageEndingWith(": format=mooncak; the nearest: mooncake");
  }

  private TraceWriters.Written write(WrittenFormat format, WorkloadRequest... requests)
      throws IOException {
    return write(format, List.of(requests));
  }

  private TraceWriters.Written write(WrittenFormat format, List<WorkloadRequest> requests)
      throws IOException {
    return TraceWriters.write(new ListedLoad(requests), format, out);
  }

  private List<WorkloadRequest> readBack(TraceFormat format) {
    return all(trace(format, out.toString().getBytes(UTF_8)));
  }

  private static int sharedTokens(WorkloadRequest one, WorkloadRequest other) {
    int blocks = 0;
    while (blocks < one.prefixBlockCount()
        && one.prefixBlockIds()[blocks] == other.prefixBlockIds()[blocks]) {
      blocks++;
    }
    return Math.min(one.inputTokens(), blocks * one.prefixBlockTokens());
  }
}

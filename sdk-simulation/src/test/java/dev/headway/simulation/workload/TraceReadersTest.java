package dev.headway.simulation.workload;

import static dev.headway.simulation.workload.TraceFixture.all;
import static dev.headway.simulation.workload.TraceFixture.gzip;
import static dev.headway.simulation.workload.TraceFixture.request;
import static dev.headway.simulation.workload.TraceFixture.trace;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class TraceReadersTest {
  @ParameterizedTest
  @EnumSource(names = {"AZURE", "AUTO"})
  void shouldReadAzureTimesRelativeToTheEarliest(TraceFormat format) {
    final Workload given =
        trace(
            format,
            "TIMESTAMP,ContextTokens,GeneratedTokens",
            "2023-11-16 18:15:46.6805900,374,44",
            "2023-11-16 18:15:50.9951690,396,109");

    assertThat(all(given))
        .containsExactly(
            request("azure-0", 0, 374, 44), request("azure-1", 4_314_579_000L, 396, 109));
  }

  @Test
  void shouldReadAzureZonesOf2024() {
    final Workload given =
        trace(
            TraceFormat.AUTO,
            "TIMESTAMP,ContextTokens,GeneratedTokens",
            "2024-05-10 00:00:00.009930+00:00,2162,5",
            "2024-05-10 02:00:01+02:00,2399,6");

    assertThat(all(given))
        .containsExactly(request("azure-0", 0, 2162, 5), request("azure-1", 990_070_000L, 2399, 6));
  }

  @ParameterizedTest
  @EnumSource(names = {"MOONCAKE", "AUTO"})
  void shouldReadMooncakeBlocksAndFractionsOfMilliseconds(TraceFormat format) {
    final Workload given =
        trace(
            format,
            "{\"timestamp\": 27, \"input_length\": 600, \"output_length\": 52,"
                + " \"hash_ids\": [46, 47]}",
            "{\"hash_ids\": [46], \"x\": {\"y\": [1]}, \"output_tokens\": 7, \"input_tokens\": 513,"
                + " \"timestamp\": 30.0000015}",
            "{\"timestamp\": 1e2, \"input_length\": 5, \"output_length\": 1}");

    assertThat(all(given))
        .containsExactly(
            request("mooncake-0", 27_000_000, 600, 52, 512, 46, 47),
            request("mooncake-1", 30_000_002, 513, 7, 512, 46),
            request("mooncake-2", 100_000_000, 5, 1));
  }

  @ParameterizedTest
  @EnumSource(names = {"LLMSERVINGSIM", "AUTO"})
  void shouldReadLlmServingSimNanosecondsExactly(TraceFormat format) {
    final Workload given =
        trace(
            format,
            "{\"arrival_time_ns\":9007199254740993,\"input_toks\":35,\"output_toks\":2,"
                + "\"hash_ids\":[3,9]}");

    assertThat(all(given))
        .containsExactly(request("llmservingsim-0", 9_007_199_254_740_993L, 35, 2, 16, 3, 9));
  }

  @ParameterizedTest
  @EnumSource(names = {"LLMSERVINGSIM_RUN", "AUTO"})
  void shouldReadRequestsOfVllmAsTheyWereRecorded(TraceFormat format) {
    final String times =
        "\"queued_ts\":479748.3,\"scheduled_ts\":479748.4,\"first_token_ts\":479748.5,"
            + "\"last_token_ts\":479764.0}";
    final Workload given =
        trace(
            format,
            "{\"request_id\":\"bench-0\",\"input_toks\":2358,\"output_toks\":531,"
                + "\"arrival_time\":1777142838.338653,"
                + times,
            "{\"request_id\":\"bench-1\",\"input_toks\":34,\"output_toks\":7,"
                + "\"arrival_time\":1777142838.6237123,"
                + times);

    assertThat(all(given))
        .containsExactly(request("bench-0", 0, 2_358, 531), request("bench-1", 285_059_300, 34, 7));
  }

  @ParameterizedTest
  @EnumSource(names = {"VIDUR", "AUTO"})
  void shouldReadVidurSecondsExactly(TraceFormat format) {
    final Workload given =
        trace(
            format,
            "arrived_at,num_prefill_tokens,num_decode_tokens",
            "0.1,10,20",
            "9007199.254740993,11,21");

    assertThat(all(given))
        .containsExactly(
            request("vidur-0", 100_000_000, 10, 20),
            request("vidur-1", 9_007_199_254_740_993L, 11, 21));
  }

  @ParameterizedTest
  @EnumSource(names = {"HEADWAY", "AUTO"})
  void shouldReadOwnColumnsByNameInAnyOrder(TraceFormat format) {
    final Workload given =
        trace(
            format,
            "tenant,output_tokens,input_tokens,note,arrival_ns,request_id,priority,prefix_group,"
                + "prefix_tokens",
            "acme,5,100,\"a, \"\"b\"\"\",7,first,-3,shop,64",
            ",6,90,,8,second,,help,32",
            ",7,80,,9,third,1,shop,16",
            ",8,70,,10,fourth,,,0");

    assertThat(all(given))
        .containsExactly(
            new WorkloadRequest("first", 7, 100, 5, new int[] {0}, 64, "acme", -3),
            request("second", 8, 90, 6, 32, 1),
            new WorkloadRequest("third", 9, 80, 7, new int[] {0}, 16, null, 1),
            request("fourth", 10, 70, 8));
  }

  @ParameterizedTest
  @ValueSource(strings = {"\n", "\r\n", "\r"})
  void shouldIgnoreByteOrderMarkBlankLinesAndKindOfLineEnd(String end) {
    final String text =
        "\uFEFF"
            + end
            + String.join(
                end,
                "arrived_at, num_prefill_tokens,num_decode_tokens",
                "",
                "  ",
                "1, 10 ,20",
                "",
                "2,11,21");

    final Workload given = trace(TraceFormat.AUTO, text.getBytes(UTF_8));

    assertThat(all(given))
        .containsExactly(
            request("vidur-0", 1_000_000_000, 10, 20), request("vidur-1", 2_000_000_000, 11, 21));
  }

  @Test
  void shouldReadGzipWhateverTheFileIsCalled(@TempDir Path directory) throws IOException {
    final Path file = directory.resolve("trace.csv");
    Files.write(
        file, gzip("arrived_at,num_prefill_tokens,num_decode_tokens\n1,2,3\n".getBytes(UTF_8)));

    final Workload given = TraceReaders.open(file);

    assertThat(given.name()).isEqualTo(file.toString());
    assertThat(all(given)).containsExactly(request("vidur-0", 1_000_000_000, 2, 3));
  }

  @Test
  void shouldPutSmallInversionsInOrderAndKeepTheOrderOfEqualTimes() {
    final Workload given =
        trace(
            TraceFormat.AUTO,
            "TIMESTAMP,ContextTokens,GeneratedTokens",
            "2023-11-16 18:00:02,1,1",
            "2023-11-16 18:00:01,2,1",
            "2023-11-16 18:00:02,3,1");

    assertThat(all(given))
        .containsExactly(
            request("azure-1", 0, 2, 1),
            request("azure-0", 1_000_000_000, 1, 1),
            request("azure-2", 1_000_000_000, 3, 1));
  }

  @Test
  void shouldRefuseInversionsBeyondTheWindow() {
    final TraceLimits twoRows = new TraceLimits(100, 100, 200, 2, 100);
    final String text =
        "arrived_at,num_prefill_tokens,num_decode_tokens\n5,1,1\n6,1,1\n7,1,1\n4.5,1,1\n";
    final Workload given = trace(TraceFormat.VIDUR, text.getBytes(UTF_8), twoRows);

    assertThatThrownBy(() -> all(given))
        .isInstanceOf(TraceFormatException.class)
        .hasMessage(
            "arrivals may be out of order by at most 2 rows (or 100 prefix blocks), else sort the"
                + " trace: file=t, line=5, lateByNs=1500000000");
  }

  @Test
  void shouldLeaveOutAndCountFailedRequests() {
    final Workload given =
        trace(
            TraceFormat.AUTO,
            "TIMESTAMP,ContextTokens,GeneratedTokens",
            "2023-11-16 18:00:01,2,0",
            "2023-11-16 18:00:02,3,1",
            "2023-11-16 18:00:03,0,0",
            "2023-11-16 18:00:04,7,2",
            "2023-11-16 18:00:05,9,0.0");

    assertThat(given.next()).isEqualTo(request("azure-1", 0, 3, 1));
    assertThat(given.adjustments().text())
        .isEqualTo("1 of 2 rows left out: 1 without response tokens");
    assertThat(given.sizeHint()).isEqualTo(OptionalLong.of(1));
    assertThat(all(given)).containsExactly(request("azure-3", 2_000_000_000, 7, 2));
    assertThat(given.adjustments().text())
        .isEqualTo("3 of 5 rows left out: 1 without request tokens, 2 without response tokens");
    assertThat(given.adjustments().firstLeftOut())
        .isEqualTo("file=t, line=2, row without response tokens");
    assertThat(given.adjustedRows()).isEqualTo(3);
  }

  @ParameterizedTest
  @ValueSource(strings = {"7234", "7234.0", "7.234e3", "72340E-1", "+7234", "7234.000"})
  void shouldReadAWholeNumberHoweverItIsWritten(String written) {
    final Workload csv =
        trace(
            TraceFormat.AUTO,
            "request_id,arrival_ns,input_tokens,output_tokens,priority,prefix_blocks,"
                + "prefix_block_tokens",
            "a," + written + "," + written + "," + written + "," + written + "," + written + ","
                + written);

    assertThat(all(csv))
        .containsExactly(
            new WorkloadRequest("a", 7_234, 7_234, 7_234, new int[] {7_234}, 7_234, null, 7_234));
  }

  @Test
  void shouldReadWholeNumbersOfJsonHoweverTheyAreWritten() {
    final Workload json =
        trace(
            TraceFormat.AUTO,
            "{\"timestamp\": 3000, \"input_length\": 7234.0, \"output_length\": 1e2,"
                + " \"hash_ids\": [5.0, 1e1]}");

    assertThat(all(json))
        .containsExactly(request("mooncake-0", 3_000_000_000L, 7_234, 100, 512, 5, 10));
  }

  @Test
  void shouldAcceptHeaderWithoutRowsAndKnowItsSizeAtTheEnd() {
    final Workload given =
        trace(TraceFormat.AUTO, "arrived_at,num_prefill_tokens,num_decode_tokens");

    assertThat(given.sizeHint()).isEqualTo(OptionalLong.empty());
    assertThat(given.next()).isNull();
    assertThat(given.sizeHint()).isEqualTo(OptionalLong.of(0));
  }

  @Test
  void shouldEndAndReleaseTheStreamWhenClosed() throws IOException {
    final TrackedStream stream =
        new TrackedStream("arrived_at,num_prefill_tokens,num_decode_tokens\n1,2,3\n");
    final Workload given = TraceReaders.open("t", stream, TraceFormat.AUTO);

    given.close();
    given.close();

    assertThat(given.next()).isNull();
    assertThat(stream.closed).isTrue();
  }

  @Test
  void shouldReleaseTheStreamWhenOpeningFails() {
    final TrackedStream stream = new TrackedStream("a,b\n1,2\n");

    assertThatThrownBy(() -> TraceReaders.open("t", stream, TraceFormat.AUTO))
        .isInstanceOf(TraceFormatException.class);

    assertThat(stream.closed).isTrue();
  }

  @Test
  void shouldStreamTracesLongerThanMemory() throws IOException {
    final InputStream endless = new EndlessRows();

    try (Workload given =
        Workloads.limit(TraceReaders.open("t", endless, TraceFormat.VIDUR), 300_000)) {
      long count = 0;
      while (given.next() != null) {
        count++;
      }

      assertThat(count).isEqualTo(300_000);
    }
  }

  @Test
  void shouldReadTheImagesOfAzureAsPartOfTheContext() {
    final Workload given =
        trace(
            TraceFormat.AUTO,
            "TIMESTAMP,NumImages,ContextTokens,GeneratedTokens",
            "2024-10-15 00:00:00.5,2,2900,12");

    assertThat(all(given)).containsExactly(request("azure-0", 0, 2900, 12));
  }

  @ParameterizedTest
  @EnumSource(names = {"BAILIAN", "AUTO"})
  void shouldReadBailianSecondsAndSmallBlocks(TraceFormat format) {
    final Workload given =
        trace(
            format,
            "{\"chat_id\": 159, \"parent_chat_id\": -1, \"timestamp\": 61.114,"
                + " \"input_length\": 33, \"output_length\": 132, \"type\": \"text\","
                + " \"turn\": 1, \"hash_ids\": [1089, 1090, 7]}");

    assertThat(all(given))
        .containsExactly(request("bailian-0", 61_114_000_000L, 33, 132, 16, 1089, 1090, 7));
  }

  @Test
  void shouldPlaceLaterTurnsOfMooncakeByTheirDelay() {
    final Workload given =
        trace(
            TraceFormat.AUTO,
            "{\"session_id\": \"a\", \"created_time\": 1000, \"input_tokens\": 10,"
                + " \"output_tokens\": 1}",
            "{\"session_id\": \"a\", \"delay\": 500.5, \"input_tokens\": 20,"
                + " \"output_tokens\": 2}",
            "{\"session_id\": \"b\", \"timestamp\": 1200, \"input_length\": 30,"
                + " \"output_length\": 3}",
            "{\"session_id\": \"a\", \"delay_ms\": 1, \"input_tokens\": 40,"
                + " \"output_tokens\": 4}");

    assertThat(all(given))
        .containsExactly(
            request("mooncake-0", 1_000_000_000, 10, 1),
            request("mooncake-2", 1_200_000_000, 30, 3),
            request("mooncake-1", 1_500_500_000, 20, 2),
            request("mooncake-3", 1_501_500_000, 40, 4));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type"
            + "\n19440110.5,GPT-4,906,446,1352,Conversation log\n19440112,ChatGPT,36,0,36,API log",
        "Timestamp,Session ID,Elapsed time,Model,Request tokens,Response tokens,Total tokens,Log"
            + " Type\n19440110.5,1722ac82,43,GPT-4,906,446,1352,Conversation log"
            + "\n19440112,,2,ChatGPT,36,0,36,API log"
      })
  void shouldReadBothWidthsOfBurstGptAndCountFailures(String text) {
    final Workload given = trace(TraceFormat.AUTO, text.getBytes(UTF_8));

    assertThat(all(given)).containsExactly(request("burstgpt-0", 0, 906, 446));
    assertThat(given.adjustments().text())
        .isEqualTo("1 of 2 rows left out: 1 without response tokens");
  }

  @Test
  void shouldReadTheCsvOfABlisTraceByTheRulesOfItsReplay() {
    final Workload given =
        trace(
            TraceFormat.AUTO,
            "request_id,client_id,tenant_id,slo_class,vllm_priority,session_id,round_index,"
                + "prefix_group,prefix_length,streaming,input_tokens,output_tokens,"
                + "server_input_tokens,arrival_time_us,send_time_us,status",
            "0,c,acme,batch,3,,0,,0,true,100,10,0,5,0,ok",
            "1,c,,,0,s,0,,64,true,100,10,112,10,0,ok",
            "2,c,,,0,,0,shop,64,true,100,10,180,15,17,ok",
            "3,c,,,0,,0,shop,64,true,80,0,0,20,0,timeout",
            "4,c,,,0,,0,shop,0,true,80,7,0,25,0,ok");

    assertThat(all(given))
        .containsExactly(
            new WorkloadRequest("0", 5_000, 100, 10, new int[0], 0, "acme", 3),
            request("1", 10_000, 112, 10),
            request("2", 17_000, 164, 10, 64, 0),
            request("4", 25_000, 80, 7));
  }

  @ParameterizedTest
  @EnumSource(names = {"MEASURED", "AUTO"})
  void shouldReadMeasuredRequests(TraceFormat format) {
    final Workload given =
        trace(
            format,
            "request_id,arrival_s,input_tokens,output_tokens,ttft_s,e2e_s,error,prefix_group,"
                + "prefix_tokens,session",
            "a,0.25,100,7,0.1,0.9,,,,s",
            "b,0.5,100,0,,,timeout,shop,,s",
            "c,0.5,100,3,0.1,0.2,,shop,64,");

    assertThat(all(given))
        .containsExactly(
            request("a", 250_000_000, 100, 7), request("c", 500_000_000, 100, 3, 64, 0));
  }

  @ParameterizedTest
  @EnumSource(names = {"SHAREGPT", "AUTO"})
  void shouldReadShareGptAsVllmDoes(TraceFormat format) {
    final String json =
        """
        [
          {"id": "kept", "x": {"y": [1]}, "conversations": [
            {"from": "human", "value": "%s"}, {"from": "gpt", "value": "%s"},
            {"from": "human", "value": "more"}]},
          {"id": "one turn", "conversations": [{"from": "human", "value": "%s"}]},
          {"id": "short", "conversations": [
            {"from": "human", "value": "twelve chars"}, {"from": "gpt", "value": "%s"}]},
          {"id": "long", "conversations": [{"value": "%s"}, {"value": "%s"}]},
          {"id": "empty"},
          {"id": "kept", "conversations": [
            {"value": "seventeen letters", "from": "human"}, {"value": "and thirteen."}]}
        ]
        """
            .formatted(
                "p".repeat(4_096),
                "a".repeat(4_096),
                "p".repeat(40),
                "a".repeat(40),
                "p".repeat(4_097),
                "a".repeat(40));
    final Workload given = trace(format, ("\uFEFF\n" + json).getBytes(UTF_8));

    assertThat(all(given))
        .containsExactly(request("sharegpt-0", 0, 1_024, 1_024), request("sharegpt-1", 0, 5, 4));
    assertThat(given.adjustments().text())
        .isEqualTo(
            "4 of 6 rows left out: 2 of fewer than two turns, 1 with fewer than 4 tokens in the"
                + " prompt or the answer, 1 with more than 1,024 prompt tokens or 2,048 in all");
  }

  @Test
  void shouldReadCompressedShareGptOnOneLongLine() {
    final StringBuilder json = new StringBuilder("[");
    for (int i = 0; i < 20_000; i++) {
      json.append(i == 0 ? "" : ",").append("{\"conversations\": [{\"value\": \"");
      json.append(Integer.toHexString(i * 0x9E3779B1).repeat(60));
      json.append("\"}, {\"value\": \"an answer of some length\"}]}");
    }

    final Workload given =
        trace(TraceFormat.AUTO, gzip(json.append("]").toString().getBytes(UTF_8)));

    assertThat(all(given)).hasSize(20_000);
  }

  @Test
  void shouldReadListedBlocksOfOwnTraces() {
    final Workload given =
        trace(
            TraceFormat.AUTO,
            "request_id,arrival_ns,input_tokens,output_tokens,prefix_blocks,prefix_block_tokens",
            "a,0,40,1,7 8 12,16",
            "b,0,40,1,,");

    assertThat(all(given))
        .containsExactly(request("a", 0, 40, 1, 16, 7, 8, 12), request("b", 0, 40, 1));
  }

  @Test
  void shouldFindFormatsByTheirLabels() {
    for (TraceFormat format : TraceFormat.values()) {
      assertThat(TraceFormat.ofLabel(format.label())).isSameAs(format);
    }
    assertThatThrownBy(() -> TraceFormat.ofLabel("azur"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "trace format must be one of auto, azure, bailian, mooncake, llmservingsim,"
                + " llmservingsim-run, vidur, burstgpt, sharegpt, tracev2, measured, headway: format=azur; the nearest: azure");
  }

  private static final class TrackedStream extends ByteArrayInputStream {
    private boolean closed;

    TrackedStream(String text) {
      super(text.getBytes(UTF_8));
    }

    @Override
    public void close() {
      closed = true;
    }
  }

  /** A header and then the same row without end. */
  private static final class EndlessRows extends InputStream {
    private static final byte[] HEADER =
        "arrived_at,num_prefill_tokens,num_decode_tokens\n".getBytes(UTF_8);
    private static final byte[] ROW = "1,2,3\n".getBytes(UTF_8);
    private int position;
    private byte[] current = HEADER;

    @Override
    public int read() {
      if (position == current.length) {
        current = ROW;
        position = 0;
      }
      return current[position++];
    }
  }

  @Test
  void shouldReadTheRequestsOfARecordedRun() throws IOException {
    final List<WorkloadRequest> requests =
        all(
            trace(
                TraceFormat.AUTO,
                "request_id,arrival_time,first_scheduled_time,input_tokens,output_tokens,tenant",
                "b,7000,9000,12,3,t",
                "a,5000,5000,10,2,"));

    assertThat(requests).extracting(WorkloadRequest::requestId).containsExactly("a", "b");
    assertThat(requests.get(1).arrivalNs()).isEqualTo(7_000);
    assertThat(requests.get(1).tenant()).isEqualTo("t");
  }
}

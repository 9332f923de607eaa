package dev.headway.simulation.workload.generated;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.headway.simulation.workload.Requests;
import dev.headway.simulation.workload.TraceFormat;
import dev.headway.simulation.workload.TraceFormatException;
import dev.headway.simulation.workload.WorkloadRequest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LoadFilesTest {
  @TempDir private Path dir;

  private void writeChunk(String id, String trace, String dataset) throws IOException {
    Files.writeString(dir.resolve("chunk-" + id + "-trace.csv"), trace);
    Files.writeString(dir.resolve("chunk-" + id + "-dataset.json"), dataset);
  }

  @Test
  void shouldReadTheFolderOfARecordedRun() throws IOException {
    Files.writeString(
        dir.resolve("requests.jsonl"),
        "{\"request_id\": \"bench-0\", \"input_toks\": 12, \"output_toks\": 3,"
            + " \"arrival_time\": 1777142838.3, \"queued_ts\": 4.5}\n");
    Files.writeString(dir.resolve("meta.json"), "{}");

    assertThat(Requests.of(LoadFiles.open(dir, TraceFormat.AUTO)))
        .extracting(WorkloadRequest::requestId)
        .containsExactly("bench-0");
  }

  @Test
  void shouldMakeTheClientsOfServeGen() throws IOException {
    writeChunk(
        "0",
        "\uFEFF28800,2.0,1.5,Gamma,0.4,1.1\n29400,0.5,3,Weibull\n30000,0.0,0,\n",
        """
        {"28800": {"input_tokens": "{100: 0.5, 200.0: 5e-1,}", "output_tokens": "{10: 1.0}"},
         "29400": {"input_tokens": "{}", "output_tokens": "{}"},
         "30000": {"input_tokens": "{7: 1}", "output_tokens": "{7: 1}"}}
        """);
    writeChunk(
        "7",
        "time,rate,cv,pattern\r\n28800,1,1,\r\n29400,1,1,\r\n",
        "{\"0\": {\"input_tokens\": \"{300: 1}\", \"output_tokens\": \"{30: 1}\"}}");
    writeChunk("9", "28800,0,1,\n", "not read");

    final List<WorkloadRequest> requests = Requests.of(LoadFiles.open(dir, TraceFormat.AUTO));

    final List<WorkloadRequest> first = of(requests, "client-0");
    assertThat((double) before(first, 600)).isCloseTo(1_200, within(160.0));
    assertThat((double) first.size() - before(first, 600)).isCloseTo(300, within(160.0));
    assertThat(first)
        .allMatch(request -> request.inputTokens() == 100 || request.inputTokens() == 200)
        .allMatch(request -> request.outputTokens() == 10);
    final List<WorkloadRequest> second = of(requests, "client-7");
    assertThat((double) second.size()).isCloseTo(1_200, within(130.0));
    assertThat(second).allMatch(request -> request.inputTokens() == 300);
    assertThat(first.size() + second.size()).isEqualTo(requests.size());
    assertThat(requests.getLast().arrivalNs()).isLessThanOrEqualTo(1_200_000_000_000L);
    assertThat(requests).isEqualTo(Requests.of(LoadFiles.open(dir, TraceFormat.AUTO)));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "5,x,1,Gamma | {} | trace row is not readable: file=D/chunk-1-trace.csv, line=1; must be"
            + " start, rate >= 0, cv, pattern",
        "5,1,1,Gamma | {} | data set is not readable: file=D/chunk-1-dataset.json, at=top; must have"
            + " a window with input_tokens and output_tokens",
        "5,1,1,Gamma | x | data set is not readable: file=D/chunk-1-dataset.json, at=top; must be"
            + " JSON",
        "5,0,1,Gamma | {} | a directory must be a journal, or hold chunk-*-trace.csv of ServeGen with a"
            + " rate > 0: directory=D",
      })
  void shouldSayWhatAServeGenDirectoryMustHave(String trace, String dataset, String message)
      throws IOException {
    writeChunk("1", trace, dataset);

    assertThatThrownBy(() -> LoadFiles.open(dir, TraceFormat.AUTO))
        .isInstanceOf(TraceFormatException.class)
        .hasMessage(message.replace("D/", dir + "/").replace("=D", "=" + dir));
  }

  @Test
  void shouldNameTheHistogramThatIsWrong() throws IOException {
    writeChunk(
        "1", "5,1,1,", "{\"5\": {\"input_tokens\": \"{a: 1}\", \"output_tokens\": \"{1: 1}\"}}");

    assertThatThrownBy(() -> LoadFiles.open(dir, TraceFormat.AUTO))
        .hasMessageEndingWith("at=5.input_tokens; must be {tokens: weight, ...}");
  }

  @Test
  void shouldReadATraceByItsHeader() throws IOException {
    final Path header =
        Files.writeString(
            dir.resolve("run.yaml"),
            "\uFEFFtrace_version: 2\ntime_unit: microseconds\nmode: generated\nwarm_up_requests: 0\n");
    assertThatThrownBy(() -> LoadFiles.open(header, TraceFormat.AUTO))
        .isInstanceOf(NoSuchFileException.class)
        .hasMessageContaining("run.csv");

    Files.writeString(
        dir.resolve("run.csv"),
        "request_id,arrival_time_us,input_tokens,output_tokens\n5,10,3,4\n");

    assertThat(Requests.of(LoadFiles.open(header, TraceFormat.AUTO)))
        .containsExactly(new WorkloadRequest("5", 10_000, 3, 4, new int[0], 0, null, 0));
  }

  @Test
  void shouldRefuseAHeaderInAnotherUnit() throws IOException {
    final Path header =
        Files.writeString(dir.resolve("run.yml"), "trace_version: 2\ntime_unit: ms\n");

    assertThatThrownBy(() -> LoadFiles.open(header, TraceFormat.AUTO))
        .hasMessage(
            "workload spec is not readable: file=%s, at=top, key=time_unit; must be microseconds"
                .formatted(header));
  }

  private static List<WorkloadRequest> of(List<WorkloadRequest> requests, String tenant) {
    return requests.stream().filter(request -> tenant.equals(request.tenant())).toList();
  }

  private static long before(List<WorkloadRequest> requests, double seconds) {
    return requests.stream().filter(request -> request.arrivalNs() < seconds * 1e9).count();
  }
}

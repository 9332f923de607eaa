package dev.headway.loadgen.result;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.loadgen.run.RunRecord;
import dev.headway.loadgen.run.RunResult;
import dev.headway.routing.timing.RequestTiming;
import dev.headway.routing.timing.TimingStage;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.commons.csv.CSVFormat;
import org.apache.commons.csv.CSVPrinter;

/**
 * {@code requests.csv}: a row per measured request in seconds, as {@code headway simulate} writes
 * it, so that {@code headway calibrate} compares the two and {@code headway replay} sends it again.
 * Latencies count from the arrival, waiting in the client included; {@code sent_id} is the id that
 * was sent to the server, by which its journal has the request. Stateless.
 */
public final class RequestsCsv {

  /** The file's name. */
  public static final String NAME = "requests.csv";

  private static final int NS_DIGITS = 9;
  private static final CSVFormat FORMAT =
      CSVFormat.RFC4180
          .builder()
          .setRecordSeparator('\n')
          .setHeader(
              "request_id",
              "arrival_s",
              "input_tokens",
              "output_tokens",
              "ttft_s",
              "e2e_s",
              "queue_s",
              "error",
              "client_queue_s",
              "cached_tokens",
              "tenant",
              "priority",
              "sent_id")
          .get();

  private RequestsCsv() {}

  /**
   * Writes the file.
   *
   * @throws IOException if it cannot be written
   */
  public static void write(Path file, RunResult run) throws IOException {
    try (CSVPrinter out =
        new CSVPrinter(Files.newBufferedWriter(file, StandardCharsets.UTF_8), FORMAT)) {
      for (RunRecord record : run.measured()) {
        final RequestTiming at = record.exchange().at();
        out.printRecord(
            record.request().shape().requestId(),
            seconds(at.ns(TimingStage.ARRIVED) - run.originNs()),
            record.promptTokens(),
            record.isOk() ? record.outputTokens() : 0,
            record.isOk() ? seconds(firstNs(at)) : "",
            record.isOk()
                ? seconds(at.durationNs(TimingStage.ARRIVED, TimingStage.CLIENT_LAST_TOKEN))
                : "",
            "", // the server's own queue is in the file of all instants
            record.exchange().error() == null ? "" : record.exchange().error(),
            seconds(at.durationNs(TimingStage.ARRIVED, TimingStage.SENT)),
            record.exchange().cachedTokens() < 0 ? "" : record.exchange().cachedTokens(),
            record.request().shape().tenant() == null ? "" : record.request().shape().tenant(),
            record.request().shape().priority(),
            record.id());
      }
    }
  }

  /** Of an answer that came whole, all of it is its first token. */
  private static long firstNs(RequestTiming at) {
    final long ttftNs = at.durationNs(TimingStage.ARRIVED, TimingStage.CLIENT_FIRST);
    return ttftNs == ABSENT
        ? at.durationNs(TimingStage.ARRIVED, TimingStage.CLIENT_LAST_TOKEN)
        : ttftNs;
  }

  private static String seconds(long ns) {
    return ns == ABSENT ? "" : BigDecimal.valueOf(ns, NS_DIGITS).toPlainString();
  }
}

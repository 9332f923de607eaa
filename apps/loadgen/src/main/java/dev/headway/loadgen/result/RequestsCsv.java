package dev.headway.loadgen.result;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.loadgen.run.RunRecord;
import dev.headway.loadgen.run.RunResult;
import dev.headway.routing.timing.RequestTiming;
import dev.headway.routing.timing.TimingStage;
import dev.headway.toolbox.csv.CsvTable;
import dev.headway.toolbox.csv.CsvWriter;
import java.io.IOException;
import java.nio.file.Path;

/**
 * {@code requests.csv}: a row per measured request in seconds, as {@code headway simulate} writes
 * it, so that {@code headway calibrate} compares the two and {@code headway replay} sends it again.
 * Latencies count from the arrival, waiting in the client included; {@code sent_id} is the id that
 * was sent to the server, by which its journal has the request. Stateless.
 */
public final class RequestsCsv {

  /** The file's name. */
  public static final String NAME = "requests.csv";

  private RequestsCsv() {}

  /**
   * Writes the file.
   *
   * @throws IOException if it cannot be written
   */
  public static void write(Path file, RunResult run) throws IOException {
    try (CsvWriter<RunRecord> out = table(run.originNs()).create(file)) {
      for (RunRecord record : run.measured()) {
        out.write(record);
      }
    }
  }

  private static CsvTable<RunRecord> table(long originNs) {
    return CsvTable.<RunRecord>of()
        .column("request_id", record -> record.request().shape().requestId())
        .seconds("arrival_s", record -> at(record).ns(TimingStage.ARRIVED) - originNs)
        .column("input_tokens", RunRecord::promptTokens)
        .column("output_tokens", record -> record.isOk() ? record.outputTokens() : 0)
        .seconds("ttft_s", record -> record.isOk() ? firstNs(at(record)) : ABSENT)
        .seconds("e2e_s", record -> record.isOk() ? untilLastNs(at(record)) : ABSENT)
        .column("queue_s", record -> null) // the server's own queue is in the file of all instants
        .column("error", record -> record.exchange().error())
        .seconds(
            "client_queue_s",
            record -> at(record).durationNs(TimingStage.ARRIVED, TimingStage.SENT))
        .column(
            "cached_tokens",
            record ->
                record.exchange().cachedTokens() < 0 ? null : record.exchange().cachedTokens())
        .column("tenant", record -> record.request().shape().tenant())
        .column("priority", record -> record.request().shape().priority())
        .column("sent_id", RunRecord::id);
  }

  private static RequestTiming at(RunRecord record) {
    return record.exchange().at();
  }

  /** Of an answer that came whole, all of it is its first token. */
  private static long firstNs(RequestTiming at) {
    final long ttftNs = at.durationNs(TimingStage.ARRIVED, TimingStage.CLIENT_FIRST);
    return ttftNs == ABSENT ? untilLastNs(at) : ttftNs;
  }

  private static long untilLastNs(RequestTiming at) {
    return at.durationNs(TimingStage.ARRIVED, TimingStage.CLIENT_LAST_TOKEN);
  }
}

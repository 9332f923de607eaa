package dev.headway.cli.simulate;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.events.model.RequestTimeline;
import dev.headway.events.record.FinishedRecord;
import dev.headway.events.record.RejectedRecord;
import dev.headway.simulation.run.RunMeter;
import dev.headway.toolbox.csv.CsvTable;
import dev.headway.toolbox.csv.CsvWriter;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * {@code requests.csv}: what a load generator would have measured of each request, in seconds with
 * nine digits, in the order in which requests ended.
 */
final class RequestRows implements RunMeter.RequestEnds, Closeable {

  /**
   * A request as a load generator sees it.
   *
   * @param outputTokens 0 if it got none
   * @param ttftNs absent without a token
   * @param endToEndNs absent if it was refused
   * @param queueNs absent if it is not known
   * @param error null if it got its tokens
   */
  record Row(
      String requestId,
      long arrivalNs,
      long promptTokens,
      long outputTokens,
      long ttftNs,
      long endToEndNs,
      long queueNs,
      @Nullable String error) {}

  private final CsvWriter<Row> rows;

  RequestRows(Path file) throws IOException {
    rows = RequestRows.<Row>table(row -> row).create(file);
  }

  /** The columns that each row begins with, here and where a router's columns follow. */
  static <R> CsvTable<R> table(Function<R, Row> request) {
    return CsvTable.<R>withCrLf()
        .column("request_id", row -> request.apply(row).requestId)
        .seconds("arrival_s", row -> request.apply(row).arrivalNs)
        .column("input_tokens", row -> request.apply(row).promptTokens)
        .column("output_tokens", row -> request.apply(row).outputTokens)
        .seconds("ttft_s", row -> request.apply(row).ttftNs)
        .seconds("e2e_s", row -> request.apply(row).endToEndNs)
        .seconds("queue_s", row -> request.apply(row).queueNs)
        .column("error", row -> request.apply(row).error);
  }

  @Override
  public void finished(RequestTimeline request, FinishedRecord end) {
    final boolean hasToken = request.firstTokenNs() != ABSENT;
    write(
        new Row(
            request.queued().requestId(),
            request.queued().arrivalNs(),
            request.queued().promptTokens(),
            end.outputTokens(),
            hasToken ? request.ttftNs() : ABSENT,
            request.endToEndNs(),
            request.firstScheduledNs() == ABSENT
                ? ABSENT
                : request.firstScheduledNs() - request.queued().arrivalNs(),
            hasToken ? null : end.reason()));
  }

  @Override
  public void rejected(RejectedRecord rejection) {
    write(
        new Row(
            rejection.requestId(),
            rejection.atNs(),
            rejection.promptTokens(),
            0,
            ABSENT,
            ABSENT,
            ABSENT,
            rejection.reason()));
  }

  private void write(Row row) {
    try {
      rows.write(row);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() throws IOException {
    rows.close();
  }
}

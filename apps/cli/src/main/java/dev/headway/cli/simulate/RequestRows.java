package dev.headway.cli.simulate;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.events.model.RequestTimeline;
import dev.headway.events.record.FinishedRecord;
import dev.headway.events.record.RejectedRecord;
import dev.headway.simulation.run.RunMeter;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.commons.csv.CSVFormat;
import org.apache.commons.csv.CSVPrinter;

/**
 * {@code requests.csv}: what a load generator would have measured of each request, in seconds with
 * nine digits, in the order in which requests ended.
 */
final class RequestRows implements RunMeter.RequestEnds, Closeable {

  /** What each row begins with, here and where a router's columns follow. */
  static final List<String> COLUMNS =
      List.of(
          "request_id",
          "arrival_s",
          "input_tokens",
          "output_tokens",
          "ttft_s",
          "e2e_s",
          "queue_s",
          "error");

  private static final CSVFormat FORMAT =
      CSVFormat.RFC4180.builder().setHeader(COLUMNS.toArray(String[]::new)).get();
  private static final long NS_PER_SECOND = 1_000_000_000;

  private final CSVPrinter rows;

  RequestRows(Path file) throws IOException {
    rows = new CSVPrinter(Files.newBufferedWriter(file, StandardCharsets.UTF_8), FORMAT);
  }

  @Override
  public void finished(RequestTimeline request, FinishedRecord end) {
    final boolean hasToken = request.firstTokenNs() != ABSENT;
    print(
        request.queued().requestId(),
        seconds(request.queued().arrivalNs()),
        request.queued().promptTokens(),
        end.outputTokens(),
        hasToken ? seconds(request.ttftNs()) : "",
        seconds(request.endToEndNs()),
        request.firstScheduledNs() == ABSENT
            ? ""
            : seconds(request.firstScheduledNs() - request.queued().arrivalNs()),
        hasToken ? "" : end.reason());
  }

  @Override
  public void rejected(RejectedRecord rejection) {
    print(
        rejection.requestId(),
        seconds(rejection.atNs()),
        rejection.promptTokens(),
        0,
        "",
        "",
        "",
        rejection.reason());
  }

  private void print(Object... cells) {
    try {
      rows.printRecord(cells);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Nanoseconds as seconds, exactly. */
  static String seconds(long ns) {
    final StringBuilder digits = new StringBuilder(24);
    digits.append(ns / NS_PER_SECOND).append('.');
    digits.append(NS_PER_SECOND + ns % NS_PER_SECOND);
    digits.deleteCharAt(digits.indexOf(".") + 1);
    return digits.toString();
  }

  @Override
  public void close() throws IOException {
    rows.close();
  }
}

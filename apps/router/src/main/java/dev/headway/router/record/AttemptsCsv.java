package dev.headway.router.record;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.routing.policy.RoutingDecision;
import dev.headway.routing.policy.RoutingDecision.Scores;
import dev.headway.routing.policy.Worker;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.StringJoiner;
import org.apache.commons.csv.CSVFormat;
import org.apache.commons.csv.CSVPrinter;
import org.jspecify.annotations.Nullable;

/**
 * Writes {@code router_attempts.csv}: a row for each attempt. Any thread; rows are written on a
 * thread of its own.
 */
public final class AttemptsCsv implements AttemptFile {

  private static final String[] COLUMNS = {
    "request_id",
    "attempt",
    "worker",
    "url",
    "policy",
    "branch",
    "candidates",
    "load",
    "min_load",
    "max_load",
    "prompt_units",
    "matched_units",
    "signal_age_ns",
    "pick_cost_ns",
    "router_recv_ns",
    "router_pick_ns",
    "to_server_ns",
    "head_ns",
    "first_byte_ns",
    "end_ns",
    "status",
    "outcome",
    "reason",
    "bytes",
    "scores",
    "refusals"
  };

  private final CsvLog log;

  /**
   * Begins the file.
   *
   * @throws IOException if it cannot be written
   */
  public AttemptsCsv(Path file) throws IOException {
    log =
        new CsvLog(
            new AttemptRows(
                new CSVPrinter(
                    Files.newBufferedWriter(file),
                    CSVFormat.RFC4180
                        .builder()
                        .setRecordSeparator('\n')
                        .setHeader(COLUMNS)
                        .get())));
  }

  @Override
  public void onAttempt(Attempt attempt) {
    log.onAttempt(attempt);
  }

  @Override
  public long dropped() {
    return log.dropped();
  }

  private static void print(Attempt attempt, CSVPrinter to) throws IOException {
    final RoutingDecision decision = attempt.decision();
    final Worker worker = decision.chosenWorker();
    final int place = decision.chosen();
    to.printRecord(
        decision.request().requestId(),
        decision.request().attempt(),
        worker == null ? null : worker.id(),
        worker == null ? null : worker.url(),
        decision.policy(),
        decision.branch().label(),
        decision.candidates(),
        worker == null ? null : decision.load(place),
        decision.minLoad(),
        decision.maxLoad(),
        decision.promptUnits(),
        worker == null ? null : decision.matchedUnits(place),
        worker == null ? null : cell(decision.signalAgeNs(place)),
        decision.costNs(),
        attempt.receivedNs(),
        cell(attempt.pickedNs()),
        cell(attempt.sentNs()),
        cell(attempt.headNs()),
        cell(attempt.firstNs()),
        attempt.endedNs(),
        attempt.status() == 0 ? null : attempt.status(),
        attempt.outcome(),
        attempt.reason(),
        attempt.bytes(),
        scores(decision),
        refusals(decision));
  }

  private static @Nullable Long cell(long instantNs) {
    return instantNs == ABSENT ? null : instantNs;
  }

  /** {@code scorer*weight:worker=score;...}, scorers separated by spaces. */
  private static String scores(RoutingDecision decision) {
    final StringJoiner all = new StringJoiner(" ");
    for (Scores each : decision.scores()) {
      final StringJoiner values =
          new StringJoiner(";", each.scorer() + "*" + each.weight() + ":", "");
      for (int i = 0; i < decision.workers().size(); i++) {
        if (!Double.isNaN(each.value(i))) {
          values.add(decision.workers().get(i).id() + "=" + each.value(i));
        }
      }
      all.add(values.toString());
    }
    return all.toString();
  }

  private static String refusals(RoutingDecision decision) {
    final StringJoiner all = new StringJoiner(";");
    for (int i = 0; i < decision.workers().size(); i++) {
      if (decision.refusal(i) != null) {
        all.add(decision.workers().get(i).id() + "=" + decision.refusal(i));
      }
    }
    return all.toString();
  }

  @Override
  public void close() throws IOException {
    log.close();
  }

  /** The table. */
  private record AttemptRows(CSVPrinter printer) implements CsvLog.Rows {

    @Override
    public void print(Attempt attempt) throws IOException {
      AttemptsCsv.print(attempt, printer);
    }

    @Override
    public void flush() throws IOException {
      printer.flush();
    }

    @Override
    public void close() throws IOException {
      printer.close();
    }
  }
}

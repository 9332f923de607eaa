package dev.headway.router.record;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.routing.policy.RoutingDecision;
import dev.headway.routing.policy.RoutingDecision.Scores;
import dev.headway.routing.policy.Worker;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.StringJoiner;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.commons.csv.CSVFormat;
import org.apache.commons.csv.CSVPrinter;
import org.jspecify.annotations.Nullable;

/**
 * Writes {@code router_attempts.csv}: a row for each attempt, on a thread of its own. If that falls
 * behind, rows are left out and counted, and requests go on.
 */
public final class AttemptsCsv implements AttemptListener, AutoCloseable {

  private static final int QUEUE = 1 << 16;
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

  private final BlockingQueue<Attempt> queue = new ArrayBlockingQueue<>(QUEUE);
  private final AtomicLong dropped = new AtomicLong();
  private final CSVPrinter printer;
  private final Thread writer;
  private volatile boolean isClosed;
  private volatile @Nullable IOException failure;

  /**
   * Begins the file.
   *
   * @throws IOException if it cannot be written
   */
  public AttemptsCsv(Path file) throws IOException {
    printer =
        new CSVPrinter(
            Files.newBufferedWriter(file),
            CSVFormat.RFC4180.builder().setRecordSeparator('\n').setHeader(COLUMNS).get());
    writer = Thread.ofPlatform().name("headway-route-csv").daemon().start(this::write);
  }

  @Override
  public void onAttempt(Attempt attempt) {
    if (!queue.offer(attempt)) {
      dropped.incrementAndGet();
    }
  }

  /** Rows left out because the disk was too slow. */
  public long dropped() {
    return dropped.get();
  }

  private void write() {
    try {
      while (!isClosed || !queue.isEmpty()) {
        final Attempt next = queue.poll(50, TimeUnit.MILLISECONDS);
        if (next == null) {
          printer.flush();
        } else {
          print(next);
        }
      }
    } catch (IOException e) {
      failure = e;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void print(Attempt attempt) throws IOException {
    final RoutingDecision decision = attempt.decision();
    final Worker worker = decision.chosenWorker();
    final int place = decision.chosen();
    printer.printRecord(
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

  /**
   * Writes what is left.
   *
   * @throws IOException if something could not be written, now or earlier
   */
  @Override
  public void close() throws IOException {
    isClosed = true;
    try {
      writer.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    printer.close();
    final IOException earlier = failure;
    if (earlier != null) {
      throw earlier;
    }
  }
}

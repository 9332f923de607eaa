package dev.headway.router.record;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.routing.policy.RoutingDecision;
import dev.headway.routing.policy.RoutingDecision.Scores;
import dev.headway.routing.policy.Worker;
import dev.headway.toolbox.csv.CsvTable;
import dev.headway.toolbox.csv.CsvWriter;
import java.io.IOException;
import java.nio.file.Path;
import java.util.StringJoiner;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** {@code router_attempts.csv}: a row for each attempt. */
public final class AttemptsCsv {

  private static final CsvTable<Attempt> TABLE =
      CsvTable.<Attempt>of()
          .column("request_id", attempt -> attempt.decision().request().requestId())
          .column("attempt", attempt -> attempt.decision().request().attempt())
          .column("worker", attempt -> ofWorker(attempt, Worker::id))
          .column("url", attempt -> ofWorker(attempt, Worker::url))
          .column("policy", attempt -> attempt.decision().policy())
          .column("branch", attempt -> attempt.decision().branch().label())
          .column("candidates", attempt -> attempt.decision().candidates())
          .column("load", attempt -> ofChosen(attempt, RoutingDecision::load))
          .column("min_load", attempt -> attempt.decision().minLoad())
          .column("max_load", attempt -> attempt.decision().maxLoad())
          .column("prompt_units", attempt -> attempt.decision().promptUnits())
          .column("matched_units", attempt -> ofChosen(attempt, RoutingDecision::matchedUnits))
          .column("signal_age_ns", attempt -> ofChosen(attempt, AttemptsCsv::signalAge))
          .column("pick_cost_ns", attempt -> attempt.decision().costNs())
          .column("router_recv_ns", Attempt::receivedNs)
          .whole("router_pick_ns", Attempt::pickedNs)
          .whole("to_server_ns", Attempt::sentNs)
          .whole("head_ns", Attempt::headNs)
          .whole("first_byte_ns", Attempt::firstNs)
          .column("end_ns", Attempt::endedNs)
          .column("status", attempt -> attempt.status() == 0 ? null : attempt.status())
          .column("outcome", Attempt::outcome)
          .column("reason", Attempt::reason)
          .column("bytes", Attempt::bytes)
          .column("scores", attempt -> scores(attempt.decision()))
          .column("refusals", attempt -> refusals(attempt.decision()));

  private AttemptsCsv() {}

  /**
   * Begins the file.
   *
   * @throws IOException if it cannot be written
   */
  public static AttemptFile create(Path file) throws IOException {
    return new CsvLog(new AttemptRows(TABLE.create(file)));
  }

  private static @Nullable Object ofWorker(Attempt attempt, Function<Worker, String> cell) {
    final Worker worker = attempt.decision().chosenWorker();
    return worker == null ? null : cell.apply(worker);
  }

  /** What a decision says of the worker that it chose. */
  private static @Nullable Object ofChosen(
      Attempt attempt, BiFunction<RoutingDecision, Integer, @Nullable Object> cell) {
    final RoutingDecision decision = attempt.decision();
    return decision.chosenWorker() == null ? null : cell.apply(decision, decision.chosen());
  }

  private static @Nullable Object signalAge(RoutingDecision decision, int place) {
    final long ageNs = decision.signalAgeNs(place);
    return ageNs == ABSENT ? null : ageNs;
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

  /** The table. */
  private record AttemptRows(CsvWriter<Attempt> rows) implements CsvLog.Rows {

    @Override
    public void print(Attempt attempt) throws IOException {
      rows.write(attempt);
    }

    @Override
    public void flush() throws IOException {
      rows.flush();
    }

    @Override
    public void close() throws IOException {
      rows.close();
    }
  }
}

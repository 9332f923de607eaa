package dev.headway.simulation.run;

import static dev.headway.api.Absent.ABSENT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.events.inprocess.RunProbe;
import dev.headway.events.model.RequestTimeline;
import dev.headway.events.model.RunListener;
import dev.headway.events.scenario.EventfulRun;
import dev.headway.events.stats.Distribution;
import java.util.List;
import java.util.function.LongConsumer;
import org.junit.jupiter.api.Test;

class RunMeterTest {

  /** What the model says of each request. */
  private static final class Latencies implements RunListener {
    private final Distribution ttft = new Distribution();
    private final Distribution tpot = new Distribution();
    private final Distribution endToEnd = new Distribution();

    @Override
    public void onSettled(RequestTimeline request) {
      add(ttft::add, request.ttftNs());
      add(tpot::add, request.tpotNs());
      add(endToEnd::add, request.endToEndNs());
    }

    private static void add(LongConsumer distribution, long ns) {
      if (ns != ABSENT) {
        distribution.accept(ns);
      }
    }
  }

  @Test
  void shouldTakeTheLatenciesThatTheModelHas() {
    for (EventfulRun run : List.of(EventfulRun.plain(), EventfulRun.withDrafts())) {
      final RunMeter meter = new RunMeter();
      final Latencies model = new Latencies();

      run.run(meter.probe(), new RunProbe(model));

      final RunFigures.Latencies taken = meter.figures(new PrefixBound()).latencies();
      assertThat(taken.ttft()).isEqualTo(percentiles(model.ttft));
      assertThat(taken.tpot()).isEqualTo(percentiles(model.tpot));
      assertThat(taken.endToEnd()).isEqualTo(percentiles(model.endToEnd));
    }
  }

  /** The last token of {@code overdue} came long before its deadline ended it. */
  @Test
  void shouldTakeTheTimePerTokenUpToTheLastToken() {
    final RunMeter meter = new RunMeter();
    final Distribution seen = new Distribution();

    final EventfulRun run = EventfulRun.plain().run(meter.probe());

    run.forEachWithTokens(
        request -> {
          final List<Long> tokens = request.getValue();
          if (tokens.size() > 1) {
            seen.add((tokens.getLast() - tokens.getFirst()) / (tokens.size() - 1));
          }
        });
    assertThat(meter.figures(new PrefixBound()).latencies().tpot()).isEqualTo(percentiles(seen));
  }

  private static RunFigures.Percentiles percentiles(Distribution times) {
    return new RunFigures.Percentiles(
        times.count(),
        Math.round(times.mean()),
        Math.round(times.quantile(0.5)),
        Math.round(times.quantile(0.9)),
        Math.round(times.quantile(0.99)));
  }
}

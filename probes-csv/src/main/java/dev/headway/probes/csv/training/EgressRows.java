package dev.headway.probes.csv.training;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.api.probe.JourneyStage;
import dev.headway.events.model.RequestTimeline;
import dev.headway.events.model.RunTimeline;
import dev.headway.events.record.FinishedRecord;
import dev.headway.events.record.JourneyRecord;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Makes the egress rows of one run. Keeps the requests that a server reported and that have not
 * left it. One thread.
 */
final class EgressRows {

  private static final String FIRST_RESPONSE = JourneyStage.FIRST_RESPONSE_FROM_CORE.label();
  private static final String DEPARTED = JourneyStage.DEPARTED.label();
  private static final String ABORTED = JourneyStage.ABORTED.label();

  private final RunTimeline run;
  private final Consumer<EgressRow> rows;
  private final Map<String, Way> ways = new HashMap<>();

  /** Of a request through the server. */
  private static final class Way {
    long firstResponseNs = ABSENT;
    @Nullable RequestTimeline request;
    @Nullable FinishedRecord end;
  }

  EgressRows(RunTimeline run, Consumer<EgressRow> rows) {
    this.run = run;
    this.rows = rows;
  }

  void journey(JourneyRecord journey) {
    final String id = journey.requestId();
    if (journey.stage().equals(DEPARTED)) {
      departed(ways.remove(id), journey.atNs());
    } else if (journey.stage().equals(ABORTED)) {
      ways.remove(id);
    } else {
      final Way way = ways.computeIfAbsent(id, first -> new Way());
      if (journey.stage().equals(FIRST_RESPONSE)) {
        way.firstResponseNs = journey.atNs();
      }
    }
  }

  void finished(RequestTimeline request, FinishedRecord end) {
    final Way way = ways.get(request.queued().requestId());
    if (way != null) {
      way.request = request;
      way.end = end;
    }
  }

  private void departed(@Nullable Way way, long atNs) {
    if (way != null && way.request != null && way.end != null) {
      rows.accept(new EgressRow(run, way.request, way.end, way.firstResponseNs, atNs));
    }
  }
}

package dev.headway.probes.otel.span;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Journeys whose server has not said yet that it is done. One thread; bounded by {@link
 * SpanOptions#maxOpenJourneys}.
 */
final class ApiJourneys {

  private final RunContext run;
  private final SpanOptions options;
  private final SpanTally tally;
  private final Consumer<ApiJourney> ended;
  private final Map<String, ApiJourney> open = new LinkedHashMap<>();

  ApiJourneys(RunContext run, SpanOptions options, SpanTally tally, Consumer<ApiJourney> ended) {
    this.run = run;
    this.options = options;
    this.tally = tally;
    this.ended = ended;
  }

  /** The journey that a request of this id is part of, unless another request already is. */
  @Nullable ApiJourney openWithoutCore(String requestId) {
    final ApiJourney journey = open.get(requestId);
    return journey == null || journey.core() != null ? null : journey;
  }

  void stage(String requestId, ApiJourney.Stage stage) {
    if (stage.label().equals(ApiJourney.ARRIVED)) {
      arrived(requestId, stage.atNs());
      return;
    }
    final ApiJourney journey = open.get(requestId);
    if (journey == null) {
      tally.unknownRequests.increment();
    } else if (ApiJourney.isTerminal(stage.label())) {
      journey.end(stage);
      close(journey);
    } else if (!journey.add(stage)) {
      tally.droppedEvents.increment();
    }
  }

  void endRun(String reason, long nowNs) {
    for (ApiJourney journey : List.copyOf(open.values())) {
      closeUnfinished(journey, reason, nowNs);
    }
  }

  private void arrived(String requestId, long atNs) {
    final ApiJourney namesake = open.get(requestId);
    if (namesake != null) {
      closeUnfinished(namesake, "superseded", atNs);
    }
    final boolean chosen = options.sampling().choosesJourney(requestId, null);
    open.put(requestId, new ApiJourney(requestId, run.nextIds(requestId), chosen, atNs));
    if (open.size() > options.maxOpenJourneys()) {
      closeUnfinished(open.values().iterator().next(), "too_many_open", atNs);
    }
  }

  private void closeUnfinished(ApiJourney journey, String reason, long nowNs) {
    tally.unfinished.increment();
    journey.endUnfinished(reason, Math.max(nowNs, journey.arrivedNs()));
    close(journey);
  }

  private void close(ApiJourney journey) {
    open.remove(journey.requestId());
    ended.accept(journey);
  }
}

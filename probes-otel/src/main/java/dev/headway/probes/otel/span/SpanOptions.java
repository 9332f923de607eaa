package dev.headway.probes.otel.span;

import org.jspecify.annotations.Nullable;

/**
 * Options of spans.
 *
 * @param sampling which requests and steps are exported
 * @param closureInterval steps of one step span, in [10, 10000]
 * @param maxEventsPerSpan events of one span, in [128, 1048576]; a step span that is full is closed
 *     early, a request's span counts what it had no room for
 * @param maxBufferedEvents events of all live requests together, >= 1024; beyond that they are
 *     dropped and counted
 * @param maxOpenJourneys requests whose server has not said yet that it is done, >= 1; beyond that
 *     the oldest is closed as unfinished; after records were missed, so are requests of the engine
 * @param serviceName {@code service.name} of the resource
 * @param modelName {@code gen_ai.response.model}; null takes the run attribute {@code model}
 */
public record SpanOptions(
    Sampling sampling,
    int closureInterval,
    int maxEventsPerSpan,
    int maxBufferedEvents,
    int maxOpenJourneys,
    String serviceName,
    @Nullable String modelName) {

  /** Validates the components. */
  public SpanOptions {
    require("closureInterval", closureInterval, 10, 10_000);
    require("maxEventsPerSpan", maxEventsPerSpan, 128, 1 << 20);
    require("maxBufferedEvents", maxBufferedEvents, 1_024, Integer.MAX_VALUE);
    require("maxOpenJourneys", maxOpenJourneys, 1, Integer.MAX_VALUE);
    if (serviceName.isBlank()) {
      throw new IllegalArgumentException(
          "serviceName must not be blank: serviceName=" + serviceName);
    }
  }

  /** Default sampling, 100 steps to a span, a quarter of a million buffered events. */
  public static SpanOptions defaults() {
    return new SpanOptions(Sampling.defaults(), 100, 4_096, 262_144, 131_072, "headway", null);
  }

  /** Returns this with another sampling. */
  public SpanOptions withSampling(Sampling other) {
    return new SpanOptions(
        other,
        closureInterval,
        maxEventsPerSpan,
        maxBufferedEvents,
        maxOpenJourneys,
        serviceName,
        modelName);
  }

  /** Returns this with another number of steps to a span. */
  public SpanOptions withClosureInterval(int steps) {
    return new SpanOptions(
        sampling,
        steps,
        maxEventsPerSpan,
        maxBufferedEvents,
        maxOpenJourneys,
        serviceName,
        modelName);
  }

  /** Returns this with other bounds. */
  public SpanOptions withBounds(int eventsPerSpan, int bufferedEvents, int openJourneys) {
    return new SpanOptions(
        sampling,
        closureInterval,
        eventsPerSpan,
        bufferedEvents,
        openJourneys,
        serviceName,
        modelName);
  }

  /** Returns this with other names of service and model. */
  public SpanOptions withNames(String service, @Nullable String model) {
    return new SpanOptions(
        sampling,
        closureInterval,
        maxEventsPerSpan,
        maxBufferedEvents,
        maxOpenJourneys,
        service,
        model);
  }

  private static void require(String name, int value, int least, int most) {
    if (value < least || value > most) {
      throw new IllegalArgumentException(
          name + " must be in [" + least + ", " + most + "]: " + name + "=" + value);
    }
  }
}

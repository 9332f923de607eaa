package dev.headway.spring.boot;

import dev.headway.api.engine.Engine;
import dev.headway.events.live.LiveProbe;
import dev.headway.probes.dashboard.state.RequestLookup;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongFunction;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpoint;

/**
 * Which requests wait now and why, and why one of them does or did. Any thread: a question is
 * answered on the thread of the records, between two of them, and never holds up the engine.
 */
@WebEndpoint(id = "headway")
class HeadwayEndpoint {

  private static final int SECONDS = 5;
  private static final int UNAVAILABLE = 503;

  private final RequestLookup lookup;
  private final ObjectProvider<Engine> engine;
  private final ObjectProvider<LiveProbe> probe;
  private final int shown;

  HeadwayEndpoint(
      RequestLookup lookup,
      ObjectProvider<Engine> engine,
      ObjectProvider<LiveProbe> probe,
      int shown) {
    this.lookup = lookup;
    this.engine = engine;
    this.probe = probe;
    this.shown = shown;
  }

  /** Answers which requests wait, the first of the queue, and what for. */
  @ReadOperation
  WebEndpointResponse<?> requests() {
    return ask(nowNs -> new WebEndpointResponse<>(QueueAnswer.of(lookup, shown, nowNs)));
  }

  /** Answers why a request waits, or has waited. */
  @ReadOperation
  WebEndpointResponse<?> request(@Selector String requestId) {
    return ask(nowNs -> explain(requestId, nowNs));
  }

  private WebEndpointResponse<?> explain(String id, long nowNs) {
    final Optional<RequestAnswer> known =
        lookup
            .find(id, nowNs)
            .map(request -> RequestAnswer.of(request, lookup, nowNs))
            .or(() -> lookup.rejection(id).map(RequestAnswer::of));
    return known.isPresent()
        ? new WebEndpointResponse<>(known.get())
        : problem(
            WebEndpointResponse.STATUS_NOT_FOUND,
            "no request of that id is alive, or is among the latest that have ended or were"
                + " refused, of which headway.endpoint.kept are known: id="
                + id);
  }

  private WebEndpointResponse<?> ask(LongFunction<WebEndpointResponse<?>> question) {
    final Engine asked = engine.getIfUnique();
    final LiveProbe records = probe.getIfUnique();
    if (asked == null || records == null) {
      return problem(
          UNAVAILABLE,
          "there must be one bean of type Engine and one of type LiveProbe to ask: engines="
              + engine.stream().count()
              + ", probes="
              + probe.stream().count());
    }
    try {
      return records
          .ask(() -> observed(question, asked.clock().nanoTime()))
          .get(SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return problem(UNAVAILABLE, "interrupted while asking");
    } catch (TimeoutException e) {
      return problem(UNAVAILABLE, "no answer in time: seconds=" + SECONDS);
    } catch (ExecutionException e) {
      throw new IllegalStateException("the question has failed", e.getCause());
    }
  }

  private WebEndpointResponse<?> observed(
      LongFunction<WebEndpointResponse<?>> question, long nowNs) {
    return lookup.isObserving()
        ? question.apply(nowNs)
        : problem(
            UNAVAILABLE,
            "the engine must have been built with the bean of type LiveProbe: give it to its"
                + " builder");
  }

  private static WebEndpointResponse<?> problem(int status, String message) {
    return new WebEndpointResponse<>(Map.of("message", message), status);
  }
}

package dev.headway.server;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.api.engine.Engine;
import dev.headway.api.engine.RequestHandle;
import dev.headway.api.engine.RequestOutcome.Finished;
import dev.headway.routing.timing.HostClock;
import dev.headway.routing.timing.RequestTiming;
import dev.headway.routing.timing.ServerTiming;
import dev.headway.routing.timing.TimingActor;
import dev.headway.routing.timing.TimingStage;
import dev.headway.serving.ChoiceText;
import dev.headway.serving.EngineTimes;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * What answers say of their own times: the server's instants, the engine's, and vLLM's metrics made
 * of them. Those of the engine are of one request, and left out where an answer has several. Any
 * thread.
 */
final class AnswerTimes {

  private static final double NS_PER_MS = 1e6;
  private static final double NS_PER_S = 1e9;

  /** A step's end follows its tokens by microseconds, a stop by a step. */
  private static final long LONGEST_WAIT_S = 5;

  private final @Nullable EngineTimes engineTimes;
  private final boolean metrics;
  private final Engine engine;
  private final long toHostClockNs;
  private final long hostClockToUnixNs;

  AnswerTimes(Engine engine, AnswerOptions options) {
    this.engine = engine;
    this.engineTimes = options.engineTimes();
    this.metrics = options.perRequestMetrics();
    this.toHostClockNs = engine.clock().isVirtual() ? 0 : HostClock.offsetOf(engine.clock());
    this.hostClockToUnixNs = engine.clock().anchor().toUnixEpochNs(0) - toHostClockNs;
  }

  /** Begins to watch a request that will be submitted, if its answer shall say something of it. */
  void watch(GenerationRequest.Delivery asked, List<String> ids) {
    if (engineTimes != null && ids.size() == 1 && (asked.timing() || wantsMetrics(asked))) {
      engineTimes.watch(ids.getFirst());
    }
  }

  /** Forgets a request, however it ended. */
  void forget(List<String> ids) {
    if (engineTimes != null) {
      ids.forEach(engineTimes::forget);
    }
  }

  private boolean wantsMetrics(GenerationRequest.Delivery asked) {
    return metrics && asked.metrics();
  }

  /**
   * Adds to the end of an answer what it shall say of its times.
   *
   * @param json the whole answer, or the end of a stream
   * @throws InterruptedException if the caller is interrupted
   */
  void addTo(
      ObjectNode json,
      Answer answer,
      GenerationRequest.Delivery asked,
      Journey journey,
      List<ChoiceText> choices,
      int promptTokens,
      List<RequestHandle> handles)
      throws InterruptedException {
    final boolean one = choices.size() == 1;
    if (!asked.timing() && !(one && wantsMetrics(asked))) {
      return;
    }
    final EngineTimes.Times times =
        engineTimes == null || !one ? null : engineTimes.take(journey.ids().getFirst());
    if (one && wantsMetrics(asked)) {
      json.set("metrics", metrics(choices.getFirst(), times));
    }
    if (asked.timing()) {
      final Finished end = times == null ? null : end(handles.getFirst());
      answer.addTiming(
          json, timing(journey.timing(), choices, times, end, promptTokens), hostClockToUnixNs);
    }
  }

  /** The end of a request whose answer is done: of one that a stop string ended a step later. */
  private static @Nullable Finished end(RequestHandle handle) throws InterruptedException {
    try {
      return handle.outcome().toCompletableFuture().get(LONGEST_WAIT_S, TimeUnit.SECONDS)
              instanceof Finished finished
          ? finished
          : null;
    } catch (ExecutionException | TimeoutException e) {
      return null; // its figures are left out
    }
  }

  private ServerTiming timing(
      RequestTiming own,
      List<ChoiceText> choices,
      EngineTimes.@Nullable Times times,
      @Nullable Finished end,
      int promptTokens) {
    final RequestTiming at = new RequestTiming().take(TimingActor.SERVER, own);
    if (times != null) {
      at.set(TimingStage.SCHEDULER_RECEIVED, times.queuedNs()) // the same thread, the same moment
          .set(TimingStage.QUEUED, times.queuedNs())
          .set(TimingStage.SCHEDULED, times.scheduledNs())
          .set(TimingStage.LAUNCHED, times.launchedNs())
          .set(TimingStage.CHUNK_DONE, times.firstOutputNs());
    }
    int tokens = 0;
    for (ChoiceText choice : choices) {
      tokens += choice.tokens();
    }
    final ChoiceText first = choices.getFirst();
    if (times != null && first.tokens() > 0) {
      at.set(TimingStage.PREFILL_DONE, first.firstTokenNs())
          .set(TimingStage.LAST_TOKEN, first.lastTokenNs());
    }
    at.set(TimingStage.SERVER_FINISHED, engine.clock().nanoTime());
    at.shift(TimingActor.SERVER, toHostClockNs);
    return new ServerTiming(
        HostClock.id(),
        at,
        promptTokens,
        times == null ? 0 : times.cachedTokens(),
        tokens,
        end == null ? 0 : end.preemptions(),
        end == null ? ABSENT : end.waits().totalNs(),
        times == null ? null : times.waitReason(),
        first.finishReason());
  }

  /**
   * The times of a request, as vLLM's per-request metrics define them: from scheduled to the first
   * token; from the first to the last; from queued to scheduled; tokens over scheduled to last.
   *
   * @param times null if it was never scheduled
   */
  private static ObjectNode metrics(ChoiceText choice, EngineTimes.@Nullable Times times) {
    final ObjectNode json = Json.object();
    if (times == null || choice.tokens() == 0) {
      return json.putNull("time_to_first_token_ms")
          .putNull("generation_time_ms")
          .putNull("queue_time_ms")
          .putNull("mean_itl_ms")
          .putNull("tokens_per_second");
    }
    final long decodeNs = choice.lastTokenNs() - choice.firstTokenNs();
    json.put("time_to_first_token_ms", ms(choice.firstTokenNs() - times.scheduledNs()))
        .put("generation_time_ms", ms(decodeNs))
        .put("queue_time_ms", ms(times.scheduledNs() - times.queuedNs()));
    if (choice.tokens() > 1) {
      json.put("mean_itl_ms", ms(decodeNs / (choice.tokens() - 1)));
    } else {
      json.putNull("mean_itl_ms");
    }
    final long inferenceNs = choice.lastTokenNs() - times.scheduledNs();
    return json.put(
        "tokens_per_second", Math.round(choice.tokens() * NS_PER_S / inferenceNs * 100) / 100.0);
  }

  private static double ms(long ns) {
    return Math.round(ns / NS_PER_MS * 1000) / 1000.0;
  }
}

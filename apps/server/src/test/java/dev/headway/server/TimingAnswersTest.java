package dev.headway.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.events.inprocess.RunProbe;
import dev.headway.events.model.RequestTimeline;
import dev.headway.events.model.RunListener;
import dev.headway.events.model.WaitListener;
import dev.headway.events.record.FinishedRecord;
import dev.headway.routing.timing.HostClock;
import dev.headway.routing.timing.RequestTiming;
import dev.headway.routing.timing.ServerTiming;
import dev.headway.routing.timing.TimingActor;
import dev.headway.routing.timing.TimingJson;
import dev.headway.routing.timing.TimingStage;
import dev.headway.serving.EngineTimes;
import dev.headway.serving.TextExecutor;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** What answers say of when the server did what. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class TimingAnswersTest {

  private static final String COMPLETIONS = "/v1/completions";
  private static final String TEXT = "y".repeat(100);

  private static final java.util.concurrent.Executor THREADS =
      task -> Thread.ofPlatform().daemon().start(task);

  private Served served;

  @AfterEach
  void close() {
    served.close();
  }

  private void serve(boolean known) {
    final Served.Setup setup = new Served.Setup();
    if (known) {
      final EngineTimes times = new EngineTimes();
      setup.probe(times);
      setup.options = usual -> usual.withEngineTimes(times, false);
    }
    served = setup.start(new TextExecutor(TEXT, 200));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 40})
  void shouldSayWhenWhatHappenedAtTheEndOfAStream(int tokens) {
    serve(true);

    final long before = HostClock.nanoTime();
    final List<JsonNode> events =
        served.events(
            COMPLETIONS,
            "{\"prompt\":\"some text\",\"stream\":true,\"return_timing\":true,\"max_tokens\":"
                + tokens
                + "}");
    final long after = HostClock.nanoTime();

    assertThat(events.getLast().path("choices")).isEmpty();
    final ServerTiming told = TimingJson.readServer(events.getLast().path("timing"));
    assertThat(told.clock()).isEqualTo(HostClock.id());
    assertThat(known(told.at())).isEqualTo(allOfTheServer());
    assertThat(told.at().firstOutOfOrder(0)).isNull();
    assertThat(told.at().ns(TimingStage.SERVER_RECEIVED)).isGreaterThanOrEqualTo(before);
    assertThat(told.at().ns(TimingStage.SERVER_FINISHED)).isLessThanOrEqualTo(after);
    assertThat(told.outputTokens()).isEqualTo(tokens);
    assertThat(told.promptTokens()).isEqualTo(9);
    assertThat(told.preemptions()).isZero();
    assertThat(told.queueTotalNs())
        .isEqualTo(told.at().durationNs(TimingStage.QUEUED, TimingStage.SCHEDULED));
    assertThat(told.finishReason()).isEqualTo("length");
  }

  @Test
  void shouldSayWhenWhatHappenedInAWholeAnswer() {
    serve(true);

    final JsonNode answer =
        served.answer(COMPLETIONS, "{\"prompt\":\"x\",\"return_timing\":true,\"max_tokens\":3}");

    final ServerTiming told = TimingJson.readServer(answer.path("timing"));
    final Set<TimingStage> all = allOfTheServer();
    all.remove(TimingStage.FIRST_SENT); // it goes with all the others
    assertThat(known(told.at())).isEqualTo(all);
    assertThat(told.at().firstOutOfOrder(0)).isNull();
    assertThat(answer.path("usage").path("completion_tokens").asInt()).isEqualTo(3);
  }

  @Test
  void shouldSayWhatTheServerDidWhereAnAnswerHasSeveralParts() {
    serve(true);

    final JsonNode answer =
        served.answer(
            COMPLETIONS, "{\"prompt\":\"x\",\"return_timing\":true,\"max_tokens\":3,\"n\":2}");

    final ServerTiming told = TimingJson.readServer(answer.path("timing"));
    assertThat(told.outputTokens()).isEqualTo(6);
    assertThat(told.at().has(TimingStage.TOKENIZE_ENDED)).isTrue();
    assertThat(told.at().has(TimingStage.SCHEDULED)).as("of which of the two?").isFalse();
  }

  /** A small cache: requests are preempted and wait again, for another reason than at first. */
  @Test
  void shouldSayHowLongPreemptedRequestsWaitedAsTheEngineDoes() {
    final Map<String, Long> waitedNs = new ConcurrentHashMap<>();
    final TextExecutor executor = new TextExecutor(TEXT, 12).hold();
    final Served.Setup setup = setup();
    setup.probe(new RunProbe(new Waited(waitedNs)));
    served = setup.start(executor);

    final List<ServerTiming> told = together(executor, 3, 60);
    while (waitedNs.size() < told.size()) { // a step's events follow its tokens
      Thread.onSpinWait();
    }

    assertThat(told).extracting(ServerTiming::preemptions).anyMatch(preemptions -> preemptions > 0);
    assertThat(told)
        .extracting(ServerTiming::queueTotalNs)
        .containsExactlyInAnyOrderElementsOf(waitedNs.values());
    assertThat(told)
        .allSatisfy(
            each ->
                assertThat(each.queueTotalNs())
                    .isBetween(
                        each.at().durationNs(TimingStage.QUEUED, TimingStage.SCHEDULED),
                        each.at().durationNs(TimingStage.QUEUED, TimingStage.LAST_TOKEN)));
  }

  /** The reason that all who wait share is a reason too. */
  @Test
  void shouldSayWhatARequestWaitedForBehindAFullEngine() {
    final TextExecutor executor = new TextExecutor(TEXT, 200).hold();
    final Served.Setup setup = setup();
    setup.maxNumSeqs = 1;
    served = setup.start(executor);

    final List<ServerTiming> told = together(executor, 3, 5);

    assertThat(told)
        .extracting(each -> String.valueOf(each.waitReason()))
        .containsExactlyInAnyOrder("null", "max_num_seqs", "max_num_seqs");
  }

  private Served.Setup setup() {
    final Served.Setup setup = new Served.Setup();
    final EngineTimes times = new EngineTimes();
    setup.options = usual -> usual.withEngineTimes(times, false);
    return setup.probe(times);
  }

  /**
   * Sends requests that are all there before the first step ends, and returns what each is told.
   */
  private List<ServerTiming> together(TextExecutor executor, int requests, int tokens) {
    final String body =
        "{\"prompt\":\"some text\",\"return_timing\":true,\"max_tokens\":" + tokens + "}";
    final List<CompletableFuture<JsonNode>> answers = new ArrayList<>();
    for (int i = 0; i < requests; i++) {
      answers.add(CompletableFuture.supplyAsync(() -> served.answer(COMPLETIONS, body), THREADS));
    }
    while (served.engine.stats().submitted() < requests) {
      Thread.onSpinWait();
    }
    executor.letAll();
    return answers.stream()
        .map(answer -> TimingJson.readServer(answer.join().path("timing")))
        .toList();
  }

  /** Time waited by request, by the model that readers of the journal have too. */
  private record Waited(Map<String, Long> byId) implements RunListener, WaitListener {
    @Override
    public void onFinished(RequestTimeline request, FinishedRecord end) {
      byId.put(request.id(), request.waits().totalNs());
    }
  }

  @Test
  void shouldSayNothingUnasked() {
    serve(true);

    final List<JsonNode> events =
        served.events(COMPLETIONS, "{\"prompt\":\"x\",\"stream\":true,\"max_tokens\":3}");

    assertThat(events).noneMatch(event -> event.has("timing"));
    assertThat(events.getLast().path("choices")).isNotEmpty();
  }

  @Test
  void shouldSayWhatItKnowsWithoutTheEnginesProbe() {
    serve(false);

    final JsonNode answer =
        served.answer(COMPLETIONS, "{\"prompt\":\"x\",\"return_timing\":true,\"max_tokens\":3}");

    final ServerTiming told = TimingJson.readServer(answer.path("timing"));
    assertThat(known(told.at()))
        .containsExactlyInAnyOrder(
            TimingStage.SERVER_RECEIVED,
            TimingStage.TOKENIZE_STARTED,
            TimingStage.TOKENIZE_ENDED,
            TimingStage.DISPATCHED,
            TimingStage.DISPATCH_ENDED,
            TimingStage.FIRST_OUT,
            TimingStage.SERVER_FINISHED);
  }

  private static Set<TimingStage> allOfTheServer() {
    final Set<TimingStage> all = EnumSet.noneOf(TimingStage.class);
    for (TimingStage stage : TimingStage.values()) {
      if (stage.actor() == TimingActor.SERVER && stage != TimingStage.LAUNCH_ENDED) {
        all.add(stage);
      }
    }
    return all;
  }

  private static Set<TimingStage> known(RequestTiming at) {
    final Set<TimingStage> known = EnumSet.noneOf(TimingStage.class);
    for (TimingStage stage : TimingStage.values()) {
      if (at.has(stage)) {
        known.add(stage);
      }
    }
    return known;
  }
}

package dev.headway.events.jfr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.config.SchedulerLimits;
import dev.headway.api.engine.Engine;
import dev.headway.api.engine.RequestHandle;
import dev.headway.api.executor.ExecutorShape;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.probe.ProbeContext;
import dev.headway.api.probe.RunInfo;
import dev.headway.api.request.Request;
import dev.headway.scheduler.engine.EngineBuilder;
import dev.headway.scheduler.engine.HeadwayEngine;
import dev.headway.scheduler.sim.LinearLatencyModel;
import dev.headway.scheduler.sim.SimulatedExecutor;
import dev.headway.scheduler.time.VirtualClock;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import jdk.jfr.Category;
import jdk.jfr.EventType;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Label;
import jdk.jfr.Recording;
import jdk.jfr.Timespan;
import jdk.jfr.ValueDescriptor;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An engine in virtual time, and what a recording has of it. */
class JfrProbeTest {

  private static final List<String> NAMES =
      List.of(
          StepEvent.NAME,
          RequestWaitEvent.NAME,
          AdmissionClosureEvent.NAME,
          PreemptionEvent.NAME,
          RequestFinishedEvent.NAME,
          RequestRejectedEvent.NAME);

  @TempDir private Path temporary;

  @Test
  void shouldRecordStepsWithTheirTimes() throws IOException {
    final List<RecordedEvent> events = record(() -> serve("a", 5, 3));

    final List<RecordedEvent> steps = of(events, StepEvent.NAME);
    assertThat(steps).extracting(event -> event.getLong("stepId")).containsExactly(1L, 2L, 3L, 4L);
    assertThat(steps).extracting(event -> event.getInt("tokens")).containsExactly(5, 1, 1, 0);
    assertThat(steps.subList(0, 3))
        .allSatisfy(
            event -> {
              assertThat(event.getDuration("forward")).isEqualTo(Duration.ofMillis(1));
              assertThat(event.getDuration("execute")).isEqualTo(Duration.ofMillis(1));
              assertThat(event.getDuration("schedule")).isEqualTo(Duration.ZERO);
              assertThat(event.getDuration("update")).isEqualTo(Duration.ZERO);
              assertThat(event.getLong("prepare")).as("not measured").isEqualTo(Long.MIN_VALUE);
              assertThat(event.getInt("batchSize")).isEqualTo(1);
              assertThat(event.getInt("running")).isEqualTo(1);
              assertThat(event.getString("failure")).isNull();
            });
  }

  @Test
  void shouldRecordHowARequestEnded() throws IOException {
    final List<RecordedEvent> events = record(() -> serve("a", 5, 3));

    final RecordedEvent finished = of(events, RequestFinishedEvent.NAME).getFirst();
    assertThat(finished.getString("requestId")).isEqualTo("a");
    assertThat(finished.getString("reason")).isEqualTo("length");
    assertThat(finished.getDuration("endToEnd")).isEqualTo(Duration.ofMillis(3));
    assertThat(finished.getInt("promptTokens")).isEqualTo(5);
    assertThat(finished.getInt("outputTokens")).isEqualTo(3);
    assertThat(finished.getInt("preemptions")).isZero();
    assertThat(finished.getInt("freedBlocks")).isEqualTo(2);
  }

  @Test
  void shouldRecordARefusal() throws IOException {
    final List<RecordedEvent> events = record(() -> serve("long", 500, 3));

    final RecordedEvent rejected = of(events, RequestRejectedEvent.NAME).getFirst();
    assertThat(rejected.getString("requestId")).isEqualTo("long");
    assertThat(rejected.getString("reason")).isEqualTo("context_length_limit");
    assertThat(rejected.getString("message")).contains("500");
    assertThat(rejected.getInt("promptTokens")).isEqualTo(500);
  }

  @Test
  void shouldRecordWaitsFromTheirDecisionToTheNext() throws IOException {
    final List<RecordedEvent> events =
        record(
            () -> {
              try (Engine engine = builder(new VirtualClock(), 4).probe(new JfrProbe()).build()) {
                final RequestHandle a = engine.submit(request("a", 9, 7));
                engine.step();
                final RequestHandle b = engine.submit(request("b", 8, 4));
                final RequestHandle c = engine.submit(request("c", 1, 4));
                engine.step();
                a.cancel();
                engine.step();
                b.cancel();
                c.cancel();
                engine.step();
              }
            });

    assertThat(of(events, RequestWaitEvent.NAME))
        .extracting(JfrProbeTest::wait)
        .containsExactly(
            "a initial_waiting by null own=false 0/0",
            "b initial_waiting by null own=false 0/0",
            "b full_sequence_reserve by null own=true 2/1",
            "c head_of_line by b own=false 0/0");
    assertThat(of(events, AdmissionClosureEvent.NAME))
        .extracting(event -> event.getString("reason") + " by " + event.getString("blocker"))
        .containsExactly("head_of_line by b");
    assertThat(of(events, RequestWaitEvent.NAME))
        .allSatisfy(event -> assertThat(event.getDuration()).isPositive());
  }

  @Test
  void shouldRecordAPreemptionAndForWhom() throws IOException {
    final List<RecordedEvent> events =
        record(
            () -> {
              try (Engine engine = builder(new VirtualClock(), 2).probe(new JfrProbe()).build()) {
                engine.submit(request("old", 4, 3));
                engine.submit(request("young", 4, 3));
                engine.step();
                engine.step();
              }
            });

    final RecordedEvent preemption = of(events, PreemptionEvent.NAME).getFirst();
    assertThat(preemption.getLong("stepId")).isEqualTo(2);
    assertThat(preemption.getString("requestId")).isEqualTo("young");
    assertThat(preemption.getString("cause")).isEqualTo("kv_blocks");
    assertThat(preemption.getString("beneficiary")).isEqualTo("old");
    assertThat(preemption.getInt("lostTokens")).isEqualTo(4);
    assertThat(preemption.getInt("freedBlocks")).isEqualTo(1);
  }

  @Test
  void shouldRecordOnlyWhatIsAskedFor() throws IOException {
    final Path file = temporary.resolve("some.jfr");
    try (Recording recording = new Recording()) {
      NAMES.forEach(recording::disable);
      recording.enable(RequestFinishedEvent.NAME);
      recording.start();
      serve("a", 5, 3);
      recording.dump(file);
    }

    assertThat(RecordingFile.readAllEvents(file))
        .extracting(event -> event.getEventType().getName())
        .filteredOn(name -> name.startsWith("dev.headway."))
        .containsExactly(RequestFinishedEvent.NAME);
  }

  @Test
  void shouldSayOfEveryFieldWhatItIs() {
    try (Recording recording = new Recording()) {
      recording.start(); // registers the events
      new JfrProbe().close();
      for (String name : NAMES) {
        final EventType type =
            FlightRecorder.getFlightRecorder().getEventTypes().stream()
                .filter(each -> each.getName().equals(name))
                .findFirst()
                .orElseThrow(() -> new AssertionError("not registered: " + name));
        assertThat(type.getAnnotation(Category.class).value()).containsExactly("Headway");
        assertThat(type.getLabel()).isNotBlank();
        assertThat(type.getDescription()).isNotBlank();
        for (ValueDescriptor field : type.getFields()) {
          assertThat(field.getAnnotation(Label.class)).as(name + "." + field.getName()).isNotNull();
        }
      }
      final EventType step = type(StepEvent.NAME);
      for (String field :
          List.of("schedule", "prepare", "forward", "sample", "execute", "update")) {
        assertThat(step.getField(field).getAnnotation(Timespan.class).value())
            .as(field)
            .isEqualTo(Timespan.NANOSECONDS);
      }
    }
  }

  @Test
  void shouldBeFoundByItsName() throws IOException {
    final List<RecordedEvent> events =
        record(
            () -> {
              final VirtualClock clock = new VirtualClock();
              try (Engine engine = builder(clock).probe("jfr").build()) {
                run(engine, "by-name", 5, 1);
              }
            });

    assertThat(of(events, RequestFinishedEvent.NAME))
        .extracting(event -> event.getString("requestId"))
        .containsExactly("by-name");
  }

  @Test
  void shouldRefuseOptions() {
    final ProbeContext context =
        new ProbeContext(
            RunInfo.builder(
                    SchedulerConfig.builder(
                            SchedulerLimits.builder()
                                .maxNumSeqs(1)
                                .maxNumBatchedTokens(1)
                                .maxModelLen(2)
                                .build())
                        .build(),
                    KvCacheShape.builder().blockSize(1).blocks(2).build())
                .headwayVersion("test")
                .executor("none")
                .virtualTime(true)
                .build(),
            Map.of("level", "full"));

    assertThatThrownBy(() -> new JfrProbeProvider().create(context))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("probe 'jfr' has no options, recordings choose events: options=[level]");
  }

  /** Runs with a recording of everything; returns our events in order of their end. */
  private List<RecordedEvent> record(Runnable run) throws IOException {
    final Path file = temporary.resolve("all.jfr");
    try (Recording recording = new Recording()) {
      NAMES.forEach(name -> recording.enable(name).withoutThreshold());
      recording.start();
      run.run();
      recording.dump(file);
    }
    return RecordingFile.readAllEvents(file).stream()
        .filter(event -> event.getEventType().getName().startsWith("dev.headway."))
        .sorted((a, b) -> a.getEndTime().compareTo(b.getEndTime()))
        .toList();
  }

  private static void serve(String id, int promptTokens, int outputs) {
    try (Engine engine = builder(new VirtualClock()).probe(new JfrProbe()).build()) {
      run(engine, id, promptTokens, outputs);
    }
  }

  private static void run(Engine engine, String id, int promptTokens, int outputs) {
    final RequestHandle handle = engine.submit(request(id, promptTokens, outputs));
    for (int step = 0; step < 100 && !handle.isDone(); step++) {
      engine.step();
    }
    engine.step();
  }

  private static Request request(String id, int promptTokens, int outputs) {
    final int[] prompt = new int[promptTokens];
    Arrays.fill(prompt, id.charAt(0));
    return Request.builder(id, prompt).maxTokens(outputs).build();
  }

  private static EngineBuilder builder(VirtualClock clock) {
    return builder(clock, 64);
  }

  private static EngineBuilder builder(VirtualClock clock, int usableBlocks) {
    final KvCacheShape kvCache =
        KvCacheShape.builder().blockSize(4).blocks(usableBlocks + 1).build();
    final ExecutorShape shape =
        ExecutorShape.builder().kvCache(kvCache).maxNumSeqs(8).vocabularySize(1_000_000).build();
    return HeadwayEngine.builder(
            new SimulatedExecutor(
                shape, new LinearLatencyModel(Duration.ofMillis(1).toNanos(), 0, 0, 0), clock, 1))
        .limits(
            SchedulerLimits.builder()
                .maxNumSeqs(8)
                .maxNumBatchedTokens(64)
                .maxModelLen(128)
                .build())
        .clock(clock);
  }

  private static EventType type(String name) {
    return FlightRecorder.getFlightRecorder().getEventTypes().stream()
        .filter(type -> type.getName().equals(name))
        .findFirst()
        .orElseThrow();
  }

  private static String wait(RecordedEvent event) {
    return event.getString("requestId")
        + " "
        + event.getString("reason")
        + " by "
        + event.getString("blocker")
        + " own="
        + event.getBoolean("own")
        + " "
        + event.getInt("needed")
        + "/"
        + event.getInt("free");
  }

  private static List<RecordedEvent> of(List<RecordedEvent> events, String name) {
    return events.stream().filter(event -> event.getEventType().getName().equals(name)).toList();
  }
}

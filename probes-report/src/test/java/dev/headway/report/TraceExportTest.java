package dev.headway.report;

import static dev.headway.api.Absent.ABSENT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.events.model.RunModel;
import dev.headway.probes.chronicle.JournalPump;
import dev.headway.probes.chronicle.JournalSource;
import dev.headway.probes.csv.CsvResult;
import dev.headway.probes.csv.EventScript;
import dev.headway.probes.csv.RandomRun;
import dev.headway.probes.csv.RealRun;
import dev.headway.probes.csv.StepScript;
import dev.headway.report.trace.TraceExport;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class TraceExportTest {

  private static final JsonMapper STRICT =
      JsonMapper.builder()
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
          .build();

  @TempDir private Path temporary;

  /** A slice, in ns. */
  private record Slice(String track, String name, long fromNs, long toNs) {}

  @Test
  void shouldKeepEveryNanosecondOfARealRun() throws IOException {
    final Path journal = temporary.resolve("journal");
    RealRun.into(journal, 1, 24);
    final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (JournalSource source = JournalSource.open(journal);
        TraceExport export = new TraceExport(bytes)) {
      JournalPump.pump(source, new RunModel(export), (records, rows, permille) -> {});
    }

    final JsonNode events = STRICT.readTree(bytes.toByteArray()).get("traceEvents");

    assertSound(events);
    assertThat(names(events, "X")).contains("step", "schedule", "forward", "prefill", "decode");
    assertThat(names(events, "X")).anyMatch(name -> name.startsWith("waiting: preempted"));
    assertThat(names(events, "C"))
        .contains("requests running", "requests waiting", "KV blocks used", "tokens per step");
    assertThat(names(events, "i")).contains("preempted").anyMatch(n -> n.startsWith("rejected"));
    assertArrowsHaveTwoEnds(events);
  }

  @Test
  void shouldCoverEveryLifeWithoutAGap() throws IOException {
    for (long seed = 1; seed <= 10; seed++) {
      final RandomRun run = new RandomRun(seed, 200, 1 + (int) (seed % 2));
      final CsvResult csv = CsvResult.of(run.script, temporary.resolve("csv" + seed));

      final JsonNode events = trace(run.script);

      assertSound(events);
      final Map<Long, Long> lived = new HashMap<>();
      for (Slice slice : slices(events)) {
        if (slice.track().startsWith("2/") && !slice.name().equals("ingress")) {
          final long number = Long.parseLong(slice.track().substring(2)) - 1;
          lived.merge(number, slice.toNs() - slice.fromNs(), Long::sum);
        }
      }
      for (Map<String, String> row : csv.requests()) {
        if (row.get("status").equals("finished")) {
          final long number = Long.parseLong(row.get("request_number"));
          final long lifeNs =
              Long.parseLong(row.get("completion_time")) - Long.parseLong(row.get("queued_time"));
          assertThat(lived.getOrDefault(number, 0L)).as("seed=%s %s", seed, row).isEqualTo(lifeNs);
        }
      }
    }
  }

  @Test
  void shouldTakeEveryNameForText() throws IOException {
    final String name = "\"},{<script>\u2028\uD800\u0000";
    final JsonNode events =
        trace(
            EventScript.full()
                .queued(0, name, 0, 5, 8, 0, name)
                .planned(new StepScript(1, 5, 6).counts(0, 1, 0, 100))
                .runEnded(9));

    assertThat(names(events, "M")).contains("thread_name");
    assertSound(events);
  }

  @Test
  void shouldNotGrowWithWaitingRequestsTimesSteps() throws IOException {
    final EventScript script = EventScript.full();
    for (int i = 0; i < 50; i++) {
      script.queued(i, "r" + i, 0, 0, 8);
    }
    for (int step = 1; step <= 1_000; step++) {
      script.closed(step, step % 2 == 0 ? "max_num_seqs" : "paused", -1);
      script.planned(new StepScript(step, step * 10L, step * 10L).counts(0, 50, 0, 100));
    }

    final JsonNode events = trace(script.runEnded(20_000));

    assertSound(events);
    assertThat(names(events, "X").stream().filter(n -> n.startsWith("waiting")).count())
        .isBetween(50L * 60, 50L * 66);
    assertThat(names(events, "X")).contains("waiting: alternating");
  }

  private static JsonNode trace(EventScript script) throws IOException {
    final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (RunModel tracker = new RunModel(new TraceExport(bytes))) {
      script.playTo(tracker);
    }
    return STRICT.readTree(bytes.toByteArray()).get("traceEvents");
  }

  /** Slices of a track are in order, nest or follow each other, and none ends before it begins. */
  private static void assertSound(JsonNode events) {
    final Map<String, List<Slice>> tracks = new TreeMap<>();
    for (Slice slice : slices(events)) {
      tracks.computeIfAbsent(slice.track(), unused -> new ArrayList<>()).add(slice);
    }
    assertThat(tracks).isNotEmpty();
    tracks.forEach(
        (track, slices) -> {
          final List<Long> openUntil = new ArrayList<>();
          long fromNs = ABSENT;
          for (Slice slice : slices) {
            assertThat(slice.fromNs()).as("sorted: %s", slice).isGreaterThanOrEqualTo(fromNs);
            assertThat(slice.toNs()).as("%s", slice).isGreaterThanOrEqualTo(slice.fromNs());
            fromNs = slice.fromNs();
            while (!openUntil.isEmpty() && openUntil.get(openUntil.size() - 1) <= fromNs) {
              openUntil.remove(openUntil.size() - 1);
            }
            if (!openUntil.isEmpty()) {
              assertThat(slice.toNs())
                  .as("nested: %s", slice)
                  .isLessThanOrEqualTo(openUntil.get(openUntil.size() - 1));
            }
            openUntil.add(slice.toNs());
          }
        });
  }

  private static void assertArrowsHaveTwoEnds(JsonNode events) {
    final Set<Long> starts = new HashSet<>();
    final Set<Long> ends = new HashSet<>();
    for (JsonNode event : events) {
      assertThat(event.get("cat").asString()).as("parsers split it").isNotEmpty();
      if (event.get("ph").asString().equals("s")) {
        starts.add(event.get("id").asLong());
      } else if (event.get("ph").asString().equals("f")) {
        ends.add(event.get("id").asLong());
      }
    }
    assertThat(starts).isNotEmpty().isEqualTo(ends);
  }

  private static List<Slice> slices(JsonNode events) {
    final List<Slice> slices = new ArrayList<>();
    for (JsonNode event : events) {
      if (event.get("ph").asString().equals("X")) {
        final long fromNs = ns(event.get("ts"));
        slices.add(
            new Slice(
                event.get("pid").asLong() + "/" + event.get("tid").asLong(),
                event.get("name").asString(),
                fromNs,
                fromNs + ns(event.get("dur"))));
      }
    }
    return slices;
  }

  private static long ns(JsonNode micros) {
    final BigDecimal value = micros.decimalValue();
    assertThat(value.scale()).isEqualTo(3);
    return value.movePointRight(3).longValueExact();
  }

  private static List<String> names(JsonNode events, String phase) {
    final List<String> names = new ArrayList<>();
    for (JsonNode event : events) {
      if (event.get("ph").asString().equals(phase)) {
        names.add(event.get("name").asString());
      }
    }
    return names;
  }
}

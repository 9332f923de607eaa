package dev.headway.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.headway.events.record.QueuedRecord;
import dev.headway.events.record.RecordVisitor;
import dev.headway.probes.csv.EventScript;
import dev.headway.probes.csv.RandomRun;
import dev.headway.probes.csv.RandomRun.Expected;
import dev.headway.probes.csv.Scenarios;
import dev.headway.probes.csv.StepScript;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** What a line of the profile says. */
class ProfileTest {

  /** The brief's own recipe for slow decisions; it misses those of 100 ms and more. */
  private static final String RECIPE = "\"schedule_duration_ms\":[0-9][0-9]\\.";

  @TempDir private Path temporary;

  @Test
  void shouldWriteTheGoldenLine() {
    final ProfileLines lines = ProfileLines.of(sample());

    assertThat(lines.text())
        .isEqualTo(
            "{\"batch_id\":0,\"timestamp\":1700000000.105200,\"schedule_duration_ms\":5.2,"
                + "\"model_run_duration_ms\":45.8,\"total_step_duration_ms\":51.0,"
                + "\"num_prefill_reqs\":3,\"num_decode_reqs\":7,\"total_scheduled_tokens\":903,"
                + "\"prefill_chunk_sizes\":[512,256,128],"
                + "\"decode_chunk_sizes\":[1,1,1,1,1,1,1],"
                + "\"avg_prefill_chunk_size\":298.666667,\"max_prefill_chunk_size\":512,"
                + "\"min_prefill_chunk_size\":128,\"avg_decode_chunk_size\":1.000000,"
                + "\"num_waiting_reqs\":5,\"num_running_reqs\":12,\"kv_cache_usage\":0.750000,"
                + "\"schema\":1,\"step\":1,\"mode\":\"sync\",\"num_recompute_reqs\":0,"
                + "\"recompute_tokens\":0,\"num_preempted\":0,\"preempted_ids\":[],"
                + "\"num_finished\":0,\"num_admitted\":1,\"token_budget\":2048,"
                + "\"budget_left\":1145,\"cached_prefix_tokens\":64,"
                + "\"computed_tokens\":[64,0,0,100,100,100,100,100,100,100],"
                + "\"cached_tokens\":[64,null,null,null,null,null,null,null,null,null],"
                + "\"wait_reasons\":{\"max_num_seqs\":5},\"hol_blocker\":null,"
                + "\"policy\":\"fcfs\",\"policy_ns\":null,\"launch_ns\":105200005,"
                + "\"result_ns\":151000005,\"sched_begin_ns\":100000005,"
                + "\"sched_end_ns\":105200005,\"gpu_idle_ms\":null,\"blocks_free\":25,"
                + "\"blocks_total\":100,"
                + "\"req_ids\":[\"r0\",\"r1\",\"r2\",\"r3\",\"r4\",\"r5\",\"r6\",\"r7\",\"r8\","
                + "\"r9\"],\"step_period_ms\":null,\"produced_tokens\":8,"
                + "\"run_id\":\"1699999999999999995-0\","
                + "\"chunk_sizes\":[512,256,128,1,1,1,1,1,1,1],"
                + "\"prefix_cache_requests\":1,\"prefix_cache_requests_hit\":1,"
                + "\"prefix_cache_queries\":1000,\"prefix_cache_hits\":64}\n");
  }

  @Test
  void shouldWriteNullsWhenNoPromptIsComputed() {
    final StepScript decodes =
        new StepScript(1, 10, 20).entry(0, 1, 9, true, 1, 1).counts(1, 0, 0, 99);

    final JsonNode line =
        ProfileLines.of(
                EventScript.full()
                    .queued(0, "a", 1, 2, 9)
                    .planned(decodes)
                    .completed(decodes.done(20, 30, 31, 1)))
            .records()
            .get(0);

    assertThat(line.get("prefill_chunk_sizes").isEmpty()).isTrue();
    assertThat(line.get("avg_prefill_chunk_size").isNull()).isTrue();
    assertThat(line.get("max_prefill_chunk_size").isNull()).isTrue();
    assertThat(line.get("min_prefill_chunk_size").isNull()).isTrue();
    assertThat(line.get("avg_decode_chunk_size").asDouble()).isEqualTo(1);
  }

  @Test
  void shouldCallAOneTokenPromptChunkAPrefill() {
    final StepScript last =
        new StepScript(1, 10, 20).entry(0, 1, 8, true, 1, 1).counts(1, 0, 0, 99);

    final JsonNode line =
        ProfileLines.of(
                EventScript.full()
                    .queued(0, "a", 1, 2, 9)
                    .planned(last)
                    .completed(last.done(20, 30, 31, 1)))
            .records()
            .get(0);

    assertThat(line.get("num_prefill_reqs").asInt()).isEqualTo(1);
    assertThat(line.get("num_decode_reqs").asInt()).isZero();
  }

  @Test
  void shouldSaySumsAndNoListsOfASummary() {
    final StepScript step =
        new StepScript(1, 10, 20)
            .entry(0, 30, 0, false, 1, 1)
            .entry(1, 1, 9, true, 1, 1)
            .withoutEntries(2)
            .counts(2, 0, 0, 99);

    final JsonNode line =
        ProfileLines.of(
                new EventScript()
                    .run("summary", Map.of())
                    .planned(step)
                    .completed(step.done(20, 30, 31, 0, 1)))
            .records()
            .get(0);

    assertThat(line.get("num_prefill_reqs").asInt()).isEqualTo(1);
    assertThat(line.get("num_decode_reqs").asInt()).isEqualTo(1);
    assertThat(line.get("avg_prefill_chunk_size").asDouble()).isEqualTo(30);
    assertThat(line.get("prefill_chunk_sizes").isNull()).isTrue();
    assertThat(line.get("req_ids").isNull()).isTrue();
    assertThat(line.get("token_budget").isNull()).isTrue();
  }

  @Test
  void shouldCountWaitingRequestsByReason() {
    final List<JsonNode> lines = ProfileLines.of(Scenarios.preemption()).records();

    assertThat(lines)
        .extracting(line -> line.get("wait_reasons").toString())
        .containsExactly(
            "{\"max_num_batched_tokens\":2}",
            "{\"chunked_prefill\":1}",
            "{\"preempted\":1,\"preemption_in_step\":1}",
            "{\"memory_insufficient\":1}",
            "{}",
            "{}");
    assertThat(lines.get(2).get("preempted_ids").toString()).isEqualTo("[\"b\"]");
    assertThat(lines.get(3).get("hol_blocker").asString()).isEqualTo("b");
    assertThat(lines)
        .extracting(line -> line.get("num_finished").asInt())
        .containsExactly(0, 0, 0, 2, 0, 1);
    assertThat(lines)
        .extracting(line -> line.get("recompute_tokens").asInt())
        .containsExactly(0, 0, 0, 0, 10, 6);
    assertThat(lines.get(5).get("num_recompute_reqs").asInt()).isEqualTo(1);
  }

  @Test
  void shouldCallTheLastLostTokenARecomputation() {
    final StepScript first =
        new StepScript(1, 10, 20).entry(0, 4, 0, true, 1, 1).counts(1, 0, 0, 99);
    final StepScript second =
        new StepScript(2, 40, 50).entry(0, 3, 0, false, 1, 1).counts(1, 0, 0, 99);
    final StepScript third =
        new StepScript(3, 70, 80).entry(0, 2, 3, true, 1, 0).counts(1, 0, 0, 99);

    final JsonNode last =
        ProfileLines.of(
                EventScript.full()
                    .queued(0, "a", 1, 2, 4)
                    .admitted(1, 0, 0)
                    .planned(first)
                    .completed(first.done(20, 30, 31, 1))
                    .preempted(2, 0, "kv_blocks", -1, 4, 1)
                    .resumed(2, 0, 0, 4)
                    .planned(second)
                    .completed(second.done(50, 60, 61, 0))
                    .planned(third)
                    .completed(third.done(80, 90, 91, 1)))
            .records()
            .get(2);

    assertThat(last.get("num_recompute_reqs").asInt()).isEqualTo(1);
    assertThat(last.get("recompute_tokens").asInt()).isEqualTo(1); // the other is new
    assertThat(last.get("prefill_chunk_sizes").toString()).isEqualTo("[2]");
  }

  @Test
  void shouldNotCallRejectedDraftTokensLost() {
    final StepScript prompt =
        new StepScript(1, 10, 20).entry(0, 9, 0, true, 1, 1).counts(1, 0, 0, 99);
    final StepScript drafts =
        new StepScript(2, 40, 50).entry(0, 4, 9, true, 1, 0).counts(1, 0, 0, 99);
    final StepScript again =
        new StepScript(3, 70, 80).entry(0, 10, 0, false, 1, 1).counts(1, 0, 0, 99);
    final StepScript decode =
        new StepScript(4, 95, 96).entry(0, 1, 10, true, 1, 0).counts(1, 0, 0, 99);

    final List<JsonNode> lines =
        ProfileLines.of(
                EventScript.full()
                    .queued(0, "a", 1, 2, 9)
                    .admitted(1, 0, 0)
                    .planned(prompt)
                    .completed(prompt.done(20, 30, 31, 1))
                    .planned(drafts)
                    .completed(drafts.done(50, 60, 61, 1)) // all three drafts were wrong
                    .preempted(3, 0, "kv_blocks", -1, 10, 1)
                    .resumed(3, 0, 0, 10)
                    .planned(again)
                    .completed(again.done(80, 90, 91, 0))
                    .planned(decode)
                    .completed(decode.done(96, 98, 99, 1)))
            .records();

    assertThat(lines)
        .extracting(line -> line.get("recompute_tokens").asInt())
        .containsExactly(0, 0, 10, 0);
    assertThat(lines.get(1).get("decode_chunk_sizes").toString()).isEqualTo("[4]");
    assertThat(lines.get(3).get("num_decode_reqs").asInt()).isEqualTo(1);
  }

  @Test
  void shouldJoinWhatCameOfAStepByItsNumber() {
    final StepScript[] steps = new StepScript[4];
    for (int i = 0; i < 4; i++) {
      steps[i] =
          new StepScript(i + 1, 100 * i, 100 * i + 10 + i)
              .entry(0, 1, i, false, 1, 1)
              .counts(1, 0, 0, 99)
              .done(100 * i + 20, 100 * i + 150, 100 * i + 151, 0);
    }

    final List<JsonNode> lines =
        ProfileLines.of(
                EventScript.full()
                    .queued(0, "a", 1, 2, 9)
                    .planned(steps[0])
                    .planned(steps[1])
                    .dropped(1) // what came of the first
                    .completed(steps[1])
                    .planned(steps[2])
                    .completed(steps[2])
                    .planned(steps[3])) // still at work
            .records();

    assertThat(lines).extracting(line -> line.get("step").asInt()).containsExactly(2, 3);
    assertThat(lines.get(0).get("schedule_duration_ms").asDouble()).isEqualTo(11e-6);
    assertThat(lines.get(0).get("model_run_duration_ms").asDouble()).isEqualTo(130e-6);
    assertThat(lines)
        .extracting(line -> line.get("mode").asString())
        .containsExactly("overlap", "sync");
    assertThat(lines.get(1).get("step_period_ms").asDouble()).isEqualTo(100e-6);
  }

  @Test
  void shouldCallBothOfTwoStepsOverlapping() {
    final StepScript first =
        new StepScript(1, 10, 20).entry(0, 1, 0, false, 1, 1).counts(1, 0, 0, 99);
    final StepScript second =
        new StepScript(2, 30, 40).entry(0, 1, 1, false, 1, 0).counts(1, 0, 0, 99);

    final List<JsonNode> lines =
        ProfileLines.of(
                EventScript.full()
                    .queued(0, "a", 1, 2, 9)
                    .planned(first)
                    .planned(second)
                    .completed(first.done(20, 50, 51, 0))
                    .completed(second.done(40, 70, 71, 0)))
            .records();

    assertThat(lines)
        .extracting(line -> line.get("mode").asString())
        .containsExactly("overlap", "overlap");
    assertThat(lines.get(1).get("gpu_idle_ms").asDouble()).isZero(); // 40 - 50, at least 0
  }

  @Test
  void shouldSkipStepsWithoutTokens() {
    final StepScript empty = new StepScript(1, 10, 20).counts(0, 0, 0, 100);
    final StepScript full =
        new StepScript(2, 40, 50).entry(0, 1, 9, true, 1, 1).counts(1, 0, 0, 99);

    final List<JsonNode> lines =
        ProfileLines.of(
                EventScript.full()
                    .queued(0, "a", 1, 2, 9)
                    .planned(empty)
                    .completed(empty.notExecuted().done(20, 20, 21))
                    .planned(full)
                    .completed(full.done(50, 60, 61, 1)))
            .records();

    assertThat(lines).hasSize(1);
    assertThat(lines.get(0).get("batch_id").asInt()).isZero();
    assertThat(lines.get(0).get("step").asInt()).isEqualTo(2);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void shouldScheduleWhatEveryRequestNeeded(int depth) {
    final RandomRun run = new RandomRun(71, 3_000, depth);

    final Map<String, Long> scheduled = new HashMap<>();
    long recomputed = 0;
    for (JsonNode line : ProfileLines.of(run.script).records()) {
      final List<Integer> chunks = new ArrayList<>();
      line.get("prefill_chunk_sizes").forEach(chunk -> chunks.add(chunk.asInt()));
      line.get("decode_chunk_sizes").forEach(chunk -> chunks.add(chunk.asInt()));
      assertThat(chunks.stream().mapToInt(chunk -> chunk).sum())
          .isEqualTo(line.get("total_scheduled_tokens").asInt());
      assertThat(line.get("num_prefill_reqs").asInt() + line.get("num_decode_reqs").asInt())
          .isEqualTo(line.get("req_ids").size());
      assertThat(line.get("mode").asString()).isEqualTo(depth == 1 ? "sync" : "overlap");
      recomputed += line.get("recompute_tokens").asLong();
      perRequest(line).forEach((id, tokens) -> scheduled.merge(id, tokens, Long::sum));
    }

    run.expected.forEach(
        (id, expected) ->
            assertThat(scheduled.getOrDefault(id, 0L)).as(id).isEqualTo(expected.computed));
    if (depth == 1) { // in overlap mode a sampled token may be in flight when its request goes
      assertThat(recomputed)
          .isEqualTo(run.expected.values().stream().mapToLong(e -> e.recomputed).sum())
          .isPositive();
    }
  }

  @Test
  void shouldNeedPromptAndOutputsWithoutWhatWasCached() {
    final RandomRun run = new RandomRun(72, 3_000, 1);
    final Map<String, Long> scheduled = new HashMap<>();
    final Map<String, Integer> cached = new HashMap<>();
    final Map<String, Integer> prompts = new HashMap<>();
    run.script.playTo(
        new RecordVisitor() {
          @Override
          public void onQueued(QueuedRecord request) {
            prompts.put(request.requestId(), request.promptTokens());
          }
        });
    for (JsonNode line : ProfileLines.of(run.script).records()) {
      perRequest(line).forEach((id, tokens) -> scheduled.merge(id, tokens, Long::sum));
      for (int entry = 0; entry < line.get("req_ids").size(); entry++) {
        cached.put(
            line.get("req_ids").get(entry).asString(),
            line.get("cached_tokens").get(entry).asInt());
      }
    }

    int checked = 0;
    for (Map.Entry<String, Expected> request : run.expected.entrySet()) {
      final Expected expected = request.getValue();
      final String id = request.getKey();
      if (expected.preemptions == 0
          && expected.completionNs > 0
          && expected.completionNs == expected.lastTokenNs) {
        assertThat(scheduled.get(id))
            .as(id)
            .isEqualTo(prompts.get(id) - cached.get(id) + expected.outputs - 1);
        checked++;
      }
    }
    assertThat(checked).isGreaterThan(100);
  }

  @ParameterizedTest
  @ValueSource(strings = {"de-DE", "ko-KR", "ar-EG-u-nu-arab"})
  void shouldWriteTheSameInEveryLocale(String tag) {
    final String expected = ProfileLines.of(sample()).text();
    final Locale before = Locale.getDefault();
    try {
      Locale.setDefault(Locale.forLanguageTag(tag));

      assertThat(ProfileLines.of(sample()).text()).isEqualTo(expected);
    } finally {
      Locale.setDefault(before);
    }
  }

  @Test
  void shouldBeFoundByTheRecipeOfTheBrief() throws IOException, InterruptedException {
    final String text = ProfileLines.of(slowDecisions()).text();

    assertThat(Pattern.compile(RECIPE).matcher(text).results().count()).isEqualTo(2);

    assumeThat(Path.of("/usr/bin/grep")).exists();
    final Path file = temporary.resolve("profile.jsonl");
    Files.writeString(file, text);
    final Process grep = new ProcessBuilder("/usr/bin/grep", "-c", RECIPE, file.toString()).start();
    assertThat(new String(grep.getInputStream().readAllBytes()).strip()).isEqualTo("2");
    assertThat(grep.waitFor()).isZero();
  }

  private static Map<String, Long> perRequest(JsonNode line) {
    final Map<String, Long> tokens = new HashMap<>();
    for (int entry = 0; entry < line.get("req_ids").size(); entry++) {
      final String id = line.get("req_ids").get(entry).asString();
      tokens.merge(id, line.get("chunk_sizes").get(entry).asLong(), Long::sum);
    }
    return tokens;
  }

  /** The sample of the brief, its sum put right: 512 + 256 + 128 + 7 = 903. */
  private static EventScript sample() {
    final EventScript script =
        new EventScript().run("full", Map.of("queuePolicy", "FCFS", "maxNumBatchedTokens", "2048"));
    final StepScript step = new StepScript(1, 100_000_005, 105_200_005);
    for (int number = 0; number < 10; number++) {
      script.queued(number, "r" + number, 1, 2, number < 3 ? 1_000 : 100);
    }
    step.entry(0, 512, 64, false, 8, 8).entry(1, 256, 0, false, 4, 4).entry(2, 128, 0, true, 2, 2);
    for (int number = 3; number < 10; number++) {
      step.entry(number, 1, 100, true, 7, 0);
    }
    step.counts(12, 5, 0, 25)
        .done(105_200_005, 151_000_005, 151_000_006, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1);
    return script.admitted(1, 0, 64).closed(1, "max_num_seqs", -1).planned(step).completed(step);
  }

  /** Decisions of 9.9, 10.0, 99.999999 and 100.0 ms. */
  private static EventScript slowDecisions() {
    final EventScript script = EventScript.full().queued(0, "a", 1, 2, 1_000);
    long now = 0;
    int step = 0;
    for (long durationNs : new long[] {9_900_000, 10_000_000, 99_999_999, 100_000_000}) {
      final StepScript slow =
          new StepScript(++step, now, now + durationNs)
              .entry(0, 1, step, false, 1, 1)
              .counts(1, 0, 0, 99);
      now += durationNs + 10;
      script.planned(slow).completed(slow.done(now - 5, now - 3, now - 2, 0));
    }
    return script;
  }
}

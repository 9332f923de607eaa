package dev.headway.simulation.fit;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.api.step.StepFeatures;
import dev.headway.simulation.fit.RecordedSteps.Omission;
import dev.headway.toolbox.csv.CsvReader;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Steps out of a scheduling profile, a JSON object in a line: those of {@code headway profile}, and
 * those of vLLM's profiling forks, whose second form has {@code all_computed_tokens} and whose
 * third has times as texts ({@code schedule_ms}, {@code model_run_ms}) and {@code sched_tokens}.
 *
 * <p>A line must say the tokens and the context of each of its requests, of which those with one
 * token and a context decode; where that is not the line's own number of decodes (a last chunk of
 * one token, drafts) the step is left out. A step took from its begin to that of the next where
 * lines have instants, and where one begins before the result of the one before is there, from that
 * result to its own; else {@code total_step_duration_ms}, or scheduling and model run together.
 */
final class ProfileSteps {

  private static final JsonMapper JSON = JsonMapper.shared();
  private static final String BEGIN = "sched_begin_ns";
  private static final String RESULT = "result_ns";
  private static final int WARM_UP_LINES = 10;
  private static final double NS_PER_MS = 1e6;
  private static final double NS_PER_S = 1e9;

  private ProfileSteps() {}

  /** Whether a file's first line is one of a profile. */
  static boolean isProfile(Path file) throws IOException {
    try (BufferedReader lines = open(file)) {
      final String first = lines.readLine();
      return first != null
          && (first.contains("\"schedule_duration_ms\"") || first.contains("\"schedule_ms\""));
    }
  }

  private static BufferedReader open(Path file) throws IOException {
    return new BufferedReader(new InputStreamReader(CsvReader.open(file), StandardCharsets.UTF_8));
  }

  /**
   * Adds the steps of a file. A last line that was cut is passed over.
   *
   * @throws IOException if it cannot be read, or another line is no JSON; names the line
   */
  static void read(Path file, RecordedSteps into) throws IOException {
    try (BufferedReader lines = open(file)) {
      int number = 0;
      JsonNode before = null;
      JsonNode step = null;
      String line = lines.readLine();
      while (line != null) {
        final String following = lines.readLine();
        final JsonNode next = parse(file, line, ++number, following == null);
        if (step != null) {
          add(before, step, number - 1, next, into);
        }
        before = step;
        step = next;
        line = following;
      }
      if (step != null) {
        add(before, step, number, null, into);
      }
    }
  }

  private static @Nullable JsonNode parse(Path file, String line, int number, boolean last)
      throws IOException {
    try {
      return JSON.readTree(line);
    } catch (JacksonException e) {
      if (last) {
        return null; // the writer was killed
      }
      throw new IOException(
          file + ", line " + number + ": must be a JSON object: " + e.getOriginalMessage(), e);
    }
  }

  private static void add(
      @Nullable JsonNode before,
      JsonNode step,
      int number,
      @Nullable JsonNode next,
      RecordedSteps into) {
    final JsonNode chunks = first(step, "chunk_sizes", "sched_tokens");
    final JsonNode contexts = first(step, "computed_tokens", "all_computed_tokens");
    if (number <= WARM_UP_LINES) {
      into.omit(Omission.WARM_UP);
    } else if (step.path("num_preempted").asInt(0) > 0) {
      into.omit(Omission.PREEMPTION);
    } else if (!chunks.isArray() || !contexts.isArray() || chunks.size() != contexts.size()) {
      into.omit(Omission.NO_ENTRIES);
    } else {
      final long stepNs = stepNs(before, step, next);
      if (stepNs == ABSENT) {
        into.omit(Omission.NO_NEXT_STEP);
      } else {
        addEntries(step, chunks, contexts, stepNs, into);
      }
    }
  }

  private static void addEntries(
      JsonNode step, JsonNode chunks, JsonNode contexts, long stepNs, RecordedSteps into) {
    final StepFeatures features = new StepFeatures();
    for (int i = 0; i < chunks.size(); i++) {
      final int tokens = chunks.path(i).asInt(0);
      final int context = contexts.path(i).asInt(0);
      if (tokens == 1 && context > 0) {
        features.addDecode(1, context);
      } else {
        features.addPrefill(tokens, context);
      }
    }
    final JsonNode decodes = step.path("num_decode_reqs");
    if (decodes.isNumber() && decodes.asInt() != features.decodeRequests()) {
      into.omit(Omission.NO_ENTRIES);
      return;
    }
    features.addAdmissions(step.path("num_admitted").asInt(0), 0);
    features.addSampling(step.path("produced_tokens").asInt(features.decodeRequests()));
    final long forwardNs = forwardNs(step);
    into.add(features, stepNs, isAlone(step) ? forwardNs : ABSENT, beginNs(step));
  }

  /** With another step in flight the time to the result is that of both. */
  private static boolean isAlone(JsonNode step) {
    return !step.path("mode").asString("sync").equals("overlap");
  }

  private static long forwardNs(JsonNode step) {
    if (step.path("launch_ns").isNumber() && step.path(RESULT).isNumber()) {
      return step.path(RESULT).asLong() - step.path("launch_ns").asLong();
    }
    return ns(first(step, "model_run_duration_ms", "model_run_ms"));
  }

  /**
   * From the step's begin to that of the next, if requests were left for that one: otherwise the
   * engine may have waited in between. Where lines have no instants, the step's own time.
   */
  private static long stepNs(@Nullable JsonNode before, JsonNode step, @Nullable JsonNode next) {
    if (step.path(BEGIN).isNumber()) {
      return next != null && (overlap(step, next) || goesOn(step, next))
          ? edgeNs(step, next) - edgeNs(before, step)
          : ABSENT;
    }
    final long totalNs = ns(step.path("total_step_duration_ms"));
    return totalNs > 0
        ? totalNs
        : ns(first(step, "schedule_duration_ms", "schedule_ms")) + Math.max(0, forwardNs(step));
  }

  /** The begin of {@code step}, or the result of the one before, if that was still in flight. */
  private static long edgeNs(@Nullable JsonNode before, JsonNode step) {
    return before != null && overlap(before, step)
        ? before.path(RESULT).asLong()
        : step.path(BEGIN).asLong();
  }

  private static boolean overlap(JsonNode step, JsonNode next) {
    return step.path(RESULT).isNumber()
        && next.path(BEGIN).isNumber()
        && next.path("step").asLong(0) == step.path("step").asLong(0) + 1
        && next.path(BEGIN).asLong() < step.path(RESULT).asLong();
  }

  private static boolean goesOn(JsonNode step, JsonNode next) {
    final int alive =
        step.path("num_running_reqs").asInt(1) + step.path("num_waiting_reqs").asInt(0);
    return next.path(BEGIN).isNumber()
        && next.path("step").asLong(0) == step.path("step").asLong(0) + 1
        && alive > step.path("num_finished").asInt(0);
  }

  private static long beginNs(JsonNode step) {
    return step.path(BEGIN).isNumber()
        ? step.path(BEGIN).asLong()
        : Math.round(step.path("timestamp").asDouble(0) * NS_PER_S);
  }

  private static JsonNode first(JsonNode step, String name, String other) {
    return step.has(name) ? step.path(name) : step.path(other);
  }

  /** A number of milliseconds, or a text of one; absent if it is neither. */
  private static long ns(JsonNode millis) {
    final double value = millis.asDouble(Double.NaN);
    return Double.isNaN(value) ? ABSENT : Math.round(value * NS_PER_MS);
  }
}

package dev.headway.simulation.fit;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.api.step.StepFeatures;
import dev.headway.toolbox.csv.CsvReader;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Steps out of OTLP JSON, one document or one per line: {@code step.BATCH_SUMMARY} events say what
 * a step computed, {@code journey} events of the requests which contexts its entries had. Both are
 * joined by the number of the step, never by time. The spans of vLLM's tracing fork and those of
 * {@code headway otlp} have these events.
 *
 * <p>A step took from its begin to that of the next, so both must have been sampled. {@code
 * step.duration_us} is not used: it is the time of the decision alone. Contexts are exact but for
 * prompts that took several steps, whose chunks are taken for equal, and for requests after a
 * preemption, whose steps are left out.
 */
final class OtlpSteps {

  private static final JsonMapper JSON = JsonMapper.shared();

  private final Map<Long, Step> steps = new TreeMap<>();
  private final Map<String, Journey> journeys = new HashMap<>();

  /** What a step said of itself, and what its requests add. */
  private static final class Step {
    long beginNs;
    int running;
    int finished;
    int preempted;
    int prefills;
    int decodes;
    long prefillTokens;
    long decodeTokens;
    long prefillContext;
    double prefillPairs;
    long prefillKnown;
    long decodeContext;
    long decodeSquares;
    int newRequests;
    int firstTokens;
    boolean preemptedBefore;
  }

  /** Where a request was, by the numbers of steps. */
  private static final class Journey {
    long scheduled = ABSENT;
    long first = ABSENT;
    long finished = ABSENT;
    long preempted = ABSENT;
    int prompt;
    int cached;
  }

  private OtlpSteps() {}

  /**
   * Adds the steps of a file.
   *
   * @throws IOException if it cannot be read or is no OTLP JSON
   */
  static void read(Path file, RecordedSteps into) throws IOException {
    final OtlpSteps reader = new OtlpSteps();
    try (InputStream bytes = CsvReader.open(file);
        JsonParser parser = JSON.createParser(bytes)) {
      reader.readSpans(parser);
    } catch (JacksonException e) {
      throw new IOException(file + " must be OTLP JSON: " + e.getOriginalMessage(), e);
    } catch (NumberFormatException e) {
      throw new IOException(file + " must be OTLP JSON with whole numbers: " + e.getMessage(), e);
    }
    if (reader.steps.isEmpty()) {
      throw new IOException(
          file
              + " must have events step.BATCH_SUMMARY; headway otlp writes them with --step-rate"
              + " 1");
    }
    reader.join();
    reader.addTo(into);
  }

  /** One span at a time is held. */
  private void readSpans(JsonParser parser) {
    for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
      if (token == JsonToken.PROPERTY_NAME && parser.currentName().equals("spans")) {
        parser.nextToken();
        while (parser.nextToken() == JsonToken.START_OBJECT) {
          readSpan(parser.readValueAsTree());
        }
      }
    }
  }

  private void readSpan(JsonNode span) {
    final Map<String, JsonNode> own = attributes(span);
    final String id = text(own.get("gen_ai_request_id"));
    for (JsonNode event : span.path("events")) {
      final String name = event.path("name").asString("");
      final Map<String, JsonNode> attributes = attributes(event);
      if (name.equals("step.BATCH_SUMMARY")) {
        readSummary(attributes);
      } else if (name.startsWith("journey.")) {
        readJourney(
            journeys.computeIfAbsent(id, key -> new Journey()),
            name.substring("journey.".length()),
            attributes);
      }
    }
  }

  private static Map<String, JsonNode> attributes(JsonNode node) {
    final Map<String, JsonNode> result = new HashMap<>();
    for (JsonNode attribute : node.path("attributes")) {
      for (JsonNode value : attribute.path("value")) {
        result.put(attribute.path("key").asString("").replace('.', '_'), value);
      }
    }
    return result;
  }

  private static String text(@Nullable JsonNode value) {
    return value == null ? "" : value.asString("");
  }

  /** OTLP writes 64-bit integers as text. */
  private static long number(Map<String, JsonNode> attributes, String key) {
    final JsonNode value = attributes.get(key.replace('.', '_'));
    return value == null
        ? 0
        : value.isString() ? Long.parseLong(value.asString()) : value.asLong(0);
  }

  private void readSummary(Map<String, JsonNode> attributes) {
    final Step step = new Step();
    step.beginNs = number(attributes, "step.ts_start_ns");
    step.running = (int) number(attributes, "queue.running_depth");
    step.finished = (int) number(attributes, "batch.num_finished");
    step.preempted = (int) number(attributes, "batch.num_preempted");
    step.prefills = (int) number(attributes, "batch.num_prefill_reqs");
    step.decodes = (int) number(attributes, "batch.num_decode_reqs");
    step.prefillTokens = number(attributes, "batch.prefill_tokens");
    step.decodeTokens = number(attributes, "batch.decode_tokens");
    steps.put(number(attributes, "step.id"), step);
  }

  private static void readJourney(Journey journey, String event, Map<String, JsonNode> attributes) {
    final long step = number(attributes, "scheduler.step");
    journey.prompt = (int) number(attributes, "prefill.total_tokens");
    switch (event) {
      case "SCHEDULED" -> {
        if (journey.scheduled == ABSENT) {
          journey.scheduled = step;
          journey.cached = (int) number(attributes, "headway.cached_tokens");
        }
      }
      case "FIRST_TOKEN" -> journey.first = step;
      case "PREEMPTED" ->
          journey.preempted = journey.preempted == ABSENT ? step : journey.preempted;
      case "FINISHED" -> journey.finished = step;
      default -> {}
    }
  }

  private void join() {
    for (Journey journey : journeys.values()) {
      if (journey.scheduled != ABSENT && journey.first != ABSENT && journey.finished != ABSENT) {
        joinPrefill(journey);
        for (long number = journey.first + 1; number <= journey.finished; number++) {
          final Step step = steps.get(number);
          if (step != null) {
            final long context = journey.prompt + (number - journey.first - 1);
            step.decodeContext += context;
            step.decodeSquares += context * context;
            step.preemptedBefore |= journey.preempted != ABSENT && number >= journey.preempted;
          }
        }
      }
    }
  }

  private void joinPrefill(Journey journey) {
    final long chunks = journey.first - journey.scheduled + 1;
    final double chunk = (double) (journey.prompt - journey.cached) / chunks;
    for (long number = journey.scheduled; number <= journey.first; number++) {
      final Step step = steps.get(number);
      if (step != null) {
        final double context = journey.cached + chunk * (number - journey.scheduled);
        step.prefillContext += Math.round(context);
        step.prefillPairs += chunk * (2 * context + chunk);
        step.prefillKnown += Math.round(chunk);
        step.newRequests += number == journey.scheduled ? 1 : 0;
        step.firstTokens += number == journey.first ? 1 : 0;
        step.preemptedBefore |= journey.preempted != ABSENT && number >= journey.preempted;
      }
    }
  }

  private void addTo(RecordedSteps into) {
    final StepFeatures features = new StepFeatures();
    steps.forEach(
        (number, step) -> {
          final Step next = steps.get(number + 1);
          if (step.prefills + step.decodes == 0) {
            return;
          }
          if (step.preempted > 0 || step.preemptedBefore) {
            into.omit(RecordedSteps.Omission.PREEMPTION);
          } else if (next == null || next.finished >= step.running) {
            into.omit(RecordedSteps.Omission.NO_NEXT_STEP);
          } else {
            fill(step, features);
            into.add(features, next.beginNs - step.beginNs, ABSENT, step.beginNs);
          }
        });
  }

  private static void fill(Step step, StepFeatures into) {
    // what the journeys know of the prompts is scaled to what the step said of itself
    final double scale =
        step.prefillKnown > 0 ? (double) step.prefillTokens / step.prefillKnown : 0;
    final long pairs =
        step.prefillKnown > 0
            ? Math.round(step.prefillPairs * scale)
            : step.prefillTokens * step.prefillTokens;
    into.begin();
    into.addPrefills(step.prefills, step.prefillTokens, step.prefillContext, pairs);
    into.addDecodes(step.decodes, step.decodeTokens, step.decodeContext, step.decodeSquares, 0);
    into.addSampling(step.decodes + step.firstTokens);
    into.addAdmissions(step.newRequests, 0);
  }
}

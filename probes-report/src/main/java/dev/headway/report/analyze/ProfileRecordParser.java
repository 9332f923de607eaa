package dev.headway.report.analyze;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.report.analyze.StepFigures.Tally;
import java.util.Arrays;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.json.JsonFactory;

/**
 * Reads one record of a profile.
 *
 * <pre>
 * v1  the original: batch_id, timestamp, schedule_duration_ms, …; ours has members after it
 * v2  chunk_sizes, all_computed_tokens, all_cached_tokens instead of two lists of chunks
 * v3  time, schedule_ms, model_run_ms (numbers as strings), sched_tokens, num_waiting, …
 * </pre>
 *
 * <p>v2 and v3 do not say which requests decode. As their author's script has it, a chunk of one
 * token is then a decode and a longer one is not, which is wrong for a last chunk of one token and
 * for draft tokens. Not thread-safe.
 */
final class ProfileRecordParser {

  private final JsonFactory factory = new JsonFactory();
  private final Numbers chunks = new Numbers();
  private final Numbers computed = new Numbers();
  private final Numbers cached = new Numbers();
  private final Tally decodeChunks = new Tally();
  private boolean isRecord;

  /** Fills {@code figures}; returns whether the bytes are a record. */
  boolean parse(byte[] bytes, int offset, int length, StepFigures figures) {
    figures.clear();
    chunks.clear();
    computed.clear();
    cached.clear();
    decodeChunks.clear();
    isRecord = false;
    try (JsonParser json = factory.createParser(ObjectReadContext.empty(), bytes, offset, length)) {
      if (json.nextToken() != JsonToken.START_OBJECT) {
        return false;
      }
      while (json.nextToken() == JsonToken.PROPERTY_NAME) {
        final String name = json.currentName();
        json.nextToken();
        member(name, json, figures);
      }
      if (!isRecord || json.currentToken() != JsonToken.END_OBJECT) {
        return false;
      }
    } catch (JacksonException notJson) {
      return false;
    }
    conclude(figures);
    return true;
  }

  private void member(String name, JsonParser json, StepFigures figures) {
    switch (name) {
      case "schedule_duration_ms", "schedule_ms" -> {
        figures.scheduleMs = number(json);
        isRecord = true;
      }
      case "model_run_duration_ms", "model_run_ms" -> figures.runMs = number(json);
      case "total_step_duration_ms" -> figures.totalMs = number(json);
      case "timestamp" -> figures.unixSeconds = number(json);
      case "num_prefill_reqs" -> figures.prefillRequests = number(json);
      case "num_decode_reqs" -> figures.decodeRequests = number(json);
      case "total_scheduled_tokens" -> figures.tokens = number(json);
      case "num_waiting_reqs", "num_waiting" -> figures.waiting = number(json);
      case "num_running_reqs", "num_running" -> figures.running = number(json);
      case "kv_cache_usage" -> figures.kvUsage = number(json);
      case "num_preempted" -> figures.preempted = number(json);
      case "produced_tokens" -> figures.producedTokens = number(json);
      case "cached_prefix_tokens" -> figures.cachedPrefixTokens = number(json);
      case "prefix_cache_requests" -> figures.lookupRequests = number(json);
      case "prefix_cache_requests_hit" -> figures.lookupRequestsHit = number(json);
      case "prefix_cache_queries" -> figures.lookupTokens = number(json);
      case "prefix_cache_hits" -> figures.lookupHitTokens = number(json);
      case "sched_begin_ns" -> figures.beginNs = instant(json);
      case "result_ns" -> figures.resultNs = instant(json);
      case "run_id" -> figures.runId = json.getValueAsString();
      default -> list(name, json, figures);
    }
  }

  private void list(String name, JsonParser json, StepFigures figures) {
    switch (name) {
      case "prefill_chunk_sizes" -> tally(json, figures.prefillChunks);
      case "decode_chunk_sizes" -> tally(json, decodeChunks);
      case "chunk_sizes" -> chunks.read(json);
      case "sched_tokens" -> { // per request, or their sum
        if (json.currentToken() == JsonToken.START_ARRAY) {
          chunks.read(json);
        } else {
          figures.tokens = number(json);
        }
      }
      case "computed_tokens", "all_computed_tokens" -> computed.read(json);
      case "cached_tokens", "all_cached_tokens" -> cached.read(json);
      default -> json.skipChildren();
    }
  }

  /** Derives what the record does not have from what it has. */
  private void conclude(StepFigures figures) {
    if (figures.prefillChunks.count > 0 || decodeChunks.count > 0) {
      figures.prefillTokens = figures.prefillChunks.sum;
    } else if (chunks.size > 0) {
      classifyBySize(figures);
    }
    for (int i = 0; i < computed.size; i++) {
      figures.computed.add(computed.values[i]);
    }
    if (Double.isNaN(figures.lookupRequests)) {
      deriveLookups(figures);
    }
  }

  /** Profiles that do not separate first admissions from returns: both count. */
  private void deriveLookups(StepFigures figures) {
    figures.lookupHitTokens = figures.cachedPrefixTokens;
    figures.lookupTokens = figures.cachedPrefixTokens + figures.prefillTokens;
    for (int i = 0; i < Math.min(computed.size, cached.size); i++) {
      if (cached.values[i] >= 0 && cached.values[i] == computed.values[i]) {
        if (Double.isNaN(figures.lookupRequests)) {
          figures.lookupRequests = 0;
          figures.lookupRequestsHit = 0;
        }
        figures.lookupRequests++;
        figures.lookupRequestsHit += cached.values[i] > 0 ? 1 : 0;
      }
    }
  }

  private void classifyBySize(StepFigures figures) {
    figures.prefillChunks.clear();
    decodeChunks.clear();
    for (int i = 0; i < chunks.size; i++) {
      (chunks.values[i] > 1 ? figures.prefillChunks : decodeChunks).add(chunks.values[i]);
    }
    figures.prefillTokens = figures.prefillChunks.sum;
    if (Double.isNaN(figures.prefillRequests)) {
      figures.prefillRequests = figures.prefillChunks.count;
      figures.decodeRequests = decodeChunks.count;
    }
    if (Double.isNaN(figures.tokens)) {
      figures.tokens = figures.prefillChunks.sum + decodeChunks.sum;
    }
  }

  private static void tally(JsonParser json, Tally tally) {
    if (json.currentToken() == JsonToken.START_ARRAY) {
      while (json.nextToken() != JsonToken.END_ARRAY) {
        tally.add(number(json));
      }
    }
  }

  /** A number, or a string that holds one; everything else is absent. */
  private static double number(JsonParser json) {
    return switch (json.currentToken()) {
      case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> json.getDoubleValue();
      case VALUE_STRING -> json.getValueAsDouble(Double.NaN);
      default -> {
        json.skipChildren();
        yield Double.NaN;
      }
    };
  }

  private static long instant(JsonParser json) {
    return json.currentToken() == JsonToken.VALUE_NUMBER_INT ? json.getLongValue() : ABSENT;
  }

  /** A reused list of numbers. */
  private static final class Numbers {
    private double[] values = new double[64];
    private int size;

    void clear() {
      size = 0;
    }

    void read(JsonParser json) {
      if (json.currentToken() != JsonToken.START_ARRAY) {
        return;
      }
      while (json.nextToken() != JsonToken.END_ARRAY) {
        if (size == values.length) {
          values = Arrays.copyOf(values, 2 * size);
        }
        values[size++] = number(json);
      }
    }
  }
}

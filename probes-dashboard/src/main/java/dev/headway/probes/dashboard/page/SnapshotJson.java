package dev.headway.probes.dashboard.page;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.probes.dashboard.state.DigestText;
import dev.headway.probes.dashboard.state.Quantiles;
import dev.headway.probes.dashboard.state.RequestDigest;
import dev.headway.probes.dashboard.state.Snapshot;
import java.io.StringWriter;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

/** A {@link Snapshot} as one line of JSON; what is absent is left out. */
final class SnapshotJson {

  private static final JsonFactory FACTORY = new JsonFactory();

  private SnapshotJson() {}

  static String of(Snapshot snapshot) {
    final StringWriter text = new StringWriter(8_192);
    try (JsonGenerator json = FACTORY.createGenerator(ObjectWriteContext.empty(), text)) {
      json.writeStartObject();
      json.writeStringProperty("run", snapshot.runId());
      texts(json, "attributes", snapshot.attributes());
      texts(json, "config", snapshot.config());
      json.writeNumberProperty("unix_ms", snapshot.unixNs() / 1_000_000);
      json.writeNumberProperty("up_ns", snapshot.upNs());
      json.writeBooleanProperty("virtual_time", snapshot.virtualTime());
      json.writeNumberProperty("step", snapshot.step());
      json.writeNumberProperty("running", snapshot.running());
      json.writeNumberProperty("waiting", snapshot.waiting());
      json.writeNumberProperty("preempted_waiting", snapshot.preemptedWaiting());
      json.writeNumberProperty("kv_blocks_used", snapshot.kvBlocksUsed());
      json.writeNumberProperty("kv_blocks", snapshot.kvBlocks());
      json.writeObjectPropertyStart("waiting_for");
      snapshot.waitingFor().forEach(json::writeNumberProperty);
      json.writeEndObject();
      totals(json, snapshot.totals());
      quantiles(json, "ttft", snapshot.ttft());
      quantiles(json, "itl", snapshot.tokenGaps());
      json.writeObjectPropertyStart("seconds");
      series(json, "prefill_tokens", snapshot.prefillTokens());
      series(json, "output_tokens", snapshot.outputTokens());
      series(json, "running", snapshot.runningSeries());
      series(json, "waiting", snapshot.waitingSeries());
      series(json, "kv_blocks_used", snapshot.kvSeries());
      json.writeEndObject();
      requests(json, "slow", snapshot.slow());
      requests(json, "head", snapshot.head());
      json.writeEndObject();
    }
    return text.toString();
  }

  private static void texts(JsonGenerator json, String name, Map<String, String> texts) {
    json.writeObjectPropertyStart(name);
    texts.forEach(json::writeStringProperty);
    json.writeEndObject();
  }

  private static void totals(JsonGenerator json, Snapshot.Totals totals) {
    json.writeObjectPropertyStart("totals");
    json.writeNumberProperty("queued", totals.queued());
    json.writeNumberProperty("finished", totals.finished());
    json.writeNumberProperty("rejected", totals.rejected());
    json.writeNumberProperty("preemptions", totals.preemptions());
    json.writeNumberProperty("prompt_tokens", totals.promptTokens());
    json.writeNumberProperty("output_tokens", totals.outputTokens());
    json.writeNumberProperty("waiting_ns", totals.waitedNs());
    json.writeNumberProperty("dropped_events", totals.dropped());
    json.writeEndObject();
  }

  private static void quantiles(JsonGenerator json, String name, Quantiles quantiles) {
    json.writeObjectPropertyStart(name);
    json.writeNumberProperty("count", quantiles.count());
    ns(json, "p50_ns", quantiles.p50Ns());
    ns(json, "p90_ns", quantiles.p90Ns());
    ns(json, "p99_ns", quantiles.p99Ns());
    json.writeEndObject();
  }

  private static void series(JsonGenerator json, String name, long[] values) {
    json.writeArrayPropertyStart(name);
    for (long value : values) {
      json.writeNumber(value);
    }
    json.writeEndArray();
  }

  private static void requests(JsonGenerator json, String name, List<RequestDigest> requests) {
    json.writeArrayPropertyStart(name);
    requests.forEach(request -> request(json, request));
    json.writeEndArray();
  }

  private static void request(JsonGenerator json, RequestDigest request) {
    json.writeStartObject();
    json.writeNumberProperty("number", request.number());
    json.writeStringProperty("id", request.id());
    text(json, "tenant", request.tenant());
    json.writeStringProperty("phase", request.phase().name().toLowerCase(Locale.ROOT));
    text(json, "finish_reason", request.finishReason());
    json.writeNumberProperty("prompt_tokens", request.promptTokens());
    json.writeNumberProperty("output_tokens", request.outputTokens());
    json.writeNumberProperty("max_tokens", request.maxTokens());
    json.writeNumberProperty("arrival_unix_ms", request.arrivalUnixNs() / 1_000_000);
    json.writeNumberProperty("ingress_ns", request.ingressNs());
    json.writeNumberProperty("waiting_ns", request.waitedNs());
    ns(json, "ttft_ns", request.ttftNs());
    ns(json, "tpot_ns", request.tpotNs());
    json.writeNumberProperty("age_ns", request.ageNs());
    text(json, "waits_for", request.waitsFor());
    text(json, "main_reason", request.waits().isEmpty() ? null : request.waits().get(0).root());
    json.writeNumberProperty("preemptions", request.preemptions());
    json.writeArrayPropertyStart("explanation");
    DigestText.sentences(request).forEach(json::writeString);
    json.writeEndArray();
    json.writeEndObject();
  }

  private static void text(JsonGenerator json, String name, @Nullable String value) {
    if (value != null) {
      json.writeStringProperty(name, value);
    }
  }

  private static void ns(JsonGenerator json, String name, long value) {
    if (value != ABSENT) {
      json.writeNumberProperty(name, value);
    }
  }
}

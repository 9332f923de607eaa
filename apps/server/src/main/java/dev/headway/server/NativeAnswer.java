package dev.headway.server;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.routing.timing.RequestTiming;
import dev.headway.routing.timing.ServerTiming;
import dev.headway.routing.timing.TimingJson;
import dev.headway.routing.timing.TimingStage;
import dev.headway.serving.ChoiceText;
import java.math.BigDecimal;
import java.util.List;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * An answer in SGLang's own form: text, token ids, and {@code meta_info} with the request's id, its
 * tokens, how it ended and its times. One thread.
 */
final class NativeAnswer implements Answer {

  private static final String META = "meta_info";
  private static final int NS_DIGITS = 9;

  private final String id;
  private final StringBuilder text = new StringBuilder();

  NativeAnswer(String id) {
    this.id = id;
  }

  @Override
  public ObjectNode whole(List<ChoiceText> done, int promptTokens) {
    return closing(done, promptTokens, true);
  }

  @Override
  public boolean closesWithLastToken() {
    return true;
  }

  @Override
  public ObjectNode part(ChoiceText choice, int promptTokens) {
    final ObjectNode json = soFar(choice);
    json.putObject(META)
        .put("id", id)
        .putNull("finish_reason")
        .put("prompt_tokens", promptTokens)
        .put("completion_tokens", choice.tokens());
    return json;
  }

  @Override
  public ObjectNode closing(List<ChoiceText> done, int promptTokens, boolean usage) {
    final ChoiceText choice = done.getFirst();
    final ObjectNode json = soFar(choice);
    final ObjectNode meta =
        json.putObject(META)
            .put("id", id)
            .put("prompt_tokens", promptTokens)
            .put("completion_tokens", choice.tokens());
    final ObjectNode end = meta.putObject("finish_reason").put("type", choice.finishReason());
    if (ChoiceText.LENGTH.equals(choice.finishReason())) {
      end.put("length", choice.tokens());
    }
    return json;
  }

  /** SGLang's names: calendar time and durations in seconds. */
  @Override
  public void addTiming(ObjectNode json, ServerTiming timing, long toUnixNs) {
    final ObjectNode meta = (ObjectNode) json.path(META);
    final RequestTiming at = timing.at();
    meta.put("cached_tokens", timing.cachedTokens());
    put(meta, "request_received_ts", at.ns(TimingStage.SERVER_RECEIVED), toUnixNs);
    put(meta, "api_server_dispatch_finish_ts", at.ns(TimingStage.DISPATCH_ENDED), toUnixNs);
    put(meta, "forward_entry_time", at.ns(TimingStage.SCHEDULED), toUnixNs);
    put(meta, "prefill_finished_time", at.ns(TimingStage.PREFILL_DONE), toUnixNs);
    put(meta, "response_sent_to_client_ts", at.ns(TimingStage.FIRST_SENT), toUnixNs);
    put(meta, "request_finished_ts", at.ns(TimingStage.SERVER_FINISHED), toUnixNs);
    put(meta, "queue_time", at.durationNs(TimingStage.QUEUED, TimingStage.SCHEDULED), 0);
    put(
        meta,
        "prefill_waiting_latency",
        at.durationNs(TimingStage.SCHEDULED, TimingStage.LAUNCHED),
        0);
    put(
        meta,
        "inference_time",
        at.durationNs(TimingStage.SCHEDULED, TimingStage.SERVER_FINISHED),
        0);
    put(
        meta,
        "e2e_latency",
        at.durationNs(TimingStage.SERVER_RECEIVED, TimingStage.SERVER_FINISHED),
        0);
    meta.set(TimingJson.SERVER_FIELD, TimingJson.write(timing));
  }

  private static void put(ObjectNode json, String name, long ns, long addedNs) {
    if (ns != ABSENT) {
      json.put(name, BigDecimal.valueOf(ns + addedNs, NS_DIGITS));
    }
  }

  private ObjectNode soFar(ChoiceText choice) {
    text.append(choice.takeText());
    final ObjectNode json = Json.object().put("text", text.toString());
    final ArrayNode ids = json.putArray("output_ids");
    for (int tokenId : choice.tokenIds()) {
      ids.add(tokenId);
    }
    return json;
  }
}

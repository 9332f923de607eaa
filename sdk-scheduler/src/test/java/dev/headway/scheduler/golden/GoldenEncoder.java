package dev.headway.scheduler.golden;

import dev.headway.api.config.ChunkedMmInput;
import dev.headway.api.config.EncoderOptions;
import dev.headway.api.kvcache.ItemKey;
import dev.headway.api.kvcache.KvBlocksStored;
import dev.headway.api.request.MultiModalItem;
import dev.headway.api.request.RequestView;
import dev.headway.api.step.StepPlan;
import dev.headway.scheduler.core.ContinuousBatchingScheduler;
import dev.headway.scheduler.core.EncoderCaches;
import dev.headway.scheduler.encoder.EncoderCache;
import dev.headway.scheduler.state.RequestState;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;

/** What traces of format 2.1 say of images and the like, in their form. */
final class GoldenEncoder {

  private GoldenEncoder() {}

  /** The options of a configuration; none in those of older traces. */
  static EncoderOptions options(JsonNode config) {
    if (!config.hasNonNull("encoder")) {
      return EncoderOptions.NONE;
    }
    final JsonNode encoder = config.get("encoder");
    return new EncoderOptions(
        encoder.get("max_item").asInt(),
        encoder.get("max_num_encoder_input_tokens").asInt(),
        encoder.get("encoder_cache_size").asInt(),
        encoder.get("disable_chunked_mm_input").asBoolean()
            ? ChunkedMmInput.DISABLED
            : ChunkedMmInput.ENABLED);
  }

  /** The items of a request. */
  static List<MultiModalItem> items(JsonNode request) {
    final List<MultiModalItem> items = new ArrayList<>();
    for (JsonNode item : request.path("mm")) {
      final String hash = item.get("hash").asString();
      final int offset = item.get("offset").asInt();
      final int length = item.get("length").asInt();
      items.add(
          item.get("embed").isNull()
              ? MultiModalItem.of(hash, offset, length)
              : MultiModalItem.of(hash, offset, length, mask(item.get("embed"))));
    }
    return items;
  }

  private static BitSet mask(JsonNode embed) {
    final BitSet mask = new BitSet();
    for (int i = 0; i < embed.size(); i++) {
      mask.set(i, embed.get(i).asInt() == 1);
    }
    return mask;
  }

  /** {@code enc_inputs}: entries that encode, and what. */
  static List<Object> inputs(StepPlan plan) {
    final List<Object> inputs = new ArrayList<>();
    for (int entry = 0; entry < plan.size(); entry++) {
      final List<Integer> items = new ArrayList<>();
      for (int i = 0; i < plan.encoderInputs().count(entry); i++) {
        items.add(plan.encoderInputs().item(entry, i));
      }
      if (!items.isEmpty()) {
        inputs.add(List.of(plan.request(entry).id(), items));
      }
    }
    return inputs;
  }

  /** {@code enc_freed}: hashes of outputs to drop. */
  static List<Object> freed(StepPlan plan) {
    final List<Object> freed = new ArrayList<>();
    for (int i = 0; i < plan.encoderInputs().droppedCount(); i++) {
      freed.add(plan.encoderInputs().dropped(i));
    }
    return freed;
  }

  /** {@code enc} of a state. */
  static Map<String, Object> state(ContinuousBatchingScheduler scheduler) {
    final EncoderCache cache = EncoderCaches.of(scheduler);
    final Map<String, Object> state = new LinkedHashMap<>();
    state.put("free", cache.freeSlots());
    state.put("freeable", cache.freeableSlots());
    final List<Object> cached = new ArrayList<>();
    for (String hash : cache.cachedHashes().stream().sorted().toList()) {
      cached.add(List.of(hash, references(scheduler, hash)));
    }
    state.put("cached", cached);
    state.put("order", cache.evictionOrder());
    state.put("pending_freed", cache.droppedHashes());
    return state;
  }

  private static List<String> references(ContinuousBatchingScheduler scheduler, String hash) {
    final List<RequestView> live = new ArrayList<>();
    scheduler.inspect().forEachRunning(live::add);
    scheduler.inspect().forEachWaiting(live::add);
    scheduler.inspect().forEachPassedOver(live::add);
    return live.stream()
        .map(RequestState.class::cast)
        .filter(request -> request.hasItems() && request.items().refersTo(hash))
        .map(RequestState::id)
        .distinct()
        .sorted()
        .toList();
  }

  /** The items' part of the extra keys of a stored block. */
  static List<Object> keys(KvBlocksStored blocks, int index) {
    final List<Object> keys = new ArrayList<>();
    for (ItemKey key : blocks.itemKeys(index)) {
      keys.add(List.of(key.itemHash(), key.offset()));
    }
    return keys;
  }
}

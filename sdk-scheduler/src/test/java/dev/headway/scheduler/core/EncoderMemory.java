package dev.headway.scheduler.core;

import dev.headway.api.config.EncoderOptions;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.request.MultiModalItem;
import dev.headway.api.request.PlannedRequest;
import dev.headway.api.request.RequestView;
import dev.headway.api.step.EncoderInputs;
import dev.headway.api.step.StepOutput;
import dev.headway.api.step.StepPlan;
import dev.headway.scheduler.testing.SyncDriver;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Supplier;

/**
 * As {@link ContentHashMemory}, with an encoder: a slot of an embedding holds a hash of the output
 * that the encoder has made of the item, and of the slot before it. An output that is needed and
 * not kept, or more of them than there is room for, is an error at once.
 */
final class EncoderMemory {

  /** An entry of a plan. */
  private record Work(int[] blocks, int from, long[] contents, boolean samples) {}

  private final int blockSize;
  private final int vocabularySize;
  private final EncoderOptions options;
  private final int lookahead;
  private final Supplier<String> where;
  private final long[] slots;

  /** Embeddings of what is kept, by its hash. */
  private final Map<String, Integer> kept = new TreeMap<>();

  private long encoded;
  private long dropped;

  EncoderMemory(
      KvCacheShape shape,
      int vocabularySize,
      EncoderOptions options,
      int lookahead,
      Supplier<String> where) {
    blockSize = shape.blockSize();
    this.vocabularySize = vocabularySize;
    this.options = options;
    this.lookahead = lookahead;
    this.where = where;
    slots = new Random(1).longs((long) shape.numBlocks() * blockSize).toArray();
  }

  /** Items encoded so far. */
  long encoded() {
    return encoded;
  }

  /** Outputs dropped so far. */
  long dropped() {
    return dropped;
  }

  /** Takes a plan over; what it returns computes and answers it. */
  SyncDriver.Answer submit(StepPlan plan) {
    encode(plan);
    final List<Work> work = new ArrayList<>();
    for (int entry = 0; entry < plan.size(); entry++) {
      final int[] blocks = new int[plan.blocks().count(entry, 0)];
      plan.blocks().of(entry).copyBlockIds(0, 0, blocks, 0, blocks.length);
      final int from = plan.computedTokens(entry);
      final int tokens = plan.scheduledTokens(entry) - plan.drafts().count(entry);
      requireOutputs(plan.request(entry), from, from + tokens + lookahead);
      final long[] contents = new long[tokens];
      for (int i = 0; i < tokens; i++) {
        contents[i] = content(plan.request(entry), from + i);
      }
      work.add(new Work(blocks, from, contents, plan.samples(entry)));
    }
    return (same, output) -> compute(work, output);
  }

  private void encode(StepPlan plan) {
    final EncoderInputs inputs = plan.encoderInputs();
    drop(inputs);
    int embeddings = 0;
    for (int entry = 0; entry < plan.size(); entry++) {
      for (int i = 0; i < inputs.count(entry); i++) {
        final MultiModalItem item =
            plan.request(entry).request().items().get(inputs.item(entry, i));
        embeddings += item.embeddings();
        encoded++;
        kept.put(item.hash(), item.embeddings());
      }
    }
    require(embeddings == inputs.embeddings(), "counts its embeddings: " + embeddings);
    require(inputs.isEmpty() == (embeddings == 0), "is empty or not");
    require(embeddings <= options.computeBudget(), "stays within the budget: " + embeddings);
    final int held = kept.values().stream().mapToInt(Integer::intValue).sum();
    require(held <= options.cacheSlots(), "stays within the cache: " + kept);
  }

  private void drop(EncoderInputs inputs) {
    for (int i = 0; i < inputs.droppedCount(); i++) {
      dropped += kept.remove(inputs.dropped(i)) == null ? 0 : 1;
    }
  }

  private void requireOutputs(PlannedRequest request, int from, int to) {
    for (MultiModalItem item : request.request().items()) {
      require(
          !item.hasEmbeddingIn(from, to) || kept.containsKey(item.hash()),
          "has the output of an item of [" + from + ", " + to + "): " + item + ", kept=" + kept);
    }
  }

  private void require(boolean holds, String what) {
    if (!holds) {
      throw new AssertionError("a plan " + what + ", " + where.get());
    }
  }

  private static long content(PlannedRequest request, int position) {
    for (MultiModalItem item : request.request().items()) {
      if (item.offset() <= position && position < item.end()) {
        final int index = position - item.offset();
        return item.isEmbedding(index)
            ? mix(item.hash().hashCode(), index)
            : mix(request.tokenId(position), item.hash().hashCode());
      }
    }
    return request.tokenId(position);
  }

  private void compute(List<Work> work, StepOutput output) {
    for (int entry = 0; entry < work.size(); entry++) {
      final Work one = work.get(entry);
      int position = one.from();
      for (long content : one.contents()) {
        final long before = position == 0 ? 0 : slots[slotOf(one, position - 1)];
        slots[slotOf(one, position++)] = mix(before, content);
      }
      if (one.samples()) {
        long seen = 0;
        for (int read = 0; read < position; read++) {
          seen = mix(seen, slots[slotOf(one, read)]);
        }
        output.addToken(entry, tokenOf(seen));
      }
    }
  }

  private int slotOf(Work one, int position) {
    return one.blocks()[position / blockSize] * blockSize + position % blockSize;
  }

  /** The token that follows a request's first {@code known} tokens when nothing goes wrong. */
  int tokenAfter(RequestView request, int known) {
    long slot = 0;
    long seen = 0;
    for (int position = 0; position < known; position++) {
      slot = mix(slot, content(request, position));
      seen = mix(seen, slot);
    }
    return tokenOf(seen);
  }

  private int tokenOf(long hash) {
    return (int) Long.remainderUnsigned(hash, vocabularySize);
  }

  private static long mix(long a, long b) {
    long z = a * 0x9e3779b97f4a7c15L + b + 0x632be59bd9b4e019L;
    z = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
    z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
    return z ^ (z >>> 31);
  }
}

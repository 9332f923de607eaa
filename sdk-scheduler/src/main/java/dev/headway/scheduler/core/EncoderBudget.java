package dev.headway.scheduler.core;

import dev.headway.api.config.ChunkedMmInput;
import dev.headway.api.config.Compatibility;
import dev.headway.api.config.EncoderOptions;
import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.schedule.WaitReason;
import dev.headway.scheduler.encoder.EncoderCache;
import dev.headway.scheduler.encoder.RequestItems;
import dev.headway.scheduler.state.RequestState;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/*
 * A chunk needs the outputs of all items that it overlaps; with drafting modules, of those behind it
 * that they look ahead to. What is not cached is chosen, as long as the step's budget and the cache
 * have room; the chunk ends before the first item that does not fit.
 *
 * What is chosen counts only when the chunk is scheduled. When the chunk is taken back in the same
 * step, the item will not be encoded: it is chosen for another entry that refers to it, or forgotten.
 * vLLM keeps it, so that the requests behind find an output that no step has computed.
 */

/**
 * Which items a step encodes: no more embeddings than the encoder computes in a step, and than the
 * executor can keep. Engine thread only; allocates only to grow.
 *
 * <p>Source: vLLM 0.28, {@code Scheduler._try_schedule_encoder_inputs}.
 */
final class EncoderBudget {

  private final EncoderCache cache;
  private final int perStep;

  /** Tokens behind a chunk whose embeddings its drafting modules need. */
  private final int lookahead;

  private final boolean cutsItems;
  private final boolean likeVllm;

  private @Nullable PlannedItems planned;
  private int left;

  /** The request whose chunk was decided last, and what was chosen for it. */
  private @Nullable RequestState decided;

  private int[] chosen = new int[8];
  private int chosenCount;
  private int chosenEmbeddings;

  /** Why that chunk has no tokens, with figures; null if not for the sake of an item. */
  private @Nullable WaitReason refusal;

  private int needed;
  private int available;

  private EncoderBudget(SchedulerConfig config) {
    final EncoderOptions options = config.encoder();
    cache = new EncoderCache(options.cacheSlots());
    perStep = options.computeBudget();
    lookahead = config.speculation().prefillLookaheadTokens();
    cutsItems = options.chunkedMmInput() == ChunkedMmInput.ENABLED;
    likeVllm = config.compatibility() == Compatibility.VLLM_0_28;
  }

  /** Returns null if there is no encoder. */
  static @Nullable EncoderBudget of(SchedulerConfig config) {
    return config.encoder().isEnabled() ? new EncoderBudget(config) : null;
  }

  /** The outputs that are kept. */
  EncoderCache cache() {
    return cache;
  }

  /** A request arrives. */
  void open(RequestState request) {
    if (!request.request().items().isEmpty()) {
      request.attach(cache.open(request.request().items()));
    }
  }

  /** A session goes on with further items; with those before it has done. */
  void extend(RequestState request) {
    final RequestItems all = cache.open(request.request().items());
    if (request.hasItems()) {
      cache.close(request.items()); // last, so that nothing that is known is forgotten
    }
    request.attach(all);
  }

  /** A request ends. */
  void close(RequestState request) {
    if (request.hasItems()) {
      cache.close(request.items());
    }
  }

  /** A step begins. */
  void begin(PlanBuffer plan) {
    planned = plan.beginItems();
    left = perStep;
    decided = null;
  }

  /** The plan is made. */
  void end() {
    cache.takeDropped(planned().dropped());
  }

  private PlannedItems planned() {
    return Objects.requireNonNull(planned, "begun");
  }

  /**
   * Chooses the items of a chunk that starts behind {@code start} tokens; returns how many of its
   * {@code tokens} can be computed: it ends before an item that cannot be had.
   */
  int fit(RequestState request, int start, int tokens) {
    decided = request;
    chosenCount = 0;
    chosenEmbeddings = 0;
    refusal = null;
    return tokens > 0 && request.hasItems() && start < request.items().end()
        ? choose(request.items(), start, tokens, cutsItems)
        : tokens;
  }

  private int choose(RequestItems items, int start, int tokens, boolean mayCut) {
    final int end = start + tokens + lookahead;
    for (int index = 0; index < items.count() && items.offset(index) < end; index++) {
      if (items.end(index) <= start || isChosen(items, index) || cache.refer(items, index)) {
        continue;
      }
      final boolean cut = start < items.offset(index) && start + tokens < items.end(index);
      if (cut && !mayCut) {
        refuse(WaitReason.CHUNKED_PREFILL_DISABLED, items.end(index) - start, tokens);
        final int before = upTo(items.offset(index), start);
        return before > 0 || likeVllm ? before : endBefore(items, index, start, tokens);
      }
      if (!fits(items.embeddings(index))) {
        return upTo(items.offset(index), start);
      }
      if (items.hasEmbeddingIn(index, start, end)) {
        add(items, index);
      }
    }
    return tokens;
  }

  /**
   * A chunk of so many tokens at most that ends before an item, whose output its drafting modules
   * look ahead to: in vLLM the request stays where it is, if its chunks always end inside the item.
   */
  private int endBefore(RequestItems items, int index, int start, int most) {
    final int tokens = choose(items, start, Math.min(most, items.offset(index) - start), true);
    if (tokens > 0) {
      refusal = null;
    }
    return tokens;
  }

  private int upTo(int offset, int start) {
    final int before = Math.max(0, offset - start - lookahead);
    if (before > 0) {
      refusal = null;
    }
    return before;
  }

  private boolean fits(int embeddings) {
    if (embeddings > left - chosenEmbeddings) {
      refuse(WaitReason.ENCODER_BUDGET, embeddings, left - chosenEmbeddings);
      return false;
    }
    if (!cache.canHold(chosenEmbeddings + embeddings)) {
      refuse(WaitReason.ENCODER_CACHE, embeddings, cache.freeableSlots() - chosenEmbeddings);
      return false;
    }
    cache.makeRoom(chosenEmbeddings + embeddings);
    return true;
  }

  private void refuse(WaitReason reason, int embeddingsNeeded, int embeddingsAvailable) {
    refusal = reason;
    needed = embeddingsNeeded;
    available = embeddingsAvailable;
  }

  private boolean isChosen(RequestItems items, int index) {
    for (int i = 0; i < chosenCount; i++) {
      if (items.isSame(chosen[i], index)) {
        return true;
      }
    }
    return false;
  }

  private void add(RequestItems items, int index) {
    if (chosenCount == chosen.length) {
      chosen = Arrays.copyOf(chosen, 2 * chosenCount);
    }
    chosen[chosenCount++] = index;
    chosenEmbeddings += items.embeddings(index);
  }

  /** Why the chunk that was just decided has no tokens; null if not for the sake of an item. */
  @Nullable WaitReason refusal(RequestState request) {
    return decided == request ? refusal : null;
  }

  /** Embeddings that the refused item needs; tokens where the item must not be cut. */
  int needed() {
    return needed;
  }

  /** What there was of that. */
  int available() {
    return available;
  }

  /** The chunk that was just decided is scheduled: what was chosen for it will be encoded. */
  void scheduled(RequestState request) {
    if (decided == request) {
      for (int i = 0; i < chosenCount; i++) {
        cache.enter(request.items(), chosen[i]);
        planned().add(request, chosen[i]);
      }
      left -= chosenEmbeddings;
    }
    decided = null;
  }

  /** A request has left the plan, in the step that scheduled it. */
  void withdrawn(PlanBuffer plan, RequestState request) {
    for (int item = planned().removeLast(request);
        item >= 0;
        item = planned().removeLast(request)) {
      left += request.items().embeddings(item);
      if (!likeVllm) {
        passOn(plan, request.items(), item);
      }
    }
  }

  private void passOn(PlanBuffer plan, RequestItems items, int item) {
    for (int entry = 0; entry < plan.size(); entry++) {
      final RequestState other = plan.state(entry);
      final int index = indexOfReference(other, items, item);
      if (index >= 0) {
        planned().add(other, index);
        left -= items.embeddings(item);
        return;
      }
    }
    final RequestState next = decided;
    final int index = next == null ? -1 : indexOfReference(next, items, item);
    cache.forget(items, item);
    if (next != null && index >= 0) {
      add(next.items(), index);
    }
  }

  /** Which item of {@code other} refers to the output of this one; -1 if none does. */
  private static int indexOfReference(RequestState other, RequestItems items, int item) {
    return other.hasItems() && other.items() != items ? other.items().neededBy(items, item) : -1;
  }

  /** An entry has failed: what was to be encoded for it may not be there. */
  void failed(PlanBuffer plan, RequestState request) {
    final PlannedItems items = plan.beganItems();
    for (int at = 0; items != null && at < items.total(); at++) {
      if (items.request(at) == request) {
        cache.drop(request.items(), items.item(at));
      }
    }
  }

  /** A step has failed as a whole: nor may anything be dropped. */
  void failed(PlanBuffer plan) {
    final PlannedItems items = plan.beganItems();
    if (items != null) {
      cache.dropAgain(items.dropped());
    }
  }

  /** Whether an answer may end references of the request. */
  static boolean needsItems(RequestState request) {
    return request.hasItems() && request.items().needsAny();
  }

  /** An answer has come: what is computed needs its items no longer. */
  void answered(RequestState request) {
    if (needsItems(request)) {
      cache.releaseBefore(
          request.items(), request.computedTokens - request.placeholders - lookahead);
    }
  }

  /** A request was preempted, or blocks were refused to it: it needs no output for now. */
  void release(RequestState request) {
    if (needsItems(request)) {
      cache.releaseAll(request.items());
    }
  }

  /** The head of the queue was refused. In vLLM it may keep outputs while it waits. */
  void refused(RequestState head) {
    if (!likeVllm) {
      release(head);
    }
  }

  /** Forgets all outputs. vLLM tells its executor in another way. */
  void reset() {
    if (likeVllm) {
      cache.reset();
    } else {
      cache.resetAndDrop();
    }
  }
}

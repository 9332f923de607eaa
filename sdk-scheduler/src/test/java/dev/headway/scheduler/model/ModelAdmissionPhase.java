package dev.headway.scheduler.model;

import dev.headway.api.config.ChunkedPrefill;
import dev.headway.api.config.FullSequenceGate;
import dev.headway.api.request.FinishReason;
import dev.headway.api.request.PrefixReuse;
import dev.headway.api.schedule.WaitReason;
import dev.headway.api.step.EntryKind;
import dev.headway.api.step.StepPlan;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Second half of a step: admissions, as in vLLM; displacement is specific to Headway. */
final class ModelAdmissionPhase {

  private final ModelState state;
  private final ModelDisplacer displacer;
  private final Set<String> adapters = new HashSet<>();
  private boolean onlyDecodes;

  ModelAdmissionPhase(ModelState state) {
    this.state = state;
    displacer = new ModelDisplacer(state);
  }

  void plan(boolean onlyDecodes, WaitReason exhausted) {
    this.onlyDecodes = onlyDecodes;
    adapters.clear();
    state.plan.forEach(entry -> useAdapter(entry.request()));
    admit(exhausted);
    state.queues.endAdmissions();
    if (!state.defer) {
      state.capacityBound = !state.queues.waiting.isEmpty();
    }
  }

  private void useAdapter(ModelRequest request) {
    if (!request.adapter().isEmpty()) {
      adapters.add(request.adapter());
    }
  }

  private boolean lacksAdapterSeat(ModelRequest head) {
    return state.config.maxLoras() > 0
        && adapters.size() >= state.config.maxLoras()
        && !head.adapter().isEmpty()
        && !adapters.contains(head.adapter());
  }

  private boolean isPassedOver(ModelRequest head) {
    return isStale(head) || lacksAdapterSeat(head);
  }

  private static boolean isStale(ModelRequest head) {
    return head.stale > 0 && !head.dropStale;
  }

  private WaitReason whyNoSeat() {
    final int active = state.config.maxNumActiveSeqs();
    if (state.running.size() == state.config.limits().maxNumSeqs()) {
      return WaitReason.MAX_NUM_SEQS;
    }
    return active > 0 && state.running.size() >= active ? WaitReason.MAX_NUM_ACTIVE_SEQS : null;
  }

  private void admit(WaitReason exhausted) {
    WaitReason noTokens = exhausted;
    ModelRequest head = state.queues.head();
    while (head != null) {
      if (state.isSpent()) {
        state.close(noTokens, null);
        return;
      }
      final WaitReason noSeat = whyNoSeat();
      if (noSeat != null && !displacer.freesSeat(head, isPassedOver(head))) {
        state.close(noSeat, null);
        return;
      }
      if (state.headway && state.isBeyondPool(head.known())) {
        state.end(head, FinishReason.KV_CACHE_EXHAUSTED);
      } else if (isStale(head)) {
        head.refuse(WaitReason.STALE_OUTPUT, null);
        state.queues.passOver(head);
      } else if (lacksAdapterSeat(head)) {
        head.refuse(WaitReason.MAX_LORAS, null);
        state.queues.passOver(head);
      } else {
        final WaitReason refused = tryToAdmit(head);
        if (refused != null) {
          head.refuse(refused, null);
          state.close(WaitReason.HEAD_OF_LINE, head);
          return;
        }
      }
      noTokens = WaitReason.MAX_NUM_BATCHED_TOKENS;
      head = state.queues.head();
    }
  }

  /** 4.4 to 4.11; returns why the head is refused, or null. */
  private WaitReason tryToAdmit(ModelRequest head) {
    final List<Integer> hits = state.blocks.lookUp(head);
    final int h = hits.size() * state.shape.blockSize();
    head.cachedTokens = head.preemptions == 0 ? h : head.cachedTokens;
    int want = head.known() - h;
    if (state.defer && want > 1) {
      return WaitReason.PREFILL_THROTTLED;
    }
    final boolean padded = !state.drafts.hasTable() && want == 1 && onlyDecodes;
    final int padding = padded ? state.drafts.k() : 0;
    want += padding;
    if (padding > 0 && (want > state.largestChunk() || h + want > state.maxModelLen)) {
      return WaitReason.DRAFT_PADDING;
    }
    want = state.capped(want);
    if (want > state.largestChunk() && state.config.chunkedPrefill() == ChunkedPrefill.DISABLED) {
      return WaitReason.CHUNKED_PREFILL_DISABLED;
    }
    want = state.drafts.reserve(head.known(), h, Math.min(want, state.largestChunk()));
    if (want == 0) {
      return WaitReason.BLOCK_ALIGNMENT;
    }
    final int fresh = state.blocks.fresh(h + want + state.drafts.lookahead(), hits.size());
    final Shortage shortage = shortage(head, hits, fresh);
    if (shortage == null) {
      final int room = Math.max(0, want - (head.known() - h));
      seat(head, hits, fresh, want, state.headway ? Math.min(padding, room) : padding);
      return null;
    }
    if (displacer.freesBlocks(head, shortage.needed())) {
      return tryToAdmit(head); // what it hit may be gone
    }
    if (state.headway && state.blocks.isEmpty()) {
      state.end(head, FinishReason.KV_CACHE_EXHAUSTED);
      return null;
    }
    return shortage.reason();
  }

  /** Why there are too few blocks, and how many were asked for. */
  private record Shortage(WaitReason reason, int needed) {}

  /** 4.9, 4.10. */
  private Shortage shortage(ModelRequest head, List<Integer> hits, int fresh) {
    final int revived = state.blocks.revived(hits);
    Shortage found = null;
    if (state.config.admission().fullSequenceGate() == FullSequenceGate.WHOLE_SEQUENCE) {
      final int whole = state.blocks.fresh(head.known(), hits.size()) + revived;
      found = shortage(whole, WaitReason.FULL_SEQUENCE_RESERVE);
    }
    return found != null ? found : shortage(fresh + revived, WaitReason.MEMORY_INSUFFICIENT);
  }

  private Shortage shortage(int need, WaitReason own) {
    final int blocks = (int) (state.config.admission().watermark() * state.shape.numBlocks());
    final int watermark = state.running.isEmpty() ? 0 : blocks;
    final int free = state.blocks.free.size();
    if (need + watermark <= free) {
      return null;
    }
    return new Shortage(need > free ? own : WaitReason.WATERMARK, need + watermark);
  }

  private void seat(ModelRequest head, List<Integer> hits, int fresh, int want, int padding) {
    final EntryKind kind = head.preemptions > 0 ? EntryKind.RESUMED : EntryKind.NEW;
    final boolean skips = head.request.prefixReuse() == PrefixReuse.SKIPPED;
    if (!skips && state.config.prefixCache().isEnabled()) {
      state.counts.lookUp(head, hits.size() * state.shape.blockSize());
    }
    state.queues.remove(head);
    state.blocks.admit(head, hits, fresh, state.step);
    head.computed = hits.size() * state.shape.blockSize();
    state.blocks.cache(head, head.computed + want, state.step);
    head.refuse(null, null);
    head.admittedStep = state.step;
    state.running.add(head);
    state.counts.admissions++;
    useAdapter(head);
    state.put(head, kind, want, Collections.nCopies(padding, StepPlan.DRAFT_ON_DEVICE), 0);
  }
}

package dev.headway.scheduler.model;

import dev.headway.api.config.ChunkedPrefill;
import dev.headway.api.config.FullSequenceGate;
import dev.headway.api.request.FinishReason;
import dev.headway.api.request.PrefixReuse;
import dev.headway.api.schedule.WaitReason;
import dev.headway.api.step.DraftTokens;
import dev.headway.api.step.EntryKind;
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
  private int promised;
  private boolean askedAgain;

  ModelAdmissionPhase(ModelState state) {
    this.state = state;
    displacer = new ModelDisplacer(state);
  }

  void plan(boolean onlyDecodes, WaitReason exhausted) {
    this.onlyDecodes = onlyDecodes;
    adapters.clear();
    askedAgain = false;
    if (state.headway) {
      state.running.forEach(this::useAdapter);
    } else {
      state.plan.forEach(entry -> useAdapter(entry.request()));
    }
    admit(exhausted);
    state.queues.endAdmissions();
    state.queues.all().stream()
        .filter(request -> request.parked && adapters.contains(request.adapter()))
        .forEach(ModelAdmissionPhase::reconsider);
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

  private ModelRequest head() {
    if (!askedAgain) {
      askedAgain = true;
      state.queues.all().stream()
          .filter(r -> r.deferred)
          .forEach(
              r -> {
                r.deferred = false;
                r.refuse(null, null);
              });
    }
    return state.queues.head(request -> request.parked && lacksAdapterSeat(request));
  }

  private static void reconsider(ModelRequest request) {
    request.parked = false;
    request.refuse(null, null);
  }

  private static boolean isStale(ModelRequest head) {
    return head.stale > head.gone;
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
    while (state.queues.all().stream().anyMatch(request -> request.holds.isEmpty())) {
      if (state.isSpent()) {
        state.close(noTokens, null);
        return;
      }
      final WaitReason noSeat = whyNoSeat();
      if (noSeat != null && !displacer.isEnabled()) {
        state.close(noSeat, null);
        return;
      }
      final ModelRequest head = head();
      if (head == null) {
        return;
      }
      if (head.parked) {
        reconsider(head);
      }
      final boolean isParked = !isEnded(head) && !isStale(head) && lacksAdapterSeat(head);
      if (noSeat != null && !isParked && (isHopeless(head) || !displacesFor(head))) {
        state.close(noSeat, null);
        return;
      }
      final boolean displaced = noSeat != null && !isParked;
      if (!displaced && isEnded(head)) {
        state.end(head, FinishReason.KV_CACHE_EXHAUSTED);
      } else if (!displaced && isStale(head)) {
        head.refuse(WaitReason.STALE_OUTPUT, null);
        state.queues.passOver(head);
      } else if (isParked) {
        head.refuse(WaitReason.MAX_LORAS, null);
        head.parked = true;
        state.queues.passOver(head);
      } else if (!displaced && isLongInVain(head, lookUp(head))) {
        head.refuse(WaitReason.MAX_NUM_PARTIAL_PREFILLS, null);
        head.deferred = true;
        state.queues.passOver(head);
      } else {
        final WaitReason refused = tryToAdmit(head, displaced ? promised : Integer.MAX_VALUE);
        head.displacedInVain |= displaced && refused != null;
        if (refused != null) {
          head.refuse(refused, null);
          state.close(WaitReason.HEAD_OF_LINE, head);
          return;
        }
      }
      noTokens = WaitReason.MAX_NUM_BATCHED_TOKENS;
    }
  }

  private boolean isEnded(ModelRequest head) {
    return state.headway && state.isBeyondPool(head.known());
  }

  private boolean isHopeless(ModelRequest head) {
    return isEnded(head) || isStale(head) || !displacer.hasVictim(head);
  }

  /** Whether a running request was displaced for the head's seat, which it then gets. */
  private boolean displacesFor(ModelRequest head) {
    final List<Integer> hits = lookUp(head);
    final Chunk chunk = chunk(head, hits);
    promised = chunk.want();
    return chunk.refusal() == null
        && !isLongInVain(head, hits)
        && !isPartInVain(head, hits, chunk.want())
        && displacer.freesSeat(head, hits, needed(head, hits, chunk.want()));
  }

  private boolean isLongInVain(ModelRequest head, List<Integer> hits) {
    return state.isLongInVain(head.known() - hits.size() * state.shape.blockSize());
  }

  private boolean isPartInVain(ModelRequest head, List<Integer> hits, int want) {
    return state.isPartInVain(head.known() - hits.size() * state.shape.blockSize(), want);
  }

  private List<Integer> lookUp(ModelRequest head) {
    final List<Integer> hits = state.blocks.lookUp(head);
    final int found = hits.size() * state.shape.blockSize();
    head.cachedTokens = head.preemptions == 0 ? found : head.cachedTokens;
    return hits;
  }

  /** Tokens for the head, and drafts among them; or why it gets none. */
  private record Chunk(int want, int padding, WaitReason refusal) {}

  /** 4.6 to 4.8. */
  private Chunk chunk(ModelRequest head, List<Integer> hits) {
    final int h = hits.size() * state.shape.blockSize();
    int want = head.known() - h;
    if (state.defer && want > 1) {
      return new Chunk(0, 0, WaitReason.PREFILL_THROTTLED);
    }
    final boolean padded = !state.drafts.hasTable() && want == 1 && onlyDecodes;
    final int padding = padded ? state.drafts.k() : 0;
    want += padding;
    if (padding > 0 && (want > state.largestChunk() || h + want > state.maxModelLen)) {
      return new Chunk(0, 0, WaitReason.DRAFT_PADDING);
    }
    want = state.capped(want);
    if (want > state.largestChunk() && state.config.chunkedPrefill() == ChunkedPrefill.DISABLED) {
      return new Chunk(0, 0, WaitReason.CHUNKED_PREFILL_DISABLED);
    }
    want = state.drafts.reserve(head.known(), h, Math.min(want, state.largestChunk()));
    final int room = Math.max(0, want - (head.known() - h));
    return new Chunk(
        want,
        state.headway ? Math.min(padding, room) : padding,
        want == 0 ? WaitReason.BLOCK_ALIGNMENT : null);
  }

  /** 4.4 to 4.11; returns why the head is refused, or null. */
  private WaitReason tryToAdmit(ModelRequest head, int blocksFor) {
    final List<Integer> hits = lookUp(head);
    final Chunk chunk = chunk(head, hits);
    if (chunk.refusal() != null) {
      return chunk.refusal();
    }
    final int h = hits.size() * state.shape.blockSize();
    int want = chunk.want();
    if (isPartInVain(head, hits, want)) {
      return WaitReason.MAX_NUM_PARTIAL_PREFILLS;
    }
    if (shortage(head, hits, fresh(hits, want)) != null
        && want > blocksFor
        && !isPartInVain(head, hits, blocksFor)) {
      want = Math.max(1, state.drafts.reserve(head.known(), h, blocksFor));
    }
    final int fresh = fresh(hits, want);
    final WaitReason shortage = shortage(head, hits, fresh);
    if (shortage == null) {
      seat(head, hits, fresh, want, chunk.padding());
      return null;
    }
    if (displacer.freesBlocks(head, hits, needed(head, hits, want))) {
      final WaitReason refused = tryToAdmit(head, want); // what it hit may be gone
      head.displacedInVain = refused != null;
      return refused;
    }
    if (state.headway && state.blocks.isEmpty()) {
      state.end(head, FinishReason.KV_CACHE_EXHAUSTED);
      return null;
    }
    return shortage;
  }

  private int fresh(List<Integer> hits, int want) {
    final int computed = hits.size() * state.shape.blockSize() + want;
    return state.blocks.fresh(computed + state.drafts.lookahead(), hits.size());
  }

  private int whole(ModelRequest head, List<Integer> hits) {
    return state.config.admission().fullSequenceGate() == FullSequenceGate.WHOLE_SEQUENCE
        ? state.blocks.fresh(head.known(), hits.size())
        : 0;
  }

  private int watermark() {
    final int blocks = (int) (state.config.admission().watermark() * state.shape.numBlocks());
    return state.running.isEmpty() ? 0 : blocks;
  }

  /** Free blocks without which it does not get its tokens. */
  private int needed(ModelRequest head, List<Integer> hits, int want) {
    return Math.max(fresh(hits, want), whole(head, hits))
        + state.blocks.revived(hits)
        + watermark();
  }

  /** 4.9, 4.10: why there are too few blocks, or null. */
  private WaitReason shortage(ModelRequest head, List<Integer> hits, int fresh) {
    final int revived = state.blocks.revived(hits);
    final WaitReason found =
        state.config.admission().fullSequenceGate() == FullSequenceGate.WHOLE_SEQUENCE
            ? shortage(whole(head, hits) + revived, WaitReason.FULL_SEQUENCE_RESERVE)
            : null;
    return found != null ? found : shortage(fresh + revived, WaitReason.MEMORY_INSUFFICIENT);
  }

  private WaitReason shortage(int need, WaitReason own) {
    final int free = state.blocks.free.size();
    if (need + watermark() <= free) {
      return null;
    }
    return need > free ? own : WaitReason.WATERMARK;
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
    head.longPrefill = state.isLong(head.known() - head.computed);
    state.blocks.cache(head, head.computed + want, state.step);
    head.refuse(null, null);
    head.admittedStep = state.step;
    head.displacedInVain = false;
    state.running.add(head);
    state.counts.admissions++;
    useAdapter(head);
    state.put(head, kind, want, Collections.nCopies(padding, DraftTokens.ON_DEVICE), 0);
  }
}

package dev.headway.scheduler.model;

import dev.headway.api.config.ChunkedPrefill;
import dev.headway.api.config.FullSequenceGate;
import dev.headway.api.request.FinishReason;
import dev.headway.api.request.PrefixReuse;
import dev.headway.api.schedule.WaitReason;
import dev.headway.api.step.DraftTokens;
import dev.headway.api.step.EntryKind;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Second half of a step: admissions, as in vLLM; displacement is specific to Headway. */
final class ModelAdmissionPhase {

  private final ModelState state;
  private final ModelDisplacer displacer;
  private final Set<String> adapters = new LinkedHashSet<>();
  private String drained = "";
  private final Set<ModelRequest> asked = new HashSet<>();
  private boolean stopped;
  private int external;
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
    asked.clear();
    stopped = false;
    askedAgain = false;
    if (state.headway) {
      state.running.forEach(this::useAdapter);
    } else {
      state.plan.forEach(entry -> useAdapter(entry.request()));
    }
    if (state.queues.all().stream().anyMatch(request -> !request.isHeld())) {
      beginDrain();
    }
    admit(exhausted);
    state.queues.endAdmissions();
    state.queues.all().stream()
        .filter(request -> request.parked && adapters.contains(request.adapter()))
        .filter(request -> !request.adapter().equals(drained))
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
    final boolean refused = head.adapter().equals(drained) && head.preemptions == 0;
    return areAdaptersTaken()
        && !head.adapter().isEmpty()
        && (!adapters.contains(head.adapter()) || refused);
  }

  private boolean areAdaptersTaken() {
    return state.config.maxLoras() > 0 && adapters.size() >= state.config.maxLoras();
  }

  /** Who has waited too long for an adapter gets the place of the one that can be over first. */
  private void beginDrain() {
    final long thresholdNs = state.config.loraDrainWaitThresholdNs();
    final ModelRequest first =
        thresholdNs == 0 || !areAdaptersTaken()
            ? null
            : state.queues.firstPassedOver(
                request -> request.parked && !adapters.contains(request.adapter()));
    if (first == null || state.nowNs - first.awaitsAdapterSinceNs < thresholdNs) {
      drained = "";
    } else if (!adapters.contains(drained)) {
      drained = adapters.stream().min(Comparator.comparing(this::mostOutputsLeft)).orElseThrow();
    }
  }

  private int mostOutputsLeft(String adapter) {
    return state.running.stream()
        .filter(request -> request.adapter().equals(adapter))
        .mapToInt(request -> request.request.stopRule().maxTokens() - request.outputs())
        .max()
        .orElse(0);
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
    return state.queues.head(
        request ->
            request.parked
                && (lacksAdapterSeat(request)
                    || (areAdaptersTaken() && request.adapter().equals(drained))));
  }

  private static void reconsider(ModelRequest request) {
    request.parked = false;
    request.refuse(null, null);
  }

  private void reconsiderLookup(ModelRequest request) {
    request.undecided = false;
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
    while (state.queues.all().stream().anyMatch(request -> !request.isHeld())) {
      if (state.isSpent()) {
        state.close(noTokens, null);
        return;
      }
      final WaitReason noSeat = whyNoSeat();
      if (noSeat != null && !displacer.isEnabled()) {
        state.close(noSeat, null);
        return;
      }
      state.queues.all().stream()
          .filter(request -> request.undecided && !asked.contains(request))
          .forEach(this::reconsiderLookup);
      final ModelRequest head = head();
      external = 0;
      if (head == null) {
        return;
      }
      if (state.connector != null) {
        state.connector.reached(head);
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
        if (head.awaitsAdapterSinceNs < 0) {
          head.awaitsAdapterSinceNs = state.nowNs;
        }
        state.queues.passOver(head);
      } else if (state.connector != null && outside(head)) {
        if (stopped) {
          return;
        }
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
    return state.isLongInVain(head.known() - start(head, hits));
  }

  private boolean isPartInVain(ModelRequest head, List<Integer> hits, int want) {
    return state.isPartInVain(head.known() - start(head, hits), want);
  }

  private List<Integer> lookUp(ModelRequest head) {
    if (head.computed > 0) {
      return List.copyOf(head.blocks); // it was loaded
    }
    final List<Integer> hits = state.blocks.lookUp(head);
    final int found = hits.size() * state.shape.blockSize() + external;
    head.cachedTokens = head.preemptions == 0 ? found : head.cachedTokens;
    return hits;
  }

  /** Tokens for the head, and drafts among them; or why it gets none. */
  private record Chunk(int want, int padding, WaitReason refusal) {}

  /** 4.6 to 4.8. */
  private Chunk chunk(ModelRequest head, List<Integer> hits) {
    final int h = start(head, hits);
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
    final int h = start(head, hits);
    final boolean kept = head.computed > 0;
    int want = chunk.want();
    if (isPartInVain(head, hits, want)) {
      return WaitReason.MAX_NUM_PARTIAL_PREFILLS;
    }
    if (shortage(head, hits, fresh(head, hits, want)) != null
        && want > blocksFor
        && !isPartInVain(head, hits, blocksFor)) {
      want = Math.max(1, state.drafts.reserve(head.known(), h, blocksFor));
    }
    final int fresh = fresh(head, hits, want);
    WaitReason shortage = shortage(head, hits, fresh);
    while (shortage != null && state.connector != null && state.connector.giveBlocks(head)) {
      if (kept && head.computed == 0) { // its own
        if (state.blocks.isEmpty()) {
          state.end(head, FinishReason.KV_CACHE_EXHAUSTED);
          return null;
        }
        return WaitReason.MEMORY_INSUFFICIENT;
      }
      shortage = shortage(head, hits, fresh);
    }
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

  /**
   * The connector's part of an admission: whether that is all for the head. {@code external} is
   * what the step loads otherwise.
   */
  private boolean outside(ModelRequest head) {
    external = 0;
    if (head.computed > 0) {
      return false;
    }
    final List<Integer> hits = lookUp(head);
    final int local = hits.size() * state.shape.blockSize();
    final ModelTransfer transfer = head.transfer;
    if (!transfer.neverAgain && head.known() > 1 && transfer.undecided > 0) {
      transfer.undecided--;
      head.undecided = true;
      asked.add(head);
      head.refuse(WaitReason.KV_LOOKUP, null);
      state.queues.passOver(head);
      return true;
    }
    final int tokens = transfer.tokens(head.known(), local);
    head.cachedTokens = head.preemptions == 0 ? local + tokens : head.cachedTokens;
    if (tokens == 0 || !transfer.ahead) {
      external = tokens;
      return false;
    }
    final int fresh = state.blocks.fresh(local + tokens, hits.size());
    WaitReason shortage = loadShortage(head, hits, fresh);
    while (shortage != null && state.connector.giveBlocks(head)) {
      shortage = loadShortage(head, hits, fresh);
    }
    if (shortage != null && state.blocks.isEmpty()) {
      state.end(head, FinishReason.KV_CACHE_EXHAUSTED);
    } else if (shortage != null) {
      head.refuse(shortage, null);
      state.close(WaitReason.HEAD_OF_LINE, head);
      stopped = true;
    } else {
      count(head, local, tokens);
      state.blocks.admit(head, hits, fresh, state.step);
      state.connector.begin(head, local + tokens);
      head.refuse(WaitReason.REMOTE_KV, null);
      state.queues.passOver(head);
    }
    return true;
  }

  private WaitReason loadShortage(ModelRequest head, List<Integer> hits, int fresh) {
    final WaitReason found = shortage(head, hits, fresh);
    final int need = fresh + state.blocks.revived(hits) + watermark();
    return found == null && need + state.connector.reserved() > state.blocks.free.size()
        ? WaitReason.KV_LOAD_RESERVE
        : found;
  }

  private void count(ModelRequest head, int local, int tokens) {
    final boolean skips = head.request.prefixReuse() == PrefixReuse.SKIPPED;
    if (!skips && state.config.prefixCache().isEnabled()) {
      state.counts.lookUp(head, local);
    }
    if (state.connector != null) {
      state.counts.askOutside(head, local, tokens);
    }
  }

  private int fresh(ModelRequest head, List<Integer> hits, int want) {
    final int computed = start(head, hits) + want;
    return state.blocks.fresh(computed + state.drafts.lookahead(), hits.size());
  }

  /** Tokens that need not be computed. */
  private int start(ModelRequest head, List<Integer> hits) {
    return head.computed > 0 ? head.computed : hits.size() * state.shape.blockSize() + external;
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
    return Math.max(fresh(head, hits, want), whole(head, hits))
        + state.blocks.revived(hits)
        + watermark();
  }

  /** 4.9, 4.10: why there are too few blocks, or null. */
  private WaitReason shortage(ModelRequest head, List<Integer> hits, int fresh) {
    final int revived = state.blocks.revived(hits); // none of those it holds
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
    final int loaded = head.computed > 0 ? 0 : external;
    state.queues.remove(head);
    if (head.computed > 0) {
      state.blocks.take(head, fresh);
    } else {
      count(head, hits.size() * state.shape.blockSize(), external);
      final int begin = start(head, hits);
      state.blocks.admit(head, hits, fresh, state.step);
      head.computed = begin;
    }
    head.longPrefill = state.isLong(head.known() - head.computed);
    if (state.connector != null) {
      state.connector.admitted(head);
      head.transfer.prefilling = head.computed + want < head.known();
    }
    state.blocks.cache(head, head.computed + want, state.step);
    head.refuse(null, null);
    head.admittedStep = state.step;
    head.displacedInVain = false;
    state.running.add(head);
    head.awaitsAdapterSinceNs = -1;
    state.counts.admissions++;
    useAdapter(head);
    state.put(head, kind, want, Collections.nCopies(padding, DraftTokens.ON_DEVICE), 0, loaded);
  }
}

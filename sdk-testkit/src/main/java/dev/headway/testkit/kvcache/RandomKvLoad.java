package dev.headway.testkit.kvcache;

import dev.headway.api.kvcache.Allocation;
import dev.headway.api.kvcache.KvCacheManager;
import dev.headway.api.kvcache.KvGroup;
import dev.headway.api.kvcache.KvSequence;
import dev.headway.api.request.KvCacheRetention;
import dev.headway.api.request.Request;
import dev.headway.testkit.FakeRequest;
import dev.headway.testkit.kvcache.LoadSequence.Chunk;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

/*
 * An executor in small runs each step when it is planned: it does the work on blocks, looks whether the
 * layers of every group find the right tokens where they look, and writes. A chunk that fails writes
 * rubbish, and so does every request that reads rubbish. Whether that was right is known when the step is
 * answered: a request that computed from rubbish must have been among the dependents by then.
 */

/**
 * Random use of a manager with up to three steps out at once: prompts that share prefixes, chunks,
 * preemptions, resets, and steps that fail if asked for. Throws a {@link KvViolation} at the first
 * rule that is broken. Deterministic for a seed.
 */
final class RandomKvLoad {

  /** Longest sequence, in tokens. */
  static final int MAX_MODEL_LEN = 256;

  /** Most tokens of a request in a step. */
  static final int LARGEST_CHUNK = 16;

  private static final int LONGEST_TO_EXTEND = 56;

  private final long seed;
  private final Random random;
  private final KvCacheManager manager;
  private final List<KvGroup> groups;
  private final int usable;
  private final boolean failing;

  /** Whether steps are acknowledged when the next is planned: the executor runs them in order. */
  private final boolean acknowledgesEarly;

  private final KvMemory memory;
  private final StoredContents stored;
  private final List<LoadSequence> idle = new ArrayList<>();
  private final List<LoadSequence> active = new ArrayList<>();
  private final Map<KvSequence, LoadSequence> bySequence = new HashMap<>();
  private final Deque<Step> out = new ArrayDeque<>();

  /** Blocks given back that a step out may still write, by the newest such step. */
  private final Map<Integer, Long> fenced = new HashMap<>();

  private Step planned = new Step(0, false);
  private long acknowledged;

  /**
   * Makes a load.
   *
   * @param failing whether steps and chunks fail at random
   */
  RandomKvLoad(KvCacheManager manager, StoredContents stored, long seed, boolean failing) {
    this.seed = seed;
    this.manager = manager;
    this.stored = stored;
    this.failing = failing;
    random = new Random(seed);
    acknowledgesEarly = seed % 3 == 0;
    groups = manager.shape().groups();
    usable = manager.shape().usableBlocks();
    memory = new KvMemory(manager.shape().numBlocks());
  }

  private static final class Step {
    final long id;
    final boolean fails;
    final List<Chunk> chunks = new ArrayList<>();

    Step(long id, boolean fails) {
      this.id = id;
      this.fails = fails;
    }
  }

  void run(int steps) {
    for (int i = 0; i < steps; i++) {
      open();
      plan();
      execute();
      while (out.size() > random.nextInt(4)) {
        answer();
      }
      checkBlocks();
      if (random.nextInt(20) == 0) {
        reset();
      }
    }
  }

  private void open() {
    if (idle.size() > 4 && idle.get(0).inFlight == 0) {
      close(idle.remove(0));
    }
    final int[] tokens = new int[1 + random.nextInt(40)];
    for (int i = 0; i < tokens.length; i++) {
      tokens[i] = random.nextInt(12) == 0 ? 1 : 0;
    }
    final Request.Builder builder = Request.builder("r" + planned.id, tokens).maxTokens(24);
    if (random.nextInt(5) == 0) {
      builder.cacheSalt("salt");
    }
    if (manager.retainsByPriority() && random.nextInt(3) == 0) {
      builder.kvCacheRetention(retention());
    }
    final FakeRequest request = FakeRequest.of(planned.id, builder.build());
    final LoadSequence opened = new LoadSequence(request, manager.open(request));
    bySequence.put(opened.sequence, opened);
    idle.add(opened);
  }

  private KvCacheRetention retention() {
    final int most = KvCacheRetention.PINNED + 1;
    final KvCacheRetention.Builder wishes = KvCacheRetention.builder();
    wishes.tokens(0, 1 + random.nextInt(20), random.nextInt(most));
    if (random.nextBoolean()) {
      wishes.decode(random.nextBoolean() ? KvCacheRetention.PINNED : random.nextInt(most));
    }
    return wishes.build();
  }

  private void close(LoadSequence closed) {
    manager.close(closed.sequence);
    bySequence.remove(closed.sequence);
  }

  private void plan() {
    planned = new Step(planned.id + 1, failing && random.nextInt(25) == 0);
    manager.beginStep(planned.id);
    if (acknowledgesEarly) {
      acknowledge(planned.id - 1);
    }
    for (LoadSequence one : List.copyOf(active)) {
      if (random.nextInt(12) == 0) {
        releaseForAnother(one);
      } else if (random.nextInt(4) > 0) {
        extend(one);
      }
    }
    for (LoadSequence one : List.copyOf(idle)) {
      if (one.inFlight == 0) {
        allocate(one);
      }
    }
  }

  private void allocate(LoadSequence one) {
    final int found = manager.lookup(one.sequence);
    final int known = one.request.knownTokens();
    require(found >= 0 && found < known, KvRule.LAST_TOKEN, "found=" + found + ", known=" + known);
    final int wanted = Math.min(LARGEST_CHUNK, 1 + random.nextInt(known - found));
    final int tokens = manager.alignChunk(one.sequence, found, wanted, LARGEST_CHUNK);
    if (tokens == 0) {
      return;
    }
    final int reserve = random.nextBoolean() ? known : 0;
    final int watermark = random.nextInt(3);
    final int free = manager.freeBlocks();
    final Allocation answer = manager.allocate(one.sequence, tokens, 0, reserve, watermark);
    if (!answer.isAllocated()) {
      checkRefusal(one, answer, free);
      require(manager.freeBlocks() == free, KvRule.REFUSAL, "free=" + manager.freeBlocks());
      require(one.sequence.blockCount(0) == 0, KvRule.REFUSAL, "blocks were allocated");
      return;
    }
    for (int group = 0; group < groups.size(); group++) {
      checkNewBlocks(one, group, found / groups.get(group).blockSize(), Set.of());
    }
    idle.remove(one);
    active.add(one);
    computes(one, found, tokens);
  }

  private void extend(LoadSequence one) {
    if (one.computed == one.request.knownTokens()) {
      if (one.inFlight > 0 || one.computed > LONGEST_TO_EXTEND) {
        release(one, one.computed);
        return;
      }
      one.request.append(random.nextInt(2));
    }
    final int missing = one.request.knownTokens() - one.computed;
    final int wanted = Math.min(LARGEST_CHUNK, 1 + random.nextInt(missing));
    final int tokens = manager.alignChunk(one.sequence, one.computed, wanted, LARGEST_CHUNK);
    one.request.inFlightTokens(one.inFlight);
    if (tokens == 0) {
      return;
    }
    final List<Set<Integer>> before = tables(one);
    final int free = manager.freeBlocks();
    final int events = stored.events();
    final int allocatedThrough = one.sequence.allocatedThrough();
    final Allocation answer = manager.extend(one.sequence, one.computed, tokens, 0);
    require(
        one.computed + tokens > allocatedThrough
            || (answer.isAllocated()
                && manager.freeBlocks() == free
                && stored.events() == events
                && tables(one).equals(before)),
        KvRule.ALLOCATED_THROUGH,
        "computed="
            + one.computed
            + ", tokens="
            + tokens
            + ", allocatedThrough="
            + allocatedThrough);
    if (!answer.isAllocated()) {
      checkRefusal(one, answer, manager.freeBlocks());
      release(one, one.computed);
      return;
    }
    for (int group = 0; group < groups.size(); group++) {
      checkNewBlocks(one, group, 0, before.get(group));
    }
    computes(one, one.computed, tokens);
  }

  private void computes(LoadSequence one, int from, int tokens) {
    one.computed = from + tokens;
    one.inFlight += tokens;
    one.lastStep = planned.id;
    final boolean fails = failing && random.nextInt(25) == 0;
    planned.chunks.add(new Chunk(one, from, one.computed, fails));
    for (int group = 0; group < groups.size(); group++) {
      final int blockSize = groups.get(group).blockSize();
      final int first = groups.get(group) instanceof KvGroup.Mamba ? one.computed - 1 : from;
      for (int position = first; position < one.computed; position++) {
        require(
            one.blockOf(group, blockSize, position) > 0,
            KvRule.CAPACITY,
            "group=" + group + ", position=" + position);
      }
    }
  }

  private void releaseForAnother(LoadSequence one) {
    final int free = manager.freeBlocks();
    int gained = 0;
    if (!idle.isEmpty()) {
      final LoadSequence waiting = idle.get(0);
      manager.lookup(waiting.sequence);
      gained = manager.blocksGained(one.sequence, one.computed, one.lastStep, waiting.sequence);
      require(manager.freeBlocks() == free, KvRule.GAIN, "blocks were released");
    }
    release(one, one.computed);
    require(
        manager.freeBlocks() >= free + gained,
        KvRule.GAIN,
        "free=" + free + ", gained=" + gained + ", free then=" + manager.freeBlocks());
  }

  private void release(LoadSequence one, int computed) {
    final Set<Integer> blocks = new HashSet<>();
    tables(one).forEach(blocks::addAll);
    active.remove(one);
    final int released = manager.release(one.sequence, computed, one.lastStep);
    require(
        (released > 0) == !blocks.isEmpty() && one.sequence.blockCount(0) == 0,
        KvRule.CONSERVATION,
        "released=" + released + ", held=" + blocks.size());
    if (one.lastStep > acknowledged) {
      for (int block : blocks) {
        if (active.stream().noneMatch(other -> other.holds(block))) {
          fenced.merge(block, one.lastStep, Math::max);
        }
      }
    }
    one.computed = 0;
    if (!one.failed) {
      idle.add(one);
    }
  }

  private void execute() {
    memory.beginStep(planned.fails);
    manager.endStep(memory);
    for (Chunk chunk : planned.chunks) { // states are read before anything is written
      chunk.sound = readsStates(chunk);
    }
    for (Chunk chunk : planned.chunks) {
      chunk.sound &= readsTokens(chunk, chunk.from);
      final boolean sound = chunk.sound && !chunk.fails && !planned.fails;
      for (int group = 0; group < groups.size(); group++) {
        write(chunk, group, sound);
      }
    }
    for (Chunk chunk : planned.chunks) { // nothing may have overwritten what others look at
      chunk.sound &= chunk.fails || planned.fails || readsTokens(chunk, chunk.to);
    }
    out.add(planned);
  }

  private boolean readsStates(Chunk chunk) {
    for (int group = 0; group < groups.size(); group++) {
      if (groups.get(group) instanceof KvGroup.Mamba states && chunk.from > 0) {
        final int block = chunk.owner.blockOf(group, states.blockSize(), chunk.from - 1);
        if (block == 0 || !memory.holdsExactly(block, chunk.owner.text(chunk.from))) {
          return false;
        }
      }
    }
    return true;
  }

  /** Whether keys and values of the tokens before {@code end} are where the layers look. */
  private boolean readsTokens(Chunk chunk, int end) {
    for (int group = 0; group < groups.size(); group++) {
      final KvGroup layers = groups.get(group);
      if (layers instanceof KvGroup.Mamba) {
        continue;
      }
      final int size = layers.blockSize();
      for (int i = firstToken(layers, chunk.from) / size; i * size < end; i++) {
        final int block = chunk.owner.blockOf(group, size, i * size);
        if (block == 0 || !memory.holds(block, chunk.owner.text(Math.min(end, (i + 1) * size)))) {
          return false;
        }
      }
    }
    return true;
  }

  private void write(Chunk chunk, int group, boolean sound) {
    final KvGroup layers = groups.get(group);
    final int size = layers.blockSize();
    final int last = (chunk.to - 1) / size;
    final int first = layers instanceof KvGroup.Mamba ? last : chunk.from / size;
    for (int i = first; i <= last; i++) {
      final int end = Math.min(chunk.to, (i + 1) * size);
      final int block = chunk.owner.sequence.blockId(group, i);
      if (sound) {
        memory.write(block, chunk.owner.text(end));
      } else if (layers instanceof KvGroup.Mamba) {
        memory.spoil(block, "");
      } else { // what stands before the chunk in its first block stays
        memory.spoil(block, i * size < chunk.from ? chunk.owner.text(chunk.from) : "");
      }
    }
  }

  private static int firstToken(KvGroup layers, int position) {
    return switch (layers) {
      case KvGroup.FullAttention full -> 0;
      case KvGroup.SlidingWindow window -> Math.max(0, position - window.windowTokens() + 1);
      case KvGroup.ChunkedLocal local -> position / local.chunkTokens() * local.chunkTokens();
      case KvGroup.Mamba states -> Math.max(0, position - 1);
    };
  }

  /** The oldest step is answered, in the order of its chunks. */
  private void answer() {
    final Step step = out.element();
    for (Chunk chunk : step.chunks) {
      chunk.owner.inFlight -= chunk.to - chunk.from;
    }
    for (Chunk chunk : step.chunks) {
      if (step.fails || chunk.fails) {
        fail(step, chunk);
      } else if (!chunk.owner.failed && !chunk.sound) {
        throw violation(KvRule.CONTENT, describe(chunk));
      }
    }
    if (step.fails) {
      manager.stepFailed(step.id, null, this::failDependent);
    }
    out.remove();
    manager.stepEnded(step.id);
    acknowledge(step.id);
  }

  private void acknowledge(long stepId) {
    acknowledged = Math.max(acknowledged, stepId);
    manager.acknowledge(stepId);
    fenced.values().removeIf(fence -> fence <= stepId);
  }

  private void fail(Step step, Chunk chunk) {
    final List<KvSequence> dependents = new ArrayList<>();
    manager.stepFailed(step.id, chunk.owner.sequence, dependents::add);
    dependents.forEach(this::failDependent);
    fail(chunk.owner, chunk.from);
  }

  private void failDependent(KvSequence sequence) {
    final LoadSequence dependent = bySequence.get(sequence);
    if (dependent == null) {
      return;
    }
    final Chunk first =
        out.stream()
            .flatMap(step -> step.chunks.stream())
            .filter(chunk -> chunk.owner == dependent)
            .findFirst()
            .orElse(null);
    fail(dependent, first == null ? 0 : first.from);
  }

  /** Ends a request of which only the first {@code computed} tokens were computed. */
  private void fail(LoadSequence one, int computed) {
    if (one.failed) {
      return;
    }
    one.failed = true;
    idle.remove(one);
    release(one, computed);
    close(one);
  }

  private void reset() {
    final boolean possible = manager.freeBlocks() + manager.pinnedBlocks() == usable;
    require(
        manager.reset() == possible,
        KvRule.CONSERVATION,
        "a reset must be refused while blocks are held, and only then: free="
            + manager.freeBlocks());
  }

  private void checkRefusal(LoadSequence one, Allocation answer, int free) {
    final boolean lacksBlocks = answer.status() != Allocation.Status.PREFIX_IN_PROGRESS;
    require(
        lacksBlocks == answer.neededBlocks() > free,
        KvRule.REFUSAL,
        answer + ", free=" + free + ", id=" + one.request.id());
  }

  /** Elements at {@code from} and behind it that were not there {@code before}. */
  private void checkNewBlocks(LoadSequence one, int group, int from, Set<Integer> before) {
    for (int i = from; i < one.sequence.blockCount(group); i++) {
      final int block = one.sequence.blockId(group, i);
      if (block == 0 || before.contains(block)) {
        continue;
      }
      require(
          block > 0 && block <= usable, KvRule.OWNERSHIP, "block=" + block + ", usable=" + usable);
      final boolean held = active.stream().anyMatch(other -> other != one && other.holds(block));
      require(!held, KvRule.OWNERSHIP, "block=" + block);
      require(!fenced.containsKey(block), KvRule.FENCE, "block=" + block);
    }
  }

  private void checkBlocks() {
    final Set<Integer> held = new HashSet<>();
    for (LoadSequence one : active) {
      tables(one).forEach(held::addAll);
      for (int group = 0; group < groups.size(); group++) {
        checkCommon(one, group);
      }
    }
    require(
        manager.freeBlocks() + manager.pinnedBlocks() + held.size() + manager.quarantinedBlocks()
            == usable,
        KvRule.CONSERVATION,
        "free="
            + manager.freeBlocks()
            + ", pinned="
            + manager.pinnedBlocks()
            + ", held="
            + held.size()
            + ", quarantined="
            + manager.quarantinedBlocks()
            + ", usable="
            + usable);
  }

  private void checkCommon(LoadSequence one, int group) {
    final int common = manager.commonPrefixBlocks(one.sequence, group);
    for (LoadSequence other : active) {
      for (int i = 0; i < common; i++) {
        require(
            i < other.sequence.blockCount(group)
                && other.sequence.blockId(group, i) == one.sequence.blockId(group, i),
            KvRule.COMMON_PREFIX,
            "common=" + common + ", group=" + group);
      }
    }
  }

  /** The blocks of each group, without the null block. */
  private List<Set<Integer>> tables(LoadSequence one) {
    final List<Set<Integer>> tables = new ArrayList<>();
    for (int group = 0; group < groups.size(); group++) {
      final Set<Integer> blocks = new HashSet<>();
      for (int i = 0; i < one.sequence.blockCount(group); i++) {
        blocks.add(one.sequence.blockId(group, i));
      }
      blocks.remove(0);
      tables.add(blocks);
    }
    return tables;
  }

  private String describe(Chunk chunk) {
    final StringBuilder text = new StringBuilder();
    text.append("request=").append(chunk.owner.request.id());
    text.append(", tokens=[").append(chunk.from).append(", ").append(chunk.to).append(")");
    for (int group = 0; group < groups.size(); group++) {
      final int position = Math.max(0, chunk.from - 1);
      final int block = chunk.owner.blockOf(group, groups.get(group).blockSize(), position);
      text.append(", group=").append(group).append(", block=").append(block);
      text.append(", content=").append(memory.content(block));
    }
    return text.toString();
  }

  private void require(boolean holds, KvRule rule, String what) {
    if (!holds) {
      throw violation(rule, what);
    }
  }

  private KvViolation violation(KvRule rule, String what) {
    return new KvViolation(rule, what + ", seed=" + seed + ", step=" + planned.id);
  }
}

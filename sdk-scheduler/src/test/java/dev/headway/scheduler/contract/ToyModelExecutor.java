package dev.headway.scheduler.contract;

import dev.headway.api.executor.Executor;
import dev.headway.api.executor.ExecutorShape;
import dev.headway.api.executor.KvBlockAccess;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.step.BlockOperations;
import dev.headway.api.step.BlockPairs;
import dev.headway.api.step.EntryKind;
import dev.headway.api.step.StepOutput;
import dev.headway.api.step.StepPlan;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;

/**
 * A model of two layers whose KV and tokens are hashes of what they see, with a host tier and one
 * fault. What a token hides from the first layer shows in the KV of the second.
 */
final class ToyModelExecutor implements Executor {

  /** What is wrong, and the check that must notice it. */
  enum Fault {
    NONE(""),
    IGNORES_BLOCK_TABLES("shouldReadWhatTheSameStepWrites"),
    HAS_ONE_PLACE_FOR_ALL("shouldAnswerTheSameTokensInTurns"),
    READS_BLOCKS_IN_A_ROW("shouldAnswerTheSameTokensInOtherBlocks"),
    FORGETS_CHUNKS("shouldAnswerTheSameTokensInChunks"),
    TAKES_THE_TABLE_OF_THE_FIRST_ENTRY("shouldAnswerTheSameTokensBesideOthers"),
    MISSES_THE_NEWEST_IN_DECODES("shouldAnswerTheSameTokensAfterAPreemption"),
    MISSES_THE_LAST_OF_EACH_CHUNK("shouldAnswerTheSameTokensInChunks"),
    FORGETS_OUTPUTS_WHEN_RESUMED("shouldAnswerTheSameTokensAfterAPreemption"),
    COMPUTES_ONE_ENTRY_AFTER_THE_OTHER("shouldReadWhatALaterEntryWrites"),
    COMPUTES_THE_LAST_ENTRY_FIRST("shouldReadWhatTheSameStepWrites"),
    IGNORES_COPIES("shouldGoOnInACopiedBlock"),
    COPIES_AFTER_COMPUTING("shouldGoOnInACopiedBlock"),
    COPIES_THE_LAST_PAIR_FIRST("shouldGoOnInACopiedBlock"),
    ZEROES_AFTER_COPYING("shouldGoOnInACopiedBlock"),
    SAVES_AFTER_COMPUTING("shouldReadWhatTheHostKept"),
    LOADS_BEFORE_IT_SAVES("shouldReadWhatTheHostKept"),
    LOADS_AFTER_COMPUTING("shouldReadWhatTheHostKept"),
    LOADS_AFTER_COPYING("shouldReadWhatTheHostKept"),
    READS_ONE_LAYER_FOR_ALL("shouldGoOnInABlockWrittenFromOutside"),
    LEAVES_THE_POSITION("shouldGoOnInABlockWrittenFromOutside"),
    LETS_THE_NULL_BLOCK_BE_WRITTEN("shouldRefuseBlocksThatAreNotThere"),
    ALWAYS_ANSWERS_ONE_TOKEN("shouldAnswerOtherTokensForOtherPrompts"),
    SEES_ONLY_THE_LAST_TOKEN("shouldAnswerOtherTokensForOtherPrompts"),
    SWALLOWS_INTERRUPTS("shouldAnswerAStepWhoseWaitWasInterrupted"),
    SWALLOWS_INTERRUPTS_OF_LONG_WAITS("shouldThrowWhenALongWaitIsInterrupted"),
    LOSES_A_STEP_THAT_IS_LATE("shouldWaitNoLongerThanItMay"),
    WAITS_TOO_LONG("shouldWaitNoLongerThanItMay");

    final String check;

    Fault(String check) {
      this.check = check;
    }
  }

  private static final int BLOCK_SIZE = 4;
  private static final int BLOCKS = 33;
  private static final int HOST_BLOCKS = 2;
  private static final int LAYERS = 2;

  private final Fault fault;
  private final boolean late;
  private final long[][] kv = new long[LAYERS][(BLOCKS + HOST_BLOCKS) * BLOCK_SIZE];
  private boolean closed;
  private final Set<Long> known = new HashSet<>();
  private StepPlan out;
  private boolean lost;

  ToyModelExecutor(Fault fault, boolean late) {
    this.fault = fault;
    this.late = late;
  }

  @Override
  public ExecutorShape shape() {
    return ExecutorShape.builder()
        .kvCache(KvCacheShape.builder().blockSize(BLOCK_SIZE).blocks(BLOCKS).build())
        .maxNumSeqs(8)
        .vocabularySize(100)
        .hostBlocks(HOST_BLOCKS)
        .build();
  }

  @Override
  public KvBlockAccess kvBlockAccess() {
    return new ToyBlocks();
  }

  /** Longs, layer by layer. */
  private final class ToyBlocks implements KvBlockAccess {
    @Override
    public int blockBytes() {
      return LAYERS * BLOCK_SIZE * Long.BYTES;
    }

    @Override
    public String layout() {
      return "toy";
    }

    @Override
    public void read(int block, ByteBuffer target) {
      check(block);
      final int from = target.position();
      for (int layer = 0; layer < LAYERS; layer++) {
        for (int slot = 0; slot < BLOCK_SIZE; slot++) {
          final int source = fault == Fault.READS_ONE_LAYER_FOR_ALL ? 0 : layer;
          target.putLong(kv[source][block * BLOCK_SIZE + slot]);
        }
      }
      target.position(fault == Fault.LEAVES_THE_POSITION ? from : target.position());
    }

    @Override
    public void write(int block, ByteBuffer source) {
      check(block);
      for (int layer = 0; layer < LAYERS; layer++) {
        for (int slot = 0; slot < BLOCK_SIZE; slot++) {
          kv[layer][block * BLOCK_SIZE + slot] = source.getLong();
        }
      }
    }

    private void check(int block) {
      final int first = fault == Fault.LETS_THE_NULL_BLOCK_BE_WRITTEN ? 0 : 1;
      if (block < first || block >= BLOCKS) {
        throw new IndexOutOfBoundsException(block);
      }
      if (closed) {
        throw new IllegalStateException("closed");
      }
    }
  }

  /** Knows requests by their numbers, which no two have at a time. */
  @Override
  public void submit(StepPlan plan) {
    if (closed) {
      throw new IllegalStateException("closed");
    }
    for (int i = 0; i < plan.finished().size(); i++) {
      known.remove(plan.finished().number(i));
    }
    for (int entry = 0; entry < plan.size(); entry++) {
      final boolean isNew = plan.kind(entry) == EntryKind.NEW;
      if (known.add(plan.request(entry).number()) != isNew) {
        throw new IllegalStateException(
            "a request must be new once: number=" + plan.request(entry).number());
      }
    }
    out = plan;
  }

  @Override
  public boolean await(StepOutput output, long timeoutNs) throws InterruptedException {
    if (lost) {
      throw new IllegalStateException("no step is out");
    }
    if (late && fault != Fault.WAITS_TOO_LONG) {
      lost = fault == Fault.LOSES_A_STEP_THAT_IS_LATE;
      if (Thread.interrupted() && fault != Fault.SWALLOWS_INTERRUPTS_OF_LONG_WAITS) {
        throw new InterruptedException();
      }
      return false;
    }
    if (fault == Fault.SWALLOWS_INTERRUPTS) {
      Thread.interrupted();
    }
    final BlockOperations work = out.blockOperations();
    before(work);
    compute(output);
    after(work);
    return true;
  }

  private void before(BlockOperations work) {
    if (fault == Fault.LOADS_BEFORE_IT_SAVES) {
      move(work.loads(), BLOCKS, 0);
    }
    if (fault != Fault.SAVES_AFTER_COMPUTING) {
      move(work.saves(), 0, BLOCKS);
    }
    if (fault != Fault.LOADS_AFTER_COMPUTING && fault != Fault.LOADS_AFTER_COPYING) {
      move(work.loads(), BLOCKS, 0);
    }
    if (fault != Fault.ZEROES_AFTER_COPYING) {
      zero(work);
    }
    if (fault != Fault.IGNORES_COPIES && fault != Fault.COPIES_AFTER_COMPUTING) {
      move(work.copies(), 0, 0);
    }
    if (fault == Fault.ZEROES_AFTER_COPYING) {
      zero(work);
    }
    if (fault == Fault.LOADS_AFTER_COPYING) {
      move(work.loads(), BLOCKS, 0);
    }
  }

  private void after(BlockOperations work) {
    switch (fault) {
      case SAVES_AFTER_COMPUTING -> move(work.saves(), 0, BLOCKS);
      case LOADS_AFTER_COMPUTING -> move(work.loads(), BLOCKS, 0);
      case COPIES_AFTER_COMPUTING -> move(work.copies(), 0, 0);
      default -> {}
    }
  }

  private void zero(BlockOperations work) {
    for (int i = 0; i < work.zeroed().size(); i++) {
      final int from = work.zeroed().block(i) * BLOCK_SIZE;
      for (long[] layer : kv) {
        Arrays.fill(layer, from, from + BLOCK_SIZE, 0);
      }
    }
  }

  private void move(BlockPairs pairs, int firstSource, int firstTarget) {
    for (int i = 0; i < pairs.size(); i++) {
      final boolean turned = fault == Fault.COPIES_THE_LAST_PAIR_FIRST;
      final int pair = turned ? pairs.size() - 1 - i : i;
      final int source = (firstSource + pairs.source(pair)) * BLOCK_SIZE;
      final int target = (firstTarget + pairs.target(pair)) * BLOCK_SIZE;
      for (long[] layer : kv) {
        System.arraycopy(layer, source, layer, target, BLOCK_SIZE);
      }
    }
  }

  /** Layer by layer; the faulty ones entry by entry. */
  private void compute(StepOutput output) {
    for (int layer = 0; layer < LAYERS; layer++) {
      for (int entry = 0; entry < out.size() && !goesByEntries(); entry++) {
        write(entry, layer);
      }
    }
    for (int i = 0; i < out.size() && goesByEntries(); i++) {
      final boolean turned = fault == Fault.COMPUTES_THE_LAST_ENTRY_FIRST;
      for (int layer = 0; layer < LAYERS; layer++) {
        write(turned ? out.size() - 1 - i : i, layer);
      }
    }
    for (int entry = 0; entry < out.size(); entry++) {
      if (out.samples(entry)) {
        output.addToken(entry, token(entry));
      }
    }
  }

  private boolean goesByEntries() {
    return fault == Fault.COMPUTES_ONE_ENTRY_AFTER_THE_OTHER
        || fault == Fault.COMPUTES_THE_LAST_ENTRY_FIRST;
  }

  private void write(int entry, int layer) {
    if (fault == Fault.FORGETS_CHUNKS && !out.samples(entry)) {
      return;
    }
    for (int position = out.computedTokens(entry); position < end(entry); position++) {
      final long value =
          layer == 0 ? mix(1_000L * position + tokenId(entry, position)) : see(entry, 0, position);
      kv[layer][slot(entry, position, false)] = value;
    }
  }

  private int token(int entry) {
    final int last = end(entry) - 1;
    return switch (fault) {
      case ALWAYS_ANSWERS_ONE_TOKEN -> 1;
      case SEES_ONLY_THE_LAST_TOKEN -> (tokenId(entry, last) + last) % 100;
      default -> (int) Long.remainderUnsigned(see(entry, LAYERS - 1, last), 100);
    };
  }

  /** What a position sees of a layer: itself, and all before. */
  private long see(int entry, int layer, int position) {
    final boolean decode = out.kind(entry) == EntryKind.RUNNING && out.scheduledTokens(entry) == 1;
    final boolean misses =
        fault == Fault.MISSES_THE_NEWEST_IN_DECODES && decode
            || fault == Fault.MISSES_THE_LAST_OF_EACH_CHUNK && position == end(entry) - 1;
    long hash = tokenId(entry, position);
    for (int seen = 0; seen <= position - (misses ? 1 : 0); seen++) {
      hash = mix(hash ^ kv[layer][slot(entry, seen, true)]);
    }
    return hash;
  }

  private int end(int entry) {
    return out.computedTokens(entry) + out.scheduledTokens(entry);
  }

  private int tokenId(int entry, int position) {
    final boolean forgets =
        fault == Fault.FORGETS_OUTPUTS_WHEN_RESUMED
            && out.kind(entry) == EntryKind.RESUMED
            && position >= out.request(entry).promptTokens();
    return forgets ? 0 : out.request(entry).tokenId(position);
  }

  private int slot(int entry, int position, boolean reads) {
    final int from = fault == Fault.TAKES_THE_TABLE_OF_THE_FIRST_ENTRY ? 0 : entry;
    final int index = position / BLOCK_SIZE;
    final int block =
        switch (fault) {
          case IGNORES_BLOCK_TABLES -> entry * 4 + index;
          case HAS_ONE_PLACE_FOR_ALL -> index;
          case READS_BLOCKS_IN_A_ROW ->
              out.blocks().of(from).blockId(0, reads ? 0 : index) + (reads ? index : 0);
          default ->
              out.blocks().of(from).blockId(0, Math.min(index, out.blocks().count(from, 0) - 1));
        };
    return block * BLOCK_SIZE + position % BLOCK_SIZE;
  }

  private static long mix(long value) {
    final long mixed = (value + 1) * 0x9e3779b97f4a7c15L;
    return mixed ^ mixed >>> 29;
  }

  @Override
  public void close() {
    closed = true;
  }
}

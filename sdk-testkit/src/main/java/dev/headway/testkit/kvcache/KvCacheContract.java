package dev.headway.testkit.kvcache;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.headway.api.config.PrefixCacheOptions;
import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.config.SchedulerLimits;
import dev.headway.api.engine.KvCacheContext;
import dev.headway.api.kvcache.Allocation;
import dev.headway.api.kvcache.KvBlockWork;
import dev.headway.api.kvcache.KvCacheListener;
import dev.headway.api.kvcache.KvCacheManager;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.kvcache.KvGroup;
import dev.headway.api.kvcache.KvSequence;
import dev.headway.api.request.LoraAdapter;
import dev.headway.api.request.MultiModalItem;
import dev.headway.api.request.PrefixReuse;
import dev.headway.api.request.Request;
import dev.headway.api.request.RequestView;
import dev.headway.api.time.NanoClock;
import dev.headway.testkit.FakeRequest;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/**
 * What a scheduler relies on in a {@link KvCacheManager}, as JUnit 5 tests: extend it, say how a
 * manager is made, and name the class {@code …Test}.
 *
 * <pre>{@code
 * final class RadixKvCacheTest extends KvCacheContract {
 *   @Override
 *   protected KvCacheManager kvCache(KvCacheContext context) {
 *     return new RadixKvCache(context); // as in HeadwayEngine.builder(executor).kvCache(...)
 *   }
 * }
 * }</pre>
 *
 * <p>Managers that keep no prefixes pass too, and so do those in which nothing is found before its
 * step has ended. What a random load finds names its seed. Takes some seconds.
 */
public abstract class KvCacheContract {

  private static final int SEEDS = 12;
  private static final int STEPS = 150;

  /** For subclasses. */
  protected KvCacheContract() {}

  /**
   * Makes an empty manager; called many times. What an engine's factory gets: the configuration has
   * prefix caching with and without, contexts of 256 tokens and 48 tokens in flight.
   */
  protected abstract KvCacheManager kvCache(KvCacheContext context);

  /** The groups of layers it is tested with; one with full attention unless overridden. */
  protected List<KvGroup> groups() {
    return List.of(new KvGroup.FullAttention(4));
  }

  /** The options with prefix caching; the defaults unless overridden. */
  protected PrefixCacheOptions prefixCache() {
    return PrefixCacheOptions.DEFAULT;
  }

  private record Context(
      KvCacheShape shape, SchedulerConfig config, KvCacheListener listener, NanoClock clock)
      implements KvCacheContext {}

  private static SchedulerConfig config(PrefixCacheOptions prefixCache) {
    final SchedulerLimits limits =
        SchedulerLimits.builder()
            .maxNumSeqs(64)
            .maxNumBatchedTokens(RandomKvLoad.MAX_MODEL_LEN)
            .maxModelLen(RandomKvLoad.MAX_MODEL_LEN)
            .build();
    return SchedulerConfig.builder(limits)
        .maxInFlightTokens(3 * RandomKvLoad.LARGEST_CHUNK)
        .prefixCache(prefixCache)
        .build();
  }

  private KvCacheManager newManager(int usableBlocks, KvCacheListener listener) {
    return newManager(usableBlocks, prefixCache(), listener);
  }

  private KvCacheManager newManager(
      int usableBlocks, PrefixCacheOptions prefixCache, KvCacheListener listener) {
    return kvCache(
        new Context(shape(usableBlocks), config(prefixCache), listener, new StillClock()));
  }

  private KvCacheShape shape(int usableBlocks) {
    return KvCacheShape.builder()
        .blockSize(blockSize())
        .blocks(usableBlocks + 1)
        .groups(groups())
        .build();
  }

  private int blockSize() {
    return groups().stream().mapToInt(KvGroup::blockSize).max().orElseThrow();
  }

  /** A cache with room for some requests, in its first step. */
  private Course course() {
    return courseOf(16);
  }

  /** A cache of so many blocks for each group. */
  private Course courseOf(int blocks) {
    return new Course(newManager(blocks * groups().size(), new KvCacheListener() {}));
  }

  private boolean isFullAttention() {
    return groups().stream().allMatch(KvGroup.FullAttention.class::isInstance);
  }

  // ---- random loads -----------------------------------------------------------------------------

  /** Every usable block is free, held or in quarantine, at every moment and only once. */
  @Test
  public void shouldAccountForEveryBlock() {
    assertKept(KvRule.CONSERVATION);
  }

  /** A block that was not found by the lookup has no other owner. */
  @Test
  public void shouldGiveABlockToOneOwner() {
    assertKept(KvRule.OWNERSHIP);
  }

  /** There is a block to write to for each token of a step. */
  @Test
  public void shouldHaveABlockForEveryToken() {
    assertKept(KvRule.CAPACITY);
  }

  /**
   * Layers find the KV of their own tokens wherever they look, whichever request has computed it.
   */
  @Test
  public void shouldFindOnlyEqualTokens() {
    assertKept(KvRule.CONTENT);
  }

  /** The last known token is computed, or there is nothing to sample from. */
  @Test
  public void shouldLeaveTheLastTokenToBeComputed() {
    assertKept(KvRule.LAST_TOKEN);
  }

  /** Blocks that a step in flight may still write are not given out. */
  @Test
  public void shouldNotReuseABlockBeforeItsFence() {
    assertKept(KvRule.FENCE);
  }

  /** A refusal names more blocks than are free, and leaves everything as it was. */
  @Test
  public void shouldChangeNothingWhenItRefuses() {
    assertKept(KvRule.REFUSAL);
  }

  /** Displacing a request gives another the blocks it was displaced for. */
  @Test
  public void shouldFreeWhatItSaysAReleaseGains() {
    assertKept(KvRule.GAIN);
  }

  /** Calls that {@link KvSequence#allocatedThrough()} makes needless do nothing. */
  @Test
  public void shouldHaveNothingToDoUpToAllocatedThrough() {
    assertKept(KvRule.ALLOCATED_THROUGH);
  }

  /** Blocks called common are at the same index of all block tables. */
  @Test
  public void shouldCallCommonWhatEverybodyHas() {
    assertKept(KvRule.COMMON_PREFIX);
  }

  /** Listeners can keep books of what is stored. */
  @Test
  public void shouldRemoveOnlyWhatWasStored() {
    assertKept(KvRule.EVENTS);
  }

  /** No request continues that has computed from KV that a failed step was to write. */
  @Test
  public void shouldTakeBackWhatAFailedStepWasToWrite() {
    for (int seed = 1; seed <= 2 * SEEDS; seed++) {
      assertKept(KvRule.CONTENT, run(seed, true));
    }
  }

  private void assertKept(KvRule rule) {
    for (int seed = 1; seed <= SEEDS; seed++) {
      assertKept(rule, run(seed, false));
    }
  }

  private static void assertKept(KvRule rule, @Nullable KvViolation found) {
    if (found != null && found.rule() == rule) {
      fail(found);
    }
  }

  private @Nullable KvViolation run(long seed, boolean failing) {
    final StoredContents stored = new StoredContents();
    final int usable = (4 + (int) (seed * 5 % 12)) * 2 * groups().size();
    try {
      new RandomKvLoad(newManager(usable, stored), stored, seed, failing).run(STEPS);
      return null;
    } catch (KvViolation violation) {
      return violation;
    }
  }

  // ---- single rules -----------------------------------------------------------------------------

  /** More blocks than there are. */
  @Test
  public void shouldSayThatBlocksAreShort() {
    final Course course = courseOf(4);
    final int tokens = 8 * blockSize();
    assumeTrue(groups().stream().anyMatch(group -> !(group instanceof KvGroup.Mamba)));

    final Allocation answer = course.allocate(course.open("a", tokens), tokens, 0, 0);

    assertEquals(Allocation.Status.BLOCKS_SHORT, answer.status());
    assertTrue(answer.neededBlocks() > course.usable(), answer::toString);
  }

  /** Enough blocks, were it not for the watermark. */
  @Test
  public void shouldSayThatTheWatermarkIsShort() {
    final Course course = course();

    final Allocation answer =
        course.allocate(course.open("a", blockSize()), blockSize(), 0, course.usable());

    assertEquals(Allocation.Status.WATERMARK_SHORT, answer.status());
    assertTrue(answer.neededBlocks() > course.usable(), answer::toString);
  }

  /** Enough blocks for the chunk, not for the sequence. */
  @Test
  public void shouldSayThatTheWholeSequenceDoesNotFit() {
    final Course course = courseOf(4);
    final int tokens = 8 * blockSize();
    assumeTrue(isFullAttention());

    final Allocation answer = course.allocate(course.open("a", tokens), blockSize(), tokens, 0);

    assertEquals(Allocation.Status.FULL_SEQUENCE_SHORT, answer.status());
    assertTrue(answer.neededBlocks() > course.usable(), answer::toString);
  }

  /** A sequence can be extended, released, and allocated for again. */
  @Test
  public void shouldGiveAllBlocksBack() {
    final Course course = course();
    final KvSequence sequence = course.open("a", 2 * blockSize());
    assertTrue(course.allocate(sequence, blockSize(), 0, 0).isAllocated());
    assertTrue(course.manager.extend(sequence, blockSize(), blockSize(), 0).isAllocated());
    assertTrue(sequence.blockCount(0) > 0);

    assertTrue(course.manager.release(sequence, 2 * blockSize(), 0) > 0);
    assertEquals(0, course.manager.release(sequence, 0, 0), "released twice");
    assertEquals(course.usable(), course.manager.freeBlocks());
    for (int group = 0; group < sequence.groupCount(); group++) {
      assertEquals(0, sequence.blockCount(group));
    }
    course.endStep();
    course.succeed();
    course.beginStep();

    course.manager.lookup(sequence);
    assertTrue(course.allocate(sequence, blockSize(), 0, 0).isAllocated());
  }

  /** Blocks of a step that is out come back when it is acknowledged. */
  @Test
  public void shouldKeepReleasedBlocksUntilTheirStepIsAcknowledged() {
    final Course course = course();
    final KvSequence sequence = course.open("a", blockSize());
    assertTrue(course.allocate(sequence, blockSize(), 0, 0).isAllocated());
    course.endStep();
    final int held = course.usable() - course.manager.freeBlocks();

    course.manager.release(sequence, blockSize(), 1);
    assertEquals(held, course.manager.quarantinedBlocks());
    assertEquals(course.usable() - held, course.manager.freeBlocks());

    course.succeed();
    assertEquals(0, course.manager.quarantinedBlocks());
    assertEquals(course.usable(), course.manager.freeBlocks());
  }

  /** A block with two holders stays with the one that goes on. */
  @Test
  public void shouldKeepASharedBlockForItsOtherHolder() {
    final Course course = course();
    final int tokens = 4 * blockSize();
    course.compute("first", tokens);
    final KvSequence one = course.open("one", tokens);
    final KvSequence other = course.open("other", tokens);
    assertTrue(course.allocateRest(one).isAllocated());
    assertTrue(course.allocateRest(other).isAllocated());
    final Set<Integer> kept = blocksOf(other);

    course.manager.release(one, tokens, 0);
    final KvSequence taker = course.manager.open(FakeRequest.of("taker", text(9, blockSize())));
    course.manager.lookup(taker);
    final Allocation answer = course.allocate(taker, blockSize(), 0, 0);

    assertEquals(kept, blocksOf(other));
    if (answer.isAllocated()) {
      assertFalse(blocksOf(taker).stream().anyMatch(kept::contains), "a held block was taken");
    }
  }

  /** A sequence that holds blocks is in use. */
  @Test
  public void shouldNotCloseASequenceThatHoldsBlocks() {
    final Course course = course();
    final KvSequence sequence = course.open("a", blockSize());
    assertTrue(course.allocate(sequence, blockSize(), 0, 0).isAllocated());

    final Executable close = () -> course.manager.close(sequence);
    assertThrows(IllegalStateException.class, close);

    course.manager.release(sequence, blockSize(), 0);
    course.manager.close(sequence);
  }

  /** A reset forgets every prefix, and is refused while blocks are held. */
  @Test
  public void shouldForgetEverythingInAReset() {
    final Course course = course();
    final int tokens = 4 * blockSize();
    course.compute("first", tokens);
    final KvSequence holder = course.open("holder", tokens);
    assertTrue(course.allocateRest(holder).isAllocated());

    assertFalse(course.manager.reset(), "blocks are held");
    course.manager.release(holder, tokens, 0);
    assertTrue(course.manager.reset(), "no block is held");

    assertEquals(0, course.manager.lookup(course.open("later", tokens)));
    assertEquals(course.usable(), course.manager.freeBlocks());
  }

  /** Tokens, adapters, salts and items keep prefixes apart. */
  @Test
  public void shouldFindNothingOfAnotherText() {
    final Course course = course();
    final int tokens = 4 * blockSize();
    final LoraAdapter adapter = new LoraAdapter(1, "one");
    course.compute("first", tokens);
    course.compute(request("adapted", 2, tokens).lora(adapter).build());

    assertEquals(0, course.find(request("other", 9, tokens)), "other tokens");
    assertEquals(0, course.find(request("salted", 1, tokens).cacheSalt("salt")), "a salt");
    assertEquals(0, course.find(request("adapted", 1, tokens).lora(adapter)), "an adapter");
    assertEquals(
        0,
        course.find(request("other", 2, tokens).lora(new LoraAdapter(2, "two"))),
        "another adapter");
    assertEquals(0, course.find(request("plain", 2, tokens)), "no adapter");

    course.compute(
        request("cat", 3, tokens).items(List.of(MultiModalItem.of("cat", 1, 2))).build());
    assertEquals(
        0,
        course.find(request("dog", 3, tokens).items(List.of(MultiModalItem.of("dog", 1, 2)))),
        "an item with the same tokens");
    assertEquals(0, course.find(request("text", 3, tokens)), "no item");
  }

  /** A request can refuse what others have computed. */
  @Test
  public void shouldFindNothingForARequestThatSkipsPrefixes() {
    final Course course = course();
    final int tokens = 4 * blockSize();
    course.compute("first", tokens);

    assertEquals(
        0, course.find(request("skips", 1, tokens).prefixReuse(PrefixReuse.SKIPPED)), "skipped");
  }

  /** The option is the manager's to read. */
  @Test
  public void shouldFindNothingWithoutPrefixCaching() {
    final StoredContents stored = new StoredContents();
    final Course course =
        new Course(newManager(16 * groups().size(), PrefixCacheOptions.disabled(), stored));
    final int tokens = 4 * blockSize();
    course.compute("first", tokens);

    assertEquals(0, course.find(request("second", 1, tokens)), "tokens found");
    assertEquals(0, stored.events(), "events");
  }

  /** Speculative executors write behind the tokens of a step. */
  @Test
  public void shouldHaveRoomForLookahead() {
    final Course course = course();
    final int tokens = blockSize();
    final KvSequence sequence = course.open("a", 2 * tokens);
    course.manager.lookup(sequence);

    assertTrue(course.manager.allocate(sequence, tokens, tokens + 1, 0, 0).isAllocated());
    assertRoom(sequence, 2 * tokens + 1);
    assertTrue(course.manager.extend(sequence, tokens, tokens, 2 * tokens).isAllocated());
    assertRoom(sequence, 4 * tokens);
  }

  private void assertRoom(KvSequence sequence, int tokens) {
    for (int group = 0; group < groups().size(); group++) {
      final KvGroup layers = groups().get(group);
      if (!(layers instanceof KvGroup.Mamba)) {
        final int room = sequence.blockCount(group) * layers.blockSize();
        assertTrue(room >= tokens, "tokens=" + tokens + ", room=" + room + ", group=" + group);
      }
    }
  }

  /** The executor may reject drafts: what is not known is not found. */
  @Test
  public void shouldNotMakeDraftsFindable() {
    final Course course = course();
    final int known = 4 * blockSize();
    final FakeRequest request = FakeRequest.of("a", text(1, known));
    final KvSequence sequence = course.manager.open(request);
    assertTrue(course.allocateRest(sequence).isAllocated());
    course.endStep();
    course.succeed();
    request.append(5);
    course.beginStep();

    final int drafts = 2 * blockSize();
    assertTrue(course.manager.extend(sequence, known, 1 + drafts, 0).isAllocated());
    course.endStep();
    course.succeed(); // all drafts are rejected
    course.beginStep();

    final int[] drafted = Arrays.copyOf(text(1, known), known + 1 + drafts);
    drafted[known] = 5;
    final int found = course.find(Request.builder("b", drafted).maxTokens(9));
    assertTrue(found <= known, () -> "tokens that were never known were found: " + found);
  }

  /** A chunk can be taken back, in its step or later. */
  @Test
  public void shouldForgetWhatWasNotComputed() {
    for (boolean planned : new boolean[] {false, true}) {
      final Course course = course();
      final int tokens = 4 * blockSize();
      final KvSequence sequence = course.open("a", tokens);
      assertTrue(course.allocateRest(sequence).isAllocated());
      if (planned) {
        course.endStep();
      }

      course.manager.release(sequence, blockSize(), 1);

      if (!planned) {
        course.endStep();
      }
      course.succeed();
      course.beginStep();
      final int found = course.find(request("b", 1, tokens));
      assertTrue(found <= blockSize(), () -> "computed=" + blockSize() + ", found=" + found);
    }
  }

  /** Never more than others do find. */
  @Test
  public void shouldNotPromiseMoreThanOthersFind() {
    final Course course = course();
    final int tokens = 3 * blockSize() + 1;
    final KvSequence sequence = course.open("a", tokens);
    course.manager.lookup(sequence);
    assertTrue(course.allocate(sequence, tokens, 0, 0).isAllocated());
    course.endStep();
    course.succeed();
    course.beginStep();

    final int shared = sequence.sharedPrefixTokens();
    final int found = course.find(request("b", 1, tokens + 1));

    assertTrue(shared <= tokens, () -> "shared=" + shared + ", tokens=" + tokens);
    assertTrue(!isFullAttention() || shared <= found, "shared=" + shared + ", found=" + found);
  }

  /** A reader of the events knows what can be found. */
  @Test
  public void shouldTellOfEverythingThatCanBeFound() {
    assumeTrue(isFullAttention());
    final StoredContents stored = new StoredContents();
    final Course course = new Course(newManager(8 * groups().size(), stored));
    final int tokens = 4 * blockSize();
    course.compute("half", tokens / 2);
    course.compute("first", tokens); // goes on behind it
    final List<StoredContents.Content> first = stored.ofText(1_000);
    assertFound(course, request("again", 1, tokens), stored, 1_000);

    for (int number = 2; number < 6; number++) { // more than there is room for
      course.compute(request("r" + number, number, tokens).build());
      assertFound(course, request("again", number, tokens), stored, 1_000 * number);
    }
    assertFound(course, request("old", 1, tokens), stored, 1_000);
    course.compute("again", tokens);
    assertEquals(first, stored.ofText(1_000), "equal content has equal hashes");

    assertTrue(course.manager.reset(), "no block is held");
    assertEquals(List.of(), stored.ofText(1_000), "a reset is an event");
  }

  private void assertFound(
      Course course, Request.Builder request, StoredContents stored, int firstToken) {
    final int found = course.find(request);
    final int onDevice = found - course.findInHostTier(request);
    final int told = stored.ofText(firstToken).size() * blockSize();
    assertTrue(
        onDevice <= told,
        () -> "what is found must have been stored: found=" + onDevice + ", stored=" + told);
    assertTrue(
        told <= found + blockSize(), // the block of the last token is not looked for
        () -> "what is not found must have been removed: found=" + found + ", stored=" + told);
  }

  /**
   * A request that found what a failed step was to write is named, and the content is not found
   * again.
   */
  @Test
  public void shouldNameThoseWhoDependOnAFailedRequest() {
    assertDependents(false);
  }

  /** The same when the request has been released meanwhile. */
  @Test
  public void shouldNameThoseWhoDependOnARequestThatIsGone() {
    assertDependents(true);
  }

  private void assertDependents(boolean gone) {
    final Course course = course();
    final int tokens = 4 * blockSize();
    final KvSequence failed = course.open("failed", tokens);
    assertTrue(course.allocateRest(failed).isAllocated());
    course.endStep();
    if (gone) {
      course.manager.release(failed, tokens, 1);
    }
    course.beginStep();
    final KvSequence sharer = course.open("sharer", tokens);
    final int found = course.manager.lookup(sharer);
    assertTrue(course.allocate(sharer, tokens - found, 0, 0).isAllocated());
    final KvSequence other = course.manager.open(FakeRequest.of("other", text(9, blockSize())));
    course.manager.lookup(other);
    assertTrue(course.allocate(other, blockSize(), 0, 0).isAllocated());
    course.endStep();

    final Set<KvSequence> dependents = new HashSet<>();
    course.manager.stepFailed(1, failed, dependents::add);

    assertEquals(found > 0, dependents.contains(sharer), () -> "found tokens=" + found);
    assertFalse(dependents.contains(other), "it has found nothing");
    if (found > 0) {
      course.manager.release(sharer, found, 2);
    }
    course.manager.release(failed, 0, 1);
    course.manager.stepEnded(1);
    course.manager.acknowledge(1);
    assertEquals(0, course.manager.lookup(course.open("late", tokens)), "what failed was found");
  }

  /** Nothing depends on what an answered step has written. */
  @Test
  public void shouldKeepWhatWasComputedBeforeAStepFails() {
    final Course course = course();
    final int tokens = 4 * blockSize();
    course.compute("first", tokens);
    final KvSequence sharer = course.open("sharer", tokens);
    final int found = course.manager.lookup(sharer);
    assertTrue(course.allocate(sharer, tokens - found, 0, 0).isAllocated());
    final KvSequence failed = course.manager.open(FakeRequest.of("b", text(9, blockSize())));
    course.manager.lookup(failed);
    assertTrue(course.allocate(failed, blockSize(), 0, 0).isAllocated());
    course.endStep();

    final Set<KvSequence> dependents = new HashSet<>();
    course.manager.stepFailed(course.step, failed, dependents::add);
    assertFalse(dependents.contains(sharer), "it has found what was computed");
    course.manager.release(failed, 0, course.step);
    course.succeed();

    assertEquals(found, course.manager.lookup(course.open("late", tokens)));
  }

  private static Request.Builder request(String id, int text, int tokens) {
    return Request.builder(id, text(text, tokens)).maxTokens(9);
  }

  private static int[] text(int number, int length) {
    final int[] tokens = new int[length];
    Arrays.setAll(tokens, i -> 1_000 * number + i);
    return tokens;
  }

  private static Set<Integer> blocksOf(KvSequence sequence) {
    final Set<Integer> blocks = new HashSet<>();
    for (int group = 0; group < sequence.groupCount(); group++) {
      for (int i = 0; i < sequence.blockCount(group); i++) {
        blocks.add(sequence.blockId(group, i));
      }
    }
    blocks.remove(0);
    return blocks;
  }

  /** A manager, its steps, and requests that all begin with the same text. */
  private static final class Course implements KvBlockWork {

    private final KvCacheManager manager;
    private long step;
    private long ended;

    Course(KvCacheManager manager) {
      this.manager = manager;
      beginStep();
    }

    int usable() {
      return manager.shape().usableBlocks();
    }

    void beginStep() {
      manager.beginStep(++step);
    }

    void endStep() {
      manager.endStep(this);
    }

    /** The oldest step that is out is answered. */
    void succeed() {
      manager.stepEnded(++ended);
      manager.acknowledge(ended);
    }

    KvSequence open(String id, int tokens) {
      return manager.open(FakeRequest.of(id, text(1, tokens)));
    }

    Allocation allocate(KvSequence sequence, int tokens, int reserve, int watermark) {
      return manager.allocate(sequence, tokens, 0, reserve, watermark);
    }

    /** Allocates for four blocks, of which a prefix may be found. */
    Allocation allocateRest(KvSequence sequence) {
      final int blockTokens = manager.shape().blockSize();
      final int found = manager.lookup(sequence);
      return allocate(sequence, 4 * blockTokens - found, 0, 0);
    }

    /** A request is computed, and ends; the next step begins. */
    void compute(String id, int tokens) {
      compute(request(id, 1, tokens).build());
    }

    void compute(Request request) {
      final KvSequence sequence = manager.open(FakeRequest.of(0, request));
      final int rest = request.promptTokens() - manager.lookup(sequence);
      assertTrue(allocate(sequence, rest, 0, 0).isAllocated());
      endStep();
      succeed();
      manager.release(sequence, request.promptTokens(), ended);
      manager.close(sequence);
      beginStep();
    }

    /** How many tokens of such a request are found. */
    int find(Request.Builder request) {
      final KvSequence sequence = manager.open(FakeRequest.of(0, request.build()));
      final int found = manager.lookup(sequence);
      manager.close(sequence);
      return found;
    }

    /** How many of them only in the host tier. */
    int findInHostTier(Request.Builder request) {
      final KvSequence sequence = manager.open(FakeRequest.of(0, request.build()));
      final int found = manager.lookup(sequence);
      final Allocation answer = allocate(sequence, 1, 0, 0);
      final int hostTokens = answer.isAllocated() ? answer.hostTokens() : 0;
      manager.release(sequence, found, 0);
      manager.close(sequence);
      return hostTokens;
    }

    @Override
    public void copy(int source, int target) {}

    @Override
    public void zero(int block) {}

    @Override
    public void save(int device, int host) {}

    @Override
    public void load(RequestView request, int host, int device) {}
  }
}

package dev.headway.testkit.connector;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.kvcache.connector.BlockRelease;
import dev.headway.api.kvcache.connector.ExternalTokens;
import dev.headway.api.kvcache.connector.KvConnector;
import dev.headway.api.request.FinishReason;
import dev.headway.api.request.Request;
import dev.headway.testkit.FakeSequence;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * What an engine relies on in a {@link KvConnector}: extend it in a test, say how a connector is
 * made, and what it can load or keeps.
 *
 * {@snippet :
 * class MyConnectorTest extends KvConnectorContract {
 *   @Override
 *   protected KvConnector connector(CheckedKvBlocks blocks, KvCacheShape shape) {
 *     return new MyConnector(blocks, shape.blockSize());
 *   }
 *
 *   @Override
 *   protected Request loadable(String id, int... prompt) {
 *     store.put(prompt, block -> CheckedKvBlocks.kvOf(prompt, block, BLOCK_SIZE, BLOCK_BYTES));
 *     return Request.builder(id, prompt).maxTokens(8).build();
 *   }
 * }
 * }
 *
 * <p>The world: blocks of 4 tokens and 64 bytes, 64 of them. The contract plays the engine on one
 * thread; transfers may be on others, for as long as {@link #patience}.
 */
@Timeout(60)
public abstract class KvConnectorContract {

  /** Tokens of a block. */
  protected static final int BLOCK_SIZE = 4;

  /** Bytes of a block. */
  protected static final int BLOCK_BYTES = 64;

  private static final int BLOCKS = 65;

  /** How long a thread is seen waiting, without a break, that waits for what will not come. */
  private static final int WAITING_MS = 50;

  private static final long PATIENCE_MS = 20_000;
  private static final int[] PROMPT = {7, 1, 5, 3, 2, 8, 6, 4, 9, 11};

  private final CheckedKvBlocks blocks = new CheckedKvBlocks(BLOCKS, BLOCK_BYTES);
  private final TransferLog log = new TransferLog();
  private final ExternalTokens answer = new ExternalTokens();
  private @Nullable KvConnector connector;
  private int nextBlock = 1;
  private long nextNumber;

  /** For subclasses. */
  protected KvConnectorContract() {}

  /**
   * Makes the connector to be tested; called once in a test, behind {@link #loadable}.
   *
   * @param blocks what it reads and writes
   */
  protected abstract KvConnector connector(CheckedKvBlocks blocks, KvCacheShape shape)
      throws Exception;

  /**
   * Brings the KV of a prompt to where the connector gets it, in blocks as {@link
   * CheckedKvBlocks#kvOf} says; called before it is made.
   *
   * @return a request for which it is found, at least a block of it; null if it loads none
   */
  protected @Nullable Request loadable(String id, int... prompt) throws Exception {
    return null;
  }

  /**
   * A request that it keeps the blocks of when it has ended.
   *
   * @return null, as by default, if it keeps none
   */
  protected @Nullable Request kept(String id, int... prompt) {
    return null;
  }

  /** Has the blocks of a request sent; nothing unless it waits for others to fetch them. */
  protected void take(Request kept) throws Exception {}

  /** Ends loads that are out; nothing unless they end by a call of the test only. */
  protected void endTransfers() throws Exception {}

  /**
   * From now on, what was loadable is not, and lookups may not know it.
   *
   * @return whether that can be done
   */
  protected boolean breakSource() throws Exception {
    return false;
  }

  /** How long a transfer or a call may take; 20 seconds unless overridden. */
  protected Duration patience() {
    return Duration.ofMillis(PATIENCE_MS);
  }

  /** Whether it moves bytes; override it with false where it does not. */
  protected boolean movesBytes() {
    return true;
  }

  @AfterEach
  final void end() throws Exception {
    blocks.openGate();
    if (connector != null) {
      connector.close();
    }
  }

  // ---- what is answered -------------------------------------------------------------------------

  @Test
  void shouldHaveOneRole() throws Exception {
    final KvConnector made = start();

    assertEquals(made.role(), made.role(), "the role must be constant");
  }

  /** At most what is known and not cached; of what is loaded within a step all but one token. */
  @Test
  void shouldAnswerTokensThatAreKnown() throws Exception {
    final PlayedRequest request = loadableOrAny();
    final KvConnector made = start();

    for (int local = 0; local < PROMPT.length; local += BLOCK_SIZE) {
      final int tokens = lookUp(made, request, local);
      final boolean inStep = answer.kind() == ExternalTokens.Kind.IN_STEP;
      final int most = PROMPT.length - local - (inStep ? 1 : 0);
      assertTrue(
          tokens >= 0 && tokens <= most,
          "external tokens must be in [0, most]: most="
              + most
              + ", local="
              + local
              + ", "
              + answer);
      assertEquals(tokens, lookUp(made, request, local), "asked twice, local=" + local);
      if (!made.role().loads()) {
        assertEquals(ExternalTokens.Kind.NONE, answer.kind(), "it does not load");
      }
    }
  }

  /** It is asked whenever a request could be admitted. */
  @Test
  void shouldStartNothingInALookup() throws Exception {
    final PlayedRequest request = loadableOrAny();
    final KvConnector made = start();

    lookUp(made, request, 0);
    lookUp(made, request, BLOCK_SIZE);
    finish(made, request, FinishReason.ABORTED);
    closeNow(made);

    assertEquals(0, log.reports(), "reports without a transfer");
    assertNoViolation();
  }

  // ---- loads ------------------------------------------------------------------------------------

  @Test
  void shouldReportNothingForARequestThatIsComputed() throws Exception {
    final PlayedRequest request = loadableOrAny();
    final KvConnector made = start();

    lookUp(made, request, 0);
    hold(request, PROMPT.length);
    made.admitted(request.view, request.blocks(), 0);
    finish(made, request, FinishReason.ABORTED);
    closeNow(made);

    assertEquals(0, log.reports(), "reports without a transfer");
    assertNoViolation();
  }

  @Test
  void shouldLoadIntoTheBlocksBehindTheLocalOnes() throws Exception {
    for (int local = 0; local <= BLOCK_SIZE; local += BLOCK_SIZE) {
      final PlayedRequest request = requireLoadable("local=" + local, PROMPT);
      final KvConnector made = start();
      final int tokens = lookUp(made, request, local);
      assertTrue(tokens > 0, "it must know what is loadable: local=" + local + ", " + answer);
      final boolean isAhead = answer.kind() == ExternalTokens.Kind.AHEAD;

      beginLoad(made, request, local, tokens);
      endTransfers();
      if (isAhead) {
        assertTrue(
            log.awaitReceived(request.number(), patience().toMillis()), "a load must be reported");
      }
      endLoad(request, tokens);

      assertFalse(log.anyInvalid(), "blocks reported as failed");
      assertLoaded(request, local, tokens);
      made.admitted(request.view, request.blocks(), 0);
      finish(made, request, FinishReason.ABORTED);
      closeNow(made);
      assertEquals(isAhead ? 1 : 0, log.received(request.number()), "reports of a load");
      assertNoViolation();
      connector = null;
    }
  }

  /** What is not reported as failed is there. */
  @Test
  void shouldSayWhichBlocksAreNotThere() throws Exception {
    final PlayedRequest request = requireLoadable("lost", PROMPT);
    final KvConnector made = start();
    final int tokens = lookUp(made, request, 0);
    assumeTrue(breakSource(), "its source does not break");

    beginLoad(made, request, 0, tokens);
    endTransfers();
    assertTrue(
        log.awaitReceived(request.number(), patience().toMillis()),
        "a load that fails must be reported");
    endLoad(request, tokens);

    assertTrue(log.anyInvalid(), "blocks that are not there must be reported");
    assertEquals(Set.of(), log.lateInvalid(), "failed blocks of no load that is out");
    assertLoaded(request, 0, tokens);
    assertNoViolation();
  }

  @Test
  void shouldEndTheLoadOfARequestThatHasEnded() throws Exception {
    final PlayedRequest request = requireLoadable("ended", PROMPT);
    final KvConnector made = start();
    final int tokens = lookUp(made, request, 0);
    assumeTrue(answer.kind() == ExternalTokens.Kind.AHEAD, "it loads within steps");

    beginLoad(made, request, 0, tokens);
    made.requestFinished(request.view, request.blocks(), tokens, FinishReason.ABORTED);
    final boolean isCancelled = made.cancelLoad(request.view);
    if (!isCancelled) {
      endTransfers();
      assertTrue(
          log.awaitReceived(request.number(), patience().toMillis()), "a load must be reported");
    }
    endLoad(request, tokens);
    closeNow(made);

    assertEquals(isCancelled ? 0 : 1, log.received(request.number()), "reports of a load");
    assertEquals(0, log.sent(request.number()), "blocks that were not kept");
    assertNoViolation();
  }

  // ---- blocks that are kept ---------------------------------------------------------------------

  @Test
  void shouldKeepNothingOfARequestThatWasNeverAdmitted() throws Exception {
    final KvConnector made = start();

    for (FinishReason reason : FinishReason.values()) {
      final PlayedRequest request = play(keptOrAny(reason.name()));
      assertEquals(
          BlockRelease.NOW,
          made.requestFinished(request.view, new FakeSequence(1), 0, reason),
          "there is nothing to keep: reason=" + reason);
    }
  }

  @Test
  void shouldReportOnceThatBlocksAreSent() throws Exception {
    final Request asked = requireKept("kept");
    final KvConnector made = start();
    final PlayedRequest request = compute(made, asked);

    assertEquals(BlockRelease.WHEN_SENT, end(made, request), "it must keep what is to be kept");
    take(asked);
    assertTrue(
        log.awaitSent(request.number(), patience().toMillis()),
        "kept blocks must be reported sent");
    letRead(request, false);
    closeNow(made);

    assertEquals(1, log.sent(request.number()), "reports that blocks are sent");
    assertEquals(0, log.received(request.number()), "there was no load");
    assertNoViolation();
  }

  /** The engine waits for no reader: what is out ends with the connector. */
  @Test
  void shouldEndWithBlocksThatAreKept() throws Exception {
    final Request asked = requireKept("kept");
    final KvConnector made = start();
    final PlayedRequest request = compute(made, asked);
    end(made, request);

    assertTimeoutPreemptively(patience(), made::close);

    blocks.close();
    assertTrue(log.sent(request.number()) <= 1, "reports that blocks are sent");
    assertNoViolation();
    connector = null;
  }

  // ---- threads ----------------------------------------------------------------------------------

  /** Everything is called within a step. */
  @Test
  void shouldNotWaitForATransfer() throws Exception {
    assumeTrue(movesBytes(), "it moves no bytes");
    final Request loadable = loadable("slow", PROMPT);
    final Request kept = kept("kept", PROMPT);
    final KvConnector made = start();
    final PlayedRequest computed = kept == null ? null : compute(made, kept);
    blocks.closeGate();

    assertTimeoutPreemptively(
        patience(),
        () -> {
          blocks.engineIs(Thread.currentThread());
          if (loadable != null) {
            final PlayedRequest request = play(loadable);
            beginLoad(made, request, 0, lookUp(made, request, 0));
            made.requestFinished(request.view, request.blocks(), 0, FinishReason.ABORTED);
            made.cancelLoad(request.view);
          }
          if (computed != null) {
            end(made, computed);
          }
        },
        "a call must not wait for a transfer");

    blocks.openGate();
    assertNoViolation();
  }

  /** The executor is closed behind it, and its memory is gone. */
  @Test
  void shouldTouchNoBlockAfterItsEnd() throws Exception {
    assumeTrue(movesBytes(), "it moves no bytes");
    final PlayedRequest request = requireLoadable("late", PROMPT);
    final KvConnector made = start();
    final int tokens = lookUp(made, request, 0);
    blocks.closeGate();
    assertTimeoutPreemptively(patience(), () -> beginLoad(made, request, 0, tokens));
    assertTrue(
        blocks.awaitCallAtGate(patience().toMillis()),
        "a load must be begun when its request is admitted, on another thread");

    final Thread closing = Thread.ofPlatform().start(made::close);
    final boolean isLeftBehind = hasEnded(closing);
    if (isLeftBehind) {
      blocks.close();
    }
    blocks.openGate();
    closing.join(patience().toMillis());
    if (isLeftBehind) { // what has been left behind comes now
      blocks.awaitCallsEnded(PATIENCE_MS);
    }
    blocks.close();

    assertFalse(closing.isAlive(), "it must end once transfers can");
    assertNoViolation();
    connector = null;
  }

  /** Whether a thread ends, rather than waits for long; a short wait, for a lock, is neither. */
  private static boolean hasEnded(Thread thread) throws InterruptedException {
    final Set<Thread.State> waiting =
        EnumSet.of(Thread.State.WAITING, Thread.State.TIMED_WAITING, Thread.State.BLOCKED);
    int inSuccession = 0;
    while (inSuccession < WAITING_MS && !thread.join(Duration.ofMillis(1))) {
      inSuccession = waiting.contains(thread.getState()) ? inSuccession + 1 : 0;
    }
    return !thread.isAlive();
  }

  // ---- the engine -------------------------------------------------------------------------------

  private KvConnector start() throws Exception {
    final KvCacheShape shape = KvCacheShape.builder().blockSize(BLOCK_SIZE).blocks(BLOCKS).build();
    final KvConnector made = connector(blocks, shape);
    connector = made;
    blocks.engineIs(Thread.currentThread());
    made.start(log);
    return made;
  }

  private PlayedRequest play(Request request) {
    return new PlayedRequest(nextNumber++, request);
  }

  private PlayedRequest requireLoadable(String id, int... prompt) throws Exception {
    final Request request = loadable(id, prompt);
    assumeTrue(request != null, "it does not load");
    return play(Objects.requireNonNull(request));
  }

  private PlayedRequest loadableOrAny() throws Exception {
    final Request request = loadable("asked", PROMPT);
    return play(request == null ? any("asked") : request);
  }

  private Request requireKept(String id) {
    final Request request = kept(id, PROMPT);
    assumeTrue(request != null, "it keeps nothing");
    return Objects.requireNonNull(request);
  }

  private Request keptOrAny(String id) {
    final Request request = kept(id, PROMPT);
    return request == null ? any(id) : request;
  }

  private static Request any(String id) {
    return Request.builder(id, PROMPT).maxTokens(8).build();
  }

  /** Asks until it is decided. */
  private int lookUp(KvConnector made, PlayedRequest request, int localTokens) throws Exception {
    do {
      answer.none();
      made.lookup(request.view, localTokens, answer);
      if (answer.kind() == ExternalTokens.Kind.UNDECIDED) {
        endTransfers();
        Thread.onSpinWait();
      }
    } while (answer.kind() == ExternalTokens.Kind.UNDECIDED);
    return answer.tokens();
  }

  private void hold(PlayedRequest request, int tokens) {
    final int count = blocksFor(tokens);
    request.hold(nextBlock, count);
    nextBlock += count;
  }

  private static int blocksFor(int tokens) {
    return (tokens + BLOCK_SIZE - 1) / BLOCK_SIZE;
  }

  private void beginLoad(KvConnector made, PlayedRequest request, int local, int tokens) {
    hold(request, local + tokens);
    final Set<Integer> targets = request.lastBlocks(blocksFor(tokens));
    targets.forEach(block -> blocks.letWrite(block, true));
    log.loading(request.number(), targets);
    request.view.computedTokens(local + tokens);
    made.admitted(request.view, request.blocks(), tokens);
  }

  private void endLoad(PlayedRequest request, int tokens) {
    request.lastBlocks(blocksFor(tokens)).forEach(block -> blocks.letWrite(block, false));
  }

  private void assertLoaded(PlayedRequest request, int local, int tokens) {
    for (int i = local / BLOCK_SIZE; i < blocksFor(local + tokens) && movesBytes(); i++) {
      final int block = request.table()[i];
      if (!log.isInvalid(block)) {
        assertArrayEquals(
            CheckedKvBlocks.kvOf(request.tokens(), i, BLOCK_SIZE, BLOCK_BYTES),
            blocks.content(block),
            "KV of block " + i + " of the request");
      }
    }
  }

  /** A request gets all its blocks, and its prompt is computed. */
  private PlayedRequest compute(KvConnector made, Request asked) throws Exception {
    final PlayedRequest request = play(asked);
    lookUp(made, request, 0);
    hold(request, PROMPT.length + 1);
    made.admitted(request.view, request.blocks(), 0);
    for (int i = 0; i < request.table().length; i++) {
      blocks.compute(
          request.table()[i], CheckedKvBlocks.kvOf(request.tokens(), i, BLOCK_SIZE, BLOCK_BYTES));
    }
    request.view.computedTokens(PROMPT.length).append(12);
    return request;
  }

  private BlockRelease end(KvConnector made, PlayedRequest request) {
    letRead(request, true);
    return made.requestFinished(request.view, request.blocks(), PROMPT.length, FinishReason.LENGTH);
  }

  private void letRead(PlayedRequest request, boolean may) {
    for (int block : request.table()) {
      blocks.letRead(block, may);
    }
  }

  private static void finish(KvConnector made, PlayedRequest request, FinishReason reason) {
    made.requestFinished(request.view, request.blocks(), 0, reason);
  }

  private void closeNow(KvConnector made) throws Exception {
    made.close();
    connector = null;
  }

  private void assertNoViolation() {
    assertEquals(Set.of(), blocks.violations(), "what was noted of blocks");
  }
}

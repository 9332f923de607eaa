package dev.headway.testkit.request;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.management.ThreadMXBean;
import dev.headway.api.request.Grammar;
import dev.headway.api.step.TokenConstraints;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * What a scheduler and an executor rely on in a {@link Grammar}: extend it in a test and give the
 * factory. Texts are random ways through the masks.
 *
 * {@snippet :
 * class MyGrammarTest extends GrammarContract {
 *   @Override
 *   protected Grammar create() {
 *     return new MyGrammar();
 *   }
 *
 *   @Override
 *   protected int vocabularySize() {
 *     return 32_000;
 *   }
 * }
 * }
 */
@Timeout(60)
public abstract class GrammarContract {

  private static final int SEEDS = 8;
  private static final int MOST_TOKENS = 60;

  /** Written over masks, so that a bit that is not set by a grammar is seen. */
  private static final int[] STALE = {0, -1, 0x5a5a5a5a};

  /** For subclasses. */
  protected GrammarContract() {}

  /** Makes the grammar to be tested, a new one for each call, always of the same texts. */
  protected abstract Grammar create();

  /** Token ids are below this. */
  protected abstract int vocabularySize();

  @Test
  void shouldAcceptExactlyTheTokensOfItsMask() {
    for (int seed = 0; seed < SEEDS; seed++) {
      final Random random = new Random(seed);
      final Grammar grammar = create();
      for (int i = 0; i < MOST_TOKENS && !grammar.isTerminated(); i++) {
        final int[] mask = mask(grammar);
        for (int token = 0; token < vocabularySize(); token++) {
          final boolean isAccepted = grammar.accept(token);
          if (has(mask, token) != isAccepted) {
            fail("seed=" + seed + ", place=" + i + ", token=" + token + ", accepted=" + isAccepted);
          }
          if (isAccepted) {
            grammar.rollback(1);
          }
        }
        assertTrue(grammar.accept(any(mask, random)));
      }
    }
  }

  @Test
  void shouldAllowATokenUntilItTerminates() {
    for (int seed = 0; seed < SEEDS; seed++) {
      final Random random = new Random(seed);
      final Grammar grammar = create();
      for (int i = 0; i < MOST_TOKENS && !grammar.isTerminated(); i++) {
        final int[] mask = mask(grammar);
        assertTrue(Arrays.stream(mask).anyMatch(word -> word != 0), "seed=" + seed + ", i=" + i);
        assertTrue(grammar.accept(any(mask, random)));
      }
    }
  }

  @Test
  void shouldWriteEveryBitOfItsRowAndNoOther() {
    final Grammar grammar = create();
    final int words = TokenConstraints.wordsPerRow(vocabularySize());
    final int[] first = mask(grammar);

    for (int stale : STALE) {
      final int[] rows = new int[3 * words];
      Arrays.fill(rows, stale);
      grammar.fillMask(rows, words);
      for (int token = 0; token < vocabularySize(); token++) {
        assertEquals(has(first, token), has(rows, words * Integer.SIZE + token), "token=" + token);
      }
      for (int i = 0; i < words; i++) {
        assertEquals(stale, rows[i], "word in front=" + i);
        assertEquals(stale, rows[2 * words + i], "word behind=" + i);
      }
    }
  }

  @Test
  void shouldBeWhereItWasAfterARollback() {
    for (int seed = 0; seed < SEEDS; seed++) {
      final Random random = new Random(seed);
      final Grammar grammar = create();
      final List<int[]> masks = new ArrayList<>();
      while (masks.size() < MOST_TOKENS && !grammar.isTerminated()) {
        masks.add(mask(grammar));
        assertTrue(grammar.accept(any(masks.getLast(), random)));
      }
      int at = masks.size();
      while (at > 0) {
        final int back = 1 + random.nextInt(at);
        grammar.rollback(back);
        at -= back;
        assertFalse(grammar.isTerminated(), "seed=" + seed);
        assertEquals(
            Arrays.toString(masks.get(at)), Arrays.toString(mask(grammar)), "seed=" + seed);
      }
    }
  }

  @Test
  void shouldStayAsItIsWhenItRefusesAToken() {
    final Grammar grammar = create();
    final int[] mask = mask(grammar);

    for (int token = 0; token < vocabularySize(); token++) {
      if (!has(mask, token)) {
        assertFalse(grammar.accept(token));
      }
    }

    assertEquals(Arrays.toString(mask), Arrays.toString(mask(grammar)));
  }

  @Test
  void shouldNotShareItsState() {
    final Grammar grammar = create();
    final Grammar other = create();
    final int[] mask = mask(other);

    assertTrue(grammar.accept(any(mask, new Random(1))));

    assertEquals(Arrays.toString(mask), Arrays.toString(mask(other)));
  }

  @Test
  void shouldAllocateNothingForAMaskThatWasAskedBefore() {
    assumeTrue(
        ManagementFactory.getThreadMXBean() instanceof ThreadMXBean threads
            && threads.isThreadAllocatedMemorySupported()
            && threads.isThreadAllocatedMemoryEnabled());
    final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    final Grammar grammar = create();
    final int[] mask = new int[TokenConstraints.wordsPerRow(vocabularySize())];
    long least = Long.MAX_VALUE;
    for (int round = 0; round < 20 && least > 256; round++) {
      final long before = threads.getCurrentThreadAllocatedBytes();
      for (int i = 0; i < 100; i++) {
        grammar.fillMask(mask, 0);
      }
      least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
    }
    assertTrue(least <= 256, "bytes for 100 masks: " + least);
  }

  private int[] mask(Grammar grammar) {
    final int[] mask = new int[TokenConstraints.wordsPerRow(vocabularySize())];
    grammar.fillMask(mask, 0);
    for (int token = vocabularySize(); token < mask.length * Integer.SIZE; token++) {
      mask[token >> 5] &= ~(1 << token); // those behind the vocabulary do not count
    }
    return mask;
  }

  private static boolean has(int[] mask, int token) {
    return (mask[token >> 5] >>> token & 1) != 0;
  }

  /** One of the tokens of a mask. */
  private static int any(int[] mask, Random random) {
    int count = 0;
    for (int word : mask) {
      count += Integer.bitCount(word);
    }
    int left = random.nextInt(count);
    for (int token = 0; ; token++) {
      if (has(mask, token) && left-- == 0) {
        return token;
      }
    }
  }
}

package dev.headway.kvcache;

import static dev.headway.kvcache.PrefixIndex.NONE;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The index believes tokens and parents, whatever hashes it is given; blocks hold two tokens here.
 */
class PrefixIndexTest {

  private static final long SAME_HASH = 42L;

  private final PrefixIndex index = indexOf(64, 64);
  private final int root = index.acquireRoot("");

  @Test
  void shouldFindWhatWasStoredBehindTheSameParentOnly() {
    final int first = index.store(1, 11L, root, tokens(1, 2), 0, null);
    final int second = index.store(2, 12L, first, tokens(3, 4), 0, null);

    assertThat(index.find(11L, root, tokens(1, 2), 0, null)).isEqualTo(first);
    assertThat(index.find(12L, first, tokens(3, 4), 0, null)).isEqualTo(second);
    assertThat(index.find(12L, root, tokens(3, 4), 0, null)).isEqualTo(NONE);
    assertThat(index.firstBlockOf(second)).isEqualTo(2);
    assertThat(index.contentsWithBlocks()).isEqualTo(2);
  }

  @Test
  void shouldTellTokensApartWhenHashesCollide() {
    final int one = index.store(1, SAME_HASH, root, tokens(1, 2), 0, null);
    final int other = index.store(2, SAME_HASH, root, tokens(3, 4), 0, null);

    assertThat(other).isNotEqualTo(one);
    assertThat(index.find(SAME_HASH, root, tokens(1, 2), 0, null)).isEqualTo(one);
    assertThat(index.find(SAME_HASH, root, tokens(3, 4), 0, null)).isEqualTo(other);
    assertThat(index.find(SAME_HASH, root, tokens(5, 6), 0, null)).isEqualTo(NONE);
  }

  @Test
  void shouldTellParentsApartWhenHashesCollide() {
    final int one = index.store(1, SAME_HASH, root, tokens(1, 2), 0, null);
    final int other = index.store(2, SAME_HASH, root, tokens(3, 4), 0, null);
    final int childOfOne = index.store(3, SAME_HASH, one, tokens(7, 7), 0, null);

    assertThat(index.find(SAME_HASH, one, tokens(7, 7), 0, null)).isEqualTo(childOfOne);
    assertThat(index.find(SAME_HASH, other, tokens(7, 7), 0, null)).isEqualTo(NONE);
  }

  @Test
  void shouldTellSaltsApartWhenHashesCollide() {
    final int salted = index.acquireRoot("tenant");
    index.store(1, SAME_HASH, root, tokens(1, 2), 0, null);

    assertThat(index.find(SAME_HASH, salted, tokens(1, 2), 0, null)).isEqualTo(NONE);
  }

  @Test
  void shouldForgetOnlyTheCollidingContentThatIsRemoved() {
    index.store(1, SAME_HASH, root, tokens(1, 2), 0, null);
    final int middle = index.store(2, SAME_HASH, root, tokens(3, 4), 0, null);
    index.store(3, SAME_HASH, root, tokens(5, 6), 0, null);

    index.remove(1);
    index.remove(3);

    assertThat(index.find(SAME_HASH, root, tokens(1, 2), 0, null)).isEqualTo(NONE);
    assertThat(index.find(SAME_HASH, root, tokens(3, 4), 0, null)).isEqualTo(middle);
    assertThat(index.find(SAME_HASH, root, tokens(5, 6), 0, null)).isEqualTo(NONE);
  }

  @Test
  void shouldHandOutTheBlockThatHoldsAContentForTheLongestTime() {
    final int content = index.store(5, 11L, root, tokens(1, 2), 0, null);
    index.store(3, 11L, root, tokens(1, 2), 0, null);
    index.store(4, 11L, root, tokens(1, 2), 0, null);

    assertThat(index.contentsWithBlocks()).isEqualTo(1);
    assertThat(index.firstBlockOf(content)).isEqualTo(5);

    index.remove(5);
    assertThat(index.firstBlockOf(content)).isEqualTo(3);

    index.remove(4);
    assertThat(index.firstBlockOf(content)).isEqualTo(3);
    assertThat(index.find(11L, root, tokens(1, 2), 0, null)).isEqualTo(content);
  }

  @Test
  void shouldFindAChildAgainWhenItsEvictedParentIsBack() {
    final int parent = index.store(1, 11L, root, tokens(1, 2), 0, null);
    final int child = index.store(2, 12L, parent, tokens(3, 4), 0, null);

    index.remove(1);
    final int ghost = index.find(11L, root, tokens(1, 2), 0, null);

    assertThat(index.firstBlockOf(ghost)).as("a content without blocks").isEqualTo(NONE);
    assertThat(index.contentsWithBlocks()).isEqualTo(1);

    final int again = index.store(7, 11L, root, tokens(1, 2), 0, null);

    assertThat(again).isEqualTo(parent);
    assertThat(index.firstBlockOf(again)).isEqualTo(7);
    assertThat(index.find(12L, again, tokens(3, 4), 0, null)).isEqualTo(child);
  }

  @Test
  void shouldDropGhostsWithTheirLastDescendant() {
    final int parent = index.store(1, 11L, root, tokens(1, 2), 0, null);
    final int child = index.store(2, 12L, parent, tokens(3, 4), 0, null);
    index.store(3, 13L, child, tokens(5, 6), 0, null);
    index.remove(1);
    index.remove(2);

    index.remove(3);

    assertThat(index.find(11L, root, tokens(1, 2), 0, null)).isEqualTo(NONE);
    assertThat(index.contentsWithBlocks()).isZero();
  }

  @Test
  void shouldNotBelieveAChildOfANumberThatWasGivenAway() {
    final int parent = index.store(1, SAME_HASH, root, tokens(1, 2), 0, null);
    index.store(2, SAME_HASH, parent, tokens(3, 4), 0, null);
    index.remove(2);
    index.remove(1);

    final int reused = index.store(3, SAME_HASH, root, tokens(9, 9), 0, null);

    assertThat(index.find(SAME_HASH, reused, tokens(3, 4), 0, null)).isEqualTo(NONE);
  }

  @Test
  void shouldKeepASaltOnlyWhileSomebodyUsesIt() {
    final int salted = index.acquireRoot("tenant");
    final int content = index.store(1, 11L, salted, tokens(1, 2), 0, null);

    index.releaseRoot(salted);
    final int whileCached = index.acquireRoot("tenant");

    assertThat(whileCached).isEqualTo(salted);
    assertThat(index.find(11L, whileCached, tokens(1, 2), 0, null)).isEqualTo(content);

    index.releaseRoot(whileCached);
    index.remove(1);
    final int afterwards = index.acquireRoot("tenant");

    assertThat(index.find(11L, afterwards, tokens(1, 2), 0, null)).isEqualTo(NONE);
  }

  @Test
  void shouldFindEverythingAfterItHasGrown() {
    final PrefixIndex given = indexOf(5_000, 1);
    final int salted = given.acquireRoot("tenant");
    final List<Integer> contents = new ArrayList<>();

    int parent = given.acquireRoot("");
    for (int i = 1; i < 5_000; i++) {
      parent = given.store(i, i % 7, i % 50 == 0 ? salted : parent, tokens(i, i), 0, null);
      contents.add(parent);
    }

    parent = given.acquireRoot("");
    for (int i = 1; i < 5_000; i++) {
      parent = given.find(i % 7, i % 50 == 0 ? salted : parent, tokens(i, i), 0, null);
      assertThat(parent).as("content %d", i).isEqualTo(contents.get(i - 1));
    }
  }

  @Test
  void shouldCountEveryChangeOfWhatCanBeFound() {
    final long before = index.version();

    index.store(1, 11L, root, tokens(1, 2), 0, null);
    index.store(2, 11L, root, tokens(1, 2), 0, null);
    index.remove(1);

    assertThat(index.version()).isEqualTo(before + 3);
  }

  /** K1: an eighth-bit hash, so that all contents collide, against a map of whole prefixes. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16})
  void shouldNeverBelieveAWrongPrefixUnderRandomCollisions(long seed) {
    final Random random = new Random(seed);
    final int blocks = 24;
    final int hashes = 1 << random.nextInt(4);
    final PrefixIndex given = indexOf(blocks + 1, 1 + random.nextInt(8));
    final Map<String, List<Integer>> blocksOfPrefix = new HashMap<>();
    final String[] prefixOfBlock = new String[blocks + 1];

    for (int i = 0; i < 4_000; i++) {
      final int block = 1 + random.nextInt(blocks);
      if (prefixOfBlock[block] != null) {
        given.remove(block);
        blocksOfPrefix.get(prefixOfBlock[block]).remove((Integer) block);
        prefixOfBlock[block] = null;
      }
      int parent = given.acquireRoot("");
      String prefix = "";
      for (int depth = 0; depth < 6; depth++) {
        final int token = random.nextInt(3);
        final long hash = (prefix + token).hashCode() & (hashes - 1);
        prefix += token + ",";
        final List<Integer> holders =
            blocksOfPrefix.computeIfAbsent(prefix, p -> new ArrayList<>());
        final int found = given.find(hash, parent, tokens(token, 0), 0, null);
        final int firstBlock = found == NONE ? NONE : given.firstBlockOf(found);
        assertThat(firstBlock)
            .as("seed=%d, operation=%d, prefix=%s", seed, i, prefix)
            .isEqualTo(holders.isEmpty() ? NONE : holders.getFirst());
        if (firstBlock == NONE) {
          given.store(block, hash, parent, tokens(token, 0), 0, null);
          holders.add(block);
          prefixOfBlock[block] = prefix;
          break;
        }
        if (random.nextInt(8) == 0) {
          given.store(block, hash, parent, tokens(token, 0), 0, null); // computed side by side
          holders.add(block);
          prefixOfBlock[block] = prefix;
          break;
        }
        parent = found;
      }
      final long distinct = blocksOfPrefix.values().stream().filter(b -> !b.isEmpty()).count();
      assertThat(given.contentsWithBlocks())
          .as("seed=%d, operation=%d", seed, i)
          .isEqualTo((int) distinct);
    }
  }

  private static PrefixIndex indexOf(int blocks, int contents) {
    return new PrefixIndex(blocks, contents, 2);
  }

  private static int[] tokens(int first, int second) {
    return new int[] {first, second};
  }
}

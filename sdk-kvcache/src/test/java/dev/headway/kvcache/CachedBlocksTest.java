package dev.headway.kvcache;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.kvcache.KvBlockRemoved;
import dev.headway.api.kvcache.KvCacheEvents;
import dev.headway.api.kvcache.KvCacheListener;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class CachedBlocksTest implements KvCacheListener {

  private static final int FULL = 2;

  private final PrefixTree tree = new PrefixTree(1, 8);
  private final CachedBlocks held = new CachedBlocks(tree, 8, 2, FULL);
  private final int half = content(tree.pinRoot(""), 10);
  private final int whole = content(half, 20);
  private final List<String> removed = new ArrayList<>();

  @Test
  void shouldKeepGroupsApart() {
    held.hold(3, 1, whole, FULL);

    assertThat(held.firstBlock(whole, 1)).isEqualTo(3);
    assertThat(held.firstBlock(whole, 0)).isEqualTo(PrefixTree.NONE);
    assertThat(held.keys()).isEqualTo(1);
  }

  @Test
  void shouldHandOutTheBlockThatHeldItFirst() {
    held.hold(5, 0, whole, FULL);
    held.hold(2, 0, whole, FULL);
    held.hold(4, 0, whole, FULL);
    assertThat(held.firstBlock(whole, 0)).isEqualTo(5);

    held.evict(5, new KvCacheEvents(this));
    assertThat(held.firstBlock(whole, 0)).isEqualTo(2);
    assertThat(held.keys()).as("two blocks, one content").isEqualTo(1);
  }

  @Test
  void shouldHoldAPartBesideTheWhole() {
    held.hold(3, 0, whole, FULL);
    held.holdPart(3, half, 1);

    assertThat(held.coveredUnits(3)).isEqualTo(FULL);
    assertThat(held.firstBlock(half, 0)).isEqualTo(3);
    assertThat(held.holds(3, half)).isTrue();

    held.evict(3, new KvCacheEvents(this));
    assertThat(removed).as("the primary first").containsExactly(name(20, 0), name(10, 0));
    assertThat(held.keys()).isZero();
    assertThat(held.isCached(3)).isFalse();
  }

  @Test
  void shouldMoveWhatABlockHoldsWithoutAWord() {
    held.hold(3, 0, half, 1);

    held.move(3, 6);

    assertThat(held.firstBlock(half, 0)).isEqualTo(6);
    assertThat(held.coveredUnits(6)).isEqualTo(1);
    assertThat(held.isCached(3)).isFalse();
    assertThat(held.keys()).isEqualTo(1);
    assertThat(removed).isEmpty();
  }

  @Test
  void shouldKnowWhatWasRegisteredInThisStep() {
    held.hold(3, 0, whole, FULL);
    assertThat(held.isOfThisStep(3)).isTrue();

    held.beginStep();
    assertThat(held.isOfThisStep(3)).isFalse();

    held.hold(4, 0, whole, FULL);
    assertThat(held.isOfThisStep(3)).as("the same content, registered again").isTrue();
  }

  @Override
  public void onKvRemoved(KvBlockRemoved event) {
    removed.add(name(event.contentHash(), event.group()));
  }

  private static String name(long contentHash, int group) {
    return contentHash + " of " + group;
  }

  private int content(int parent, int token) {
    final int content = tree.findOrCreate(token, parent, new int[] {token}, 0, null);
    tree.pin(content);
    return content;
  }
}

package dev.headway.kvcache;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.kvcache.ItemKey;
import java.util.List;
import org.junit.jupiter.api.Test;

class PrefixTreeTest {

  private static final int[] TOKENS = {1, 2};
  private static final int[] OTHERS = {3, 4};

  private final PrefixTree tree = new PrefixTree(2, 2);
  private final int root = tree.pinRoot("");

  @Test
  void shouldNotBelieveAHashWithOtherTokens() {
    tree.pin(tree.findOrCreate(7L, root, TOKENS, 0, null));

    assertThat(tree.find(7L, root, TOKENS, 0, null)).isNotEqualTo(PrefixTree.NONE);
    assertThat(tree.find(7L, root, OTHERS, 0, null)).isEqualTo(PrefixTree.NONE);
  }

  @Test
  void shouldNotTakeOneItemForAnotherWithTheSameHashAndTokens() {
    final List<ItemKey> cat = List.of(new ItemKey("cat", 0));
    final List<ItemKey> dog = List.of(new ItemKey("dog", 0));
    final int content = tree.findOrCreate(7L, root, TOKENS, 0, cat);
    tree.pin(content);

    assertThat(tree.find(7L, root, TOKENS, 0, List.copyOf(cat))).isEqualTo(content);
    assertThat(tree.find(7L, root, TOKENS, 0, dog)).isEqualTo(PrefixTree.NONE);
    assertThat(tree.find(7L, root, TOKENS, 0, null)).isEqualTo(PrefixTree.NONE);

    tree.unpin(content);
    final int again = tree.findOrCreate(7L, root, TOKENS, 0, null);
    assertThat(again).as("its number is used again").isEqualTo(content);
    assertThat(tree.find(7L, root, TOKENS, 0, null)).as("without its items").isEqualTo(again);
  }

  @Test
  void shouldNotBelieveAHashBehindAnotherParent() {
    final int parent = tree.findOrCreate(7L, root, TOKENS, 0, null);
    tree.pin(parent);

    assertThat(tree.find(7L, parent, TOKENS, 0, null)).isEqualTo(PrefixTree.NONE);
    assertThat(tree.find(7L, tree.pinRoot("salt"), TOKENS, 0, null)).isEqualTo(PrefixTree.NONE);
  }

  @Test
  void shouldKeepAContentAsLongAsALongerOneStandsOnIt() {
    final int parent = tree.findOrCreate(7L, root, TOKENS, 0, null);
    tree.pin(parent);
    final int child = tree.findOrCreate(8L, parent, OTHERS, 0, null);
    tree.pin(child);

    tree.unpin(parent);
    assertThat(tree.find(7L, root, TOKENS, 0, null)).isEqualTo(parent);

    tree.unpin(child);
    assertThat(tree.find(8L, parent, OTHERS, 0, null)).isEqualTo(PrefixTree.NONE);
    assertThat(tree.find(7L, root, TOKENS, 0, null)).isEqualTo(PrefixTree.NONE);
  }

  @Test
  void shouldFindEverythingAgainAfterGrowing() {
    int content = root;
    for (int i = 0; i < 100; i++) {
      content = tree.findOrCreate(i, content, new int[] {i, i}, 0, null);
    }
    tree.pin(content);

    int found = root;
    for (int i = 0; i < 100; i++) {
      found = tree.find(i, found, new int[] {i, i}, 0, null);
      assertThat(found).as("content %d", i).isNotEqualTo(PrefixTree.NONE);
    }
    assertThat(found).isEqualTo(content);
  }

  @Test
  void shouldForgetARootWithItsLastPin() {
    final int salted = tree.pinRoot("salt");
    assertThat(tree.pinRoot("salt")).isEqualTo(salted);
    final int capacity = tree.capacity();

    tree.unpin(salted);
    tree.unpin(salted);
    for (int i = 0; i < 1_000; i++) {
      tree.unpin(tree.pinRoot("salt " + i));
    }

    assertThat(tree.capacity()).isEqualTo(capacity);
  }
}

package dev.headway.kvcache;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ContentTrieTest {

  private static final int[] TOKENS = {1, 2};
  private static final int[] OTHERS = {3, 4};

  private final ContentTrie trie = new ContentTrie(2, 2, BlockHasher.fixedKey(1, 2));
  private final int root = trie.pinRoot("");

  @Test
  void shouldNotBelieveAHashWithOtherTokens() {
    trie.pin(trie.findOrCreate(7L, root, TOKENS));

    assertThat(trie.find(7L, root, TOKENS)).isNotEqualTo(ContentTrie.NONE);
    assertThat(trie.find(7L, root, OTHERS)).isEqualTo(ContentTrie.NONE);
  }

  @Test
  void shouldNotBelieveAHashBehindAnotherParent() {
    final int parent = trie.findOrCreate(7L, root, TOKENS);
    trie.pin(parent);

    assertThat(trie.find(7L, parent, TOKENS)).isEqualTo(ContentTrie.NONE);
    assertThat(trie.find(7L, trie.pinRoot("salt"), TOKENS)).isEqualTo(ContentTrie.NONE);
  }

  @Test
  void shouldKeepAContentAsLongAsALongerOneStandsOnIt() {
    final int parent = trie.findOrCreate(7L, root, TOKENS);
    trie.pin(parent);
    final int child = trie.findOrCreate(8L, parent, OTHERS);
    trie.pin(child);

    trie.unpin(parent);
    assertThat(trie.find(7L, root, TOKENS)).isEqualTo(parent);

    trie.unpin(child);
    assertThat(trie.find(8L, parent, OTHERS)).isEqualTo(ContentTrie.NONE);
    assertThat(trie.find(7L, root, TOKENS)).isEqualTo(ContentTrie.NONE);
  }

  @Test
  void shouldFindEverythingAgainAfterGrowing() {
    int content = root;
    for (int i = 0; i < 100; i++) {
      content = trie.findOrCreate(i, content, new int[] {i, i});
    }
    trie.pin(content);

    int found = root;
    for (int i = 0; i < 100; i++) {
      found = trie.find(i, found, new int[] {i, i});
      assertThat(found).as("content %d", i).isNotEqualTo(ContentTrie.NONE);
    }
    assertThat(found).isEqualTo(content);
  }

  @Test
  void shouldForgetARootWithItsLastPin() {
    final int salted = trie.pinRoot("salt");
    assertThat(trie.pinRoot("salt")).isEqualTo(salted);
    final int capacity = trie.capacity();

    trie.unpin(salted);
    trie.unpin(salted);
    for (int i = 0; i < 1_000; i++) {
      trie.unpin(trie.pinRoot("salt " + i));
    }

    assertThat(trie.capacity()).isEqualTo(capacity);
  }
}

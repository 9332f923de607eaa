package dev.headway.api.request;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.BitSet;
import java.util.List;
import org.junit.jupiter.api.Test;

class MultiModalItemTest {

  @Test
  void shouldBeAllEmbeddingsUnlessItSaysWhich() {
    final MultiModalItem item = MultiModalItem.of("cat", 3, 4);

    assertThat(item.hash()).isEqualTo("cat");
    assertThat(item.offset()).isEqualTo(3);
    assertThat(item.length()).isEqualTo(4);
    assertThat(item.end()).isEqualTo(7);
    assertThat(item.embeddings()).isEqualTo(4);
    assertThat(item.isEmbedding(0)).isTrue();
    assertThat(item.hasEmbeddingIn(0, 4)).isTrue();
    assertThat(item.hasEmbeddingIn(0, 3)).as("before it").isFalse();
    assertThat(item.hasEmbeddingIn(7, 9)).as("behind it").isFalse();
  }

  @Test
  void shouldFindItsEmbeddingsAmongOtherTokens() {
    final BitSet rows = new BitSet();
    rows.set(1);
    rows.set(3);
    final MultiModalItem item = MultiModalItem.of("cat", 10, 5, rows);
    rows.set(0); // copied

    assertThat(item.embeddings()).isEqualTo(2);
    assertThat(item.isEmbedding(0)).isFalse();
    assertThat(item.isEmbedding(1)).isTrue();
    assertThat(item.hasEmbeddingIn(0, 11)).isFalse();
    assertThat(item.hasEmbeddingIn(11, 12)).isTrue();
    assertThat(item.hasEmbeddingIn(12, 13)).isFalse();
    assertThat(item.hasEmbeddingIn(14, 20)).isFalse();
    assertThat(item).isNotEqualTo(MultiModalItem.of("cat", 10, 5));
  }

  @Test
  void shouldHaveNoEmbeddingsWithoutEncoder() {
    final MultiModalItem item = MultiModalItem.withoutEncoder("embeds", 0, 2);

    assertThat(item.embeddings()).isZero();
    assertThat(item.isEmbedding(1)).isFalse();
    assertThat(item.hasEmbeddingIn(0, 2)).isFalse();
    assertThat(item)
        .isEqualTo(MultiModalItem.withoutEncoder("embeds", 0, 2))
        .isNotEqualTo(MultiModalItem.of("embeds", 0, 2))
        .hasSameHashCodeAs(MultiModalItem.of("embeds", 0, 2))
        .hasToString("MultiModalItem[hash=embeds, offset=0, length=2, embeddings=0]");
  }

  @Test
  void shouldRefuseWhatIsNoItem() {
    assertThatThrownBy(() -> MultiModalItem.of(" ", 1, 2))
        .hasMessage("hash of an item must not be blank: offset=1, hash=' '");
    assertThatThrownBy(() -> MultiModalItem.of("cat", -1, 2))
        .hasMessage("an item must have offset >= 0 and length >= 1: hash=cat, offset=-1, length=2");
    assertThatThrownBy(() -> MultiModalItem.of("cat", 1, 0)).hasMessageEndingWith("length=0");
    assertThatThrownBy(() -> MultiModalItem.of("cat", Integer.MAX_VALUE, 1))
        .hasMessageEndingWith("offset=2147483647, length=1");
    final BitSet beyond = new BitSet();
    beyond.set(2);
    assertThatThrownBy(() -> MultiModalItem.of("cat", 0, 2, beyond))
        .hasMessage("embeddings of an item must be in [0, length): hash=cat, last=2, length=2");
    assertThatThrownBy(() -> MultiModalItem.of("h".repeat(257), 0, 2))
        .hasMessageStartingWith("hash of an item must be at most 256 characters: length=257");
  }

  @Test
  void shouldRefuseItemsThatDoNotFitIntoThePrompt() {
    final Request.Builder builder = Request.builder("a", 1, 1, 1, 1, 2).maxTokens(1);
    final MultiModalItem first = MultiModalItem.of("cat", 0, 2);
    final MultiModalItem second = MultiModalItem.of("dog", 2, 2);

    assertThat(builder.items(List.of(first, second)).build().items())
        .containsExactly(first, second);
    assertThat(Request.builder("a", 1).maxTokens(1).build().items()).isEmpty();
    assertThatThrownBy(() -> builder.items(List.of(second, first)))
        .hasMessage(
            "items must be in order, without overlap, and inside the prompt: id=a,"
                + " MultiModalItem[hash=cat, offset=0, length=2, embeddings=2],"
                + " endOfTheOneBefore=4, tokens=5");
    assertThatThrownBy(() -> builder.items(List.of(first, MultiModalItem.of("dog", 1, 2))))
        .hasMessageEndingWith("endOfTheOneBefore=2, tokens=5");
    assertThatThrownBy(() -> builder.items(List.of(MultiModalItem.of("dog", 3, 3))))
        .hasMessageEndingWith("endOfTheOneBefore=0, tokens=5");
  }
}

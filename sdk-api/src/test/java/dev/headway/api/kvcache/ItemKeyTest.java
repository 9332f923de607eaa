package dev.headway.api.kvcache;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.request.MultiModalItem;
import java.util.List;
import org.junit.jupiter.api.Test;

class ItemKeyTest {

  private static final List<MultiModalItem> ITEMS =
      List.of(MultiModalItem.of("cat", 6, 20), MultiModalItem.withoutEncoder("dog", 30, 2));

  /** The keys that vLLM recorded for such an item: golden trace encoder-01, first event. */
  @Test
  void shouldCountFromTheBlock() {
    assertThat(ItemKey.ofBlock(ITEMS, 0, 8)).containsExactly(new ItemKey("cat", 6));
    assertThat(ItemKey.ofBlock(ITEMS, 8, 8)).containsExactly(new ItemKey("cat", -2));
    assertThat(ItemKey.ofBlock(ITEMS, 16, 8)).containsExactly(new ItemKey("cat", -10));
  }

  @Test
  void shouldNameEveryItemOfABlock() {
    assertThat(ItemKey.ofBlock(ITEMS, 24, 8))
        .containsExactly(new ItemKey("cat", -18), new ItemKey("dog", 6));
  }

  @Test
  void shouldHaveNoneWhereNoItemIs() {
    assertThat(ItemKey.ofBlock(ITEMS, 32, 8)).isEmpty();
    assertThat(ItemKey.ofBlock(ITEMS, 26, 4)).as("between two").isEmpty();
    assertThat(ItemKey.ofBlock(ITEMS, 0, 6)).as("before the first").isEmpty();
    assertThat(ItemKey.ofBlock(List.of(), 0, 8)).isEmpty();
  }
}

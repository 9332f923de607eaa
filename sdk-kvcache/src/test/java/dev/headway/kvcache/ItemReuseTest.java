package dev.headway.kvcache;

import static dev.headway.kvcache.KvFixture.cache;
import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.kvcache.KvGroup;
import dev.headway.api.request.MultiModalItem;
import dev.headway.api.request.Request;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Placeholder tokens are equal for all images; their KV is not. Blocks of 4 tokens. */
class ItemReuseTest {

  private static final int[] PROMPT = placeholders(17);

  private static int[] placeholders(int length) {
    final int[] tokens = new int[length];
    Arrays.fill(tokens, 1);
    return tokens;
  }

  @Test
  void shouldShareTheBlocksOfEqualItems() {
    final KvFixture given =
        cache()
            .requestWith(MultiModalItem.of("cat", 5, 6), "a", PROMPT)
            .requestWith(MultiModalItem.of("cat", 5, 6), "b", PROMPT);

    given.allocate("a");

    assertThat(given.lookup("b")).isEqualTo(16);
  }

  @Test
  void shouldNotShareFromTheFirstBlockOfAnotherItemOn() {
    final KvFixture given =
        cache()
            .requestWith(MultiModalItem.of("cat", 5, 6), "a", PROMPT)
            .requestWith(MultiModalItem.of("dog", 5, 6), "b", PROMPT)
            .request("text", PROMPT);

    given.allocate("a");

    assertThat(given.lookup("b")).as("the block before it").isEqualTo(4);
    assertThat(given.lookup("text")).isEqualTo(4);
  }

  @Test
  void shouldNotShareAnItemAtAnotherPlaceOfTheBlock() {
    final KvFixture given =
        cache()
            .requestWith(MultiModalItem.of("cat", 5, 6), "a", PROMPT)
            .requestWith(MultiModalItem.of("cat", 6, 6), "b", PROMPT);

    given.allocate("a");

    assertThat(given.lookup("b")).isEqualTo(4);
  }

  @Test
  void shouldTellItemsApartThatTheEncoderHasNothingToDoWith() {
    final KvFixture given =
        cache()
            .requestWith(MultiModalItem.withoutEncoder("one", 0, 4), "a", PROMPT)
            .requestWith(MultiModalItem.withoutEncoder("other", 0, 4), "b", PROMPT)
            .requestWith(MultiModalItem.withoutEncoder("one", 0, 4), "c", PROMPT);

    given.allocate("a");

    assertThat(given.lookup("b")).isZero();
    assertThat(given.lookup("c")).isEqualTo(16);
  }

  @Test
  void shouldForgetTheItemsOfWhatItEvicts() {
    final KvFixture given = cache().requestWith(MultiModalItem.of("cat", 0, 16), "a", PROMPT);
    given.allocate("a");
    given.release("a");
    given.request("evictor", KvFixture.text(5, 8));
    given.allocate("evictor");
    given.release("evictor");

    given.request("text", PROMPT);
    given.allocate("text");
    given.requestWith(MultiModalItem.of("cat", 0, 16), "again", PROMPT);

    assertThat(given.lookup("again")).isZero();
    given.request("sharer", PROMPT);
    assertThat(given.lookup("sharer")).as("contents of text without items").isEqualTo(16);
  }

  @Test
  void shouldTellItemsApartInEveryGroup() {
    final GroupedFixture given =
        GroupedFixture.cache(new KvGroup.FullAttention(4), new KvGroup.SlidingWindow(4, 8));
    given.request(with("cat", "a")).request(with("dog", "b")).request(with("cat", "c"));

    given.allocate("a");

    assertThat(given.lookup("b")).isEqualTo(0);
    assertThat(given.lookup("c")).isEqualTo(16);
  }

  private static Request.Builder with(String item, String id) {
    return Request.builder(id, PROMPT).items(List.of(MultiModalItem.of(item, 0, 6)));
  }
}

package dev.headway.executor.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.api.executor.ExecutorShape;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.kvcache.KvGroup;
import dev.headway.api.request.MultiModalItem;
import dev.headway.api.request.Request;
import dev.headway.testkit.FakePlan;
import java.util.List;
import org.junit.jupiter.api.Test;

class PlanCheckTest {

  private final PlanCheck check =
      new PlanCheck(
          ExecutorShape.builder()
              .kvCache(KvCacheShape.builder().blockSize(4).blocks(8).build())
              .maxNumSeqs(4)
              .vocabularySize(100)
              .build(),
          64);

  @Test
  void shouldRefuseAPlanWithAnImageToEncode() {
    final Request request =
        Request.builder("a", 1, 1, 1, 2)
            .items(
                List.of(
                    MultiModalItem.withoutEncoder("embeds", 0, 1), MultiModalItem.of("cat", 1, 2)))
            .maxTokens(1)
            .build();

    assertThatCode(() -> check.requireRunnable(new FakePlan().entry(request, 0, 4, 1).drops("dog")))
        .doesNotThrowAnyException();
    assertThatThrownBy(
            () -> check.requireRunnable(new FakePlan().entry(request, 0, 4, 1).encodes(1)))
        .isInstanceOf(UnsupportedOperationException.class)
        .hasMessage(
            "this executor has no encoder for images: embeddings=2; leave EncoderOptions out");
  }

  /** With blocks of 4, the query at position 10 reads keys from 5 on: its first block is done. */
  @Test
  void shouldTakeTheNullBlockBeforeTheWindowOnly() {
    final PlanCheck windowed = windowed(new KvGroup.SlidingWindow(4, 6));
    final Request request = Request.builder("a", new int[12]).maxTokens(1).build();
    final FakePlan plan = new FakePlan().groups(2).entry(request, 10, 2, 0, 3, 4);
    final int[] table = {0, 3, 4};

    assertThat(windowed.refuse(plan, 0)).isNull();
    assertThat(windowed.firstRead(plan, 0, 1)).isEqualTo(1);
    assertThat(windowed.refuseBlocks(table, 0, 3, 0, plan, 0, 1)).isNull();
    assertThat(windowed.refuseBlocks(table, 0, 3, 0, plan, 0, 0))
        .hasMessage("blocks must be in [1, numBlocks): block=0, numBlocks=8, request='a'");
    assertThat(windowed.refuseBlocks(new int[] {7, 0, 4}, 1, 2, 1, plan, 0, 1))
        .hasMessageStartingWith("blocks must be in [1, numBlocks): block=0");
    assertThat(windowed.refuseBlocks(new int[] {8, 3, 4}, 0, 3, 0, plan, 0, 1))
        .hasMessageStartingWith("blocks must be in [1, numBlocks): block=8");
  }

  @Test
  void shouldRefuseAPlanWithTablesForOtherGroups() {
    final Request request = Request.builder("a", new int[12]).maxTokens(1).build();

    assertThatThrownBy(
            () ->
                windowed(new KvGroup.SlidingWindow(4, 6))
                    .requireRunnable(new FakePlan().entry(request, 10, 2, 1, 3, 4)))
        .isInstanceOf(UnsupportedOperationException.class)
        .hasMessage(
            "a plan must have block tables for each of the executor's groups: groupCount=1,"
                + " groups=[FullAttention[blockSize=4], SlidingWindow[blockSize=4,"
                + " windowTokens=6]]");
  }

  @Test
  void shouldRefuseGroupsOfOtherKinds() {
    assertThatThrownBy(() -> windowed(new KvGroup.ChunkedLocal(4, 8)))
        .hasMessage(
            "groups must be of full attention or of a window, with the cache's block size:"
                + " group=ChunkedLocal[blockSize=4, chunkTokens=8], blockSize=4");
    assertThatThrownBy(() -> windowed(new KvGroup.SlidingWindow(8, 6)))
        .hasMessageContaining("group=SlidingWindow[blockSize=8, windowTokens=6]");
  }

  private static PlanCheck windowed(KvGroup second) {
    return new PlanCheck(
        ExecutorShape.builder()
            .kvCache(
                KvCacheShape.builder()
                    .blockSize(4)
                    .blocks(8)
                    .groups(List.of(new KvGroup.FullAttention(4), second))
                    .build())
            .maxNumSeqs(4)
            .vocabularySize(100)
            .build(),
        64);
  }
}

package dev.headway.executor.plan;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.api.executor.ExecutorShape;
import dev.headway.api.kvcache.KvCacheShape;
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
}

package dev.headway.cli.serve;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.config.SchedulerLimits;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.kvcache.KvGroup;
import dev.headway.http.ApiKeys;
import java.util.List;
import org.junit.jupiter.api.Test;

class StartUpTest {

  private static final SchedulerConfig CONFIG =
      SchedulerConfig.builder(
              SchedulerLimits.builder()
                  .maxNumSeqs(4)
                  .maxNumBatchedTokens(256)
                  .maxModelLen(4_096)
                  .build())
          .build();

  @Test
  void shouldSayHowManyTokensFitWithoutWindows() {
    final KvCacheShape shape = KvCacheShape.builder().blockSize(16).blocks(1_001).build();

    assertThat(StartUp.kvCache(shape, CONFIG))
        .isEqualTo("1,000 blocks of 16 tokens: 16,000 tokens, 7 requests of 2,048");
  }

  /** 128 blocks of the whole context, and (512 - 1 + 256) / 16 and one more of the window. */
  @Test
  void shouldSayHowManyRequestsFitWithWindows() {
    final KvCacheShape shape =
        KvCacheShape.builder()
            .blockSize(16)
            .blocks(1_001)
            .bytesPerBlock(1 << 20)
            .groups(List.of(new KvGroup.FullAttention(16), new KvGroup.SlidingWindow(16, 512)))
            .build();

    assertThat(StartUp.kvCache(shape, CONFIG))
        .isEqualTo(
            "1,000 blocks of 16 tokens for 2 groups of layers, 1 with a window, 1001.0 MiB,"
                + " 5 requests of 2,048");
  }

  @Test
  void shouldSayOneRequestInTheSingular() {
    final SchedulerConfig one =
        SchedulerConfig.builder(
                SchedulerLimits.builder()
                    .maxNumSeqs(1)
                    .maxNumBatchedTokens(256)
                    .maxModelLen(4_096)
                    .build())
            .build();

    assertThat(StartUp.kvCache(KvCacheShape.builder().blockSize(16).blocks(129).build(), CONFIG))
        .endsWith(", 1 request of 2,048");
    assertThat(StartUp.limits(CONFIG)).startsWith("4 requests at once, 256 tokens a step, ");
    assertThat(StartUp.limits(one)).startsWith("1 request at once, 256 tokens a step, ");
  }

  @Test
  void shouldShowARequestThatIsNotRefused() {
    final String url = "http://127.0.0.1:8000";

    assertThat(StartUp.curl(url, "tiny", ApiKeys.NONE))
        .isEqualTo(
            "curl http://127.0.0.1:8000/v1/completions -H 'Content-Type: application/json' -d"
                + " '{\"model\": \"tiny\", \"prompt\": \"Once upon a time\", \"max_tokens\": 32}'");
    assertThat(StartUp.curl(url, "tiny", ApiKeys.of("secret")))
        .contains(" -H 'Authorization: Bearer KEY' ")
        .doesNotContain("secret");
  }
}

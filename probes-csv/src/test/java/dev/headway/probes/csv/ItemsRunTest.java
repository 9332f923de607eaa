package dev.headway.probes.csv;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.config.ChunkedMmInput;
import dev.headway.api.config.EncoderOptions;
import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.config.SchedulerLimits;
import dev.headway.api.request.MultiModalItem;
import dev.headway.api.request.Request;
import dev.headway.probes.chronicle.JournalSource;
import dev.headway.probes.csv.option.ConvertOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two requests with images, of which the encoder computes one in a step. */
class ItemsRunTest {

  private static final SchedulerLimits LIMITS =
      SchedulerLimits.builder().maxNumSeqs(8).maxNumBatchedTokens(64).maxModelLen(128).build();

  @TempDir private Path temporary;

  @Test
  void shouldSayWhatWasEncodedAndWhoWaitedForIt() throws IOException {
    final Path journal = temporary.resolve("journal");
    try (LiveRun run =
        new LiveRun(journal, 20)
            .settings(
                engine ->
                    engine.config(
                        SchedulerConfig.builder(LIMITS)
                            .encoder(new EncoderOptions(6, 6, 12, ChunkedMmInput.ENABLED))
                            .build()))) {
      run.submit(seeing("cats", MultiModalItem.of("cat", 0, 6)));
      run.submit(
          seeing(
              "dogs",
              MultiModalItem.of("dog", 0, 4),
              MultiModalItem.withoutEncoder("embeds", 4, 2)));
      run.finish();
    }

    final CsvResult result = new CsvResult(temporary.resolve("out"));
    try (JournalSource source = JournalSource.open(journal)) {
      new CsvConverter(source, result.directory(), ConvertOptions.DEFAULT, (r, rows, done) -> {})
          .convert();
    }

    assertThat(result.iterations())
        .extracting(row -> row.get("encoded_items") + " of " + row.get("encoded_embeddings"))
        .startsWith("1 of 6", "1 of 4")
        .endsWith("0 of 0");
    assertThat(result.request("cats"))
        .containsEntry("items", "1")
        .containsEntry("item_embeddings", "6");
    assertThat(result.request("dogs"))
        .containsEntry("items", "2")
        .containsEntry("item_embeddings", "4");
    assertThat(result.request("dogs").get("waiting_encoder_budget_ns")).isNotIn("", "0");
    assertThat(result.request("cats").get("waiting_encoder_budget_ns")).isEqualTo("0");
  }

  private static Request.Builder seeing(String id, MultiModalItem... items) {
    return LiveRun.request(id, 8).items(List.of(items)).maxTokens(3);
  }
}

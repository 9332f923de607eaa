package dev.headway.probes.otel.export;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.probes.otel.fixture.CollectedSpans;
import dev.headway.probes.otel.fixture.Script;
import dev.headway.probes.otel.span.OtelSpans;
import dev.headway.probes.otel.span.SpanOptions;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Exporters that are slow, dead or broken. */
class BatchedExportTest {

  private static final int BATCH = BatchedExport.BATCH_SPANS;

  private final SpanData span = span();
  private final HeldExporter exporter = new HeldExporter();

  @Test
  void shouldDropTheNewestWhenABatchDoesNotGetThrough() {
    final BatchedExport export = open(WhenFull.DROP, Duration.ofMillis(1));

    accept(export, 10 * BATCH);

    assertThat(exporter.batches).as("one at a time").containsExactly(BATCH);
    assertThat(export.counts()).isEqualTo(new ExportCounts(0, 0, 5 * BATCH));

    exporter.results.get(0).succeed();
    export.flush();

    assertThat(exporter.batches).containsExactly(BATCH, BATCH);
    assertThat(export.counts().exported()).isEqualTo(BATCH);
  }

  @Test
  void shouldWaitForABatchAndThenGiveItUp() {
    final BatchedExport export = open(WhenFull.WAIT, Duration.ofMillis(1));

    accept(export, 3 * BATCH);
    export.close();

    assertThat(export.counts()).isEqualTo(new ExportCounts(0, 3 * BATCH, 0));
  }

  @Test
  void shouldNotCountABatchTwiceThatSucceedsTooLate() {
    final BatchedExport export = open(WhenFull.WAIT, Duration.ofMillis(1));
    accept(export, 1);
    export.close();

    exporter.results.get(0).succeed();

    assertThat(export.counts()).isEqualTo(new ExportCounts(0, 1, 0));
  }

  @Test
  void shouldSurviveAnExporterThatThrows() {
    final SpanExporter broken =
        new HeldExporter() {
          @Override
          public CompletableResultCode export(Collection<SpanData> spans) {
            throw new IllegalStateException("broken");
          }

          @Override
          public CompletableResultCode shutdown() {
            throw new IllegalStateException("broken as well");
          }
        };
    final BatchedExport export = new BatchedExport(broken, WhenFull.WAIT, Duration.ofMillis(1));

    accept(export, BATCH + 1);
    export.close();

    assertThat(export.counts()).isEqualTo(new ExportCounts(0, BATCH + 1, 0));
  }

  @Test
  void shouldSendWhatWaitsWhenNothingMoreIsExpected() {
    final BatchedExport export = open(WhenFull.DROP, Duration.ofMillis(1));
    accept(export, 3);

    export.flush();
    export.flush();

    assertThat(exporter.batches).containsExactly(3);
  }

  private BatchedExport open(WhenFull whenFull, Duration timeout) {
    return new BatchedExport(exporter, whenFull, timeout);
  }

  private void accept(BatchedExport export, int spans) {
    for (int i = 0; i < spans; i++) {
      export.accept(span);
    }
  }

  private static SpanData span() {
    final CollectedSpans spans = new CollectedSpans();
    new Script(new OtelSpans(SpanOptions.defaults(), spans))
        .start()
        .queued(0, "a", 1)
        .finished(0, 0, "stop", 2);
    return spans.all().get(0);
  }

  /** Answers when told to. */
  private static class HeldExporter implements SpanExporter {
    private final List<Integer> batches = new ArrayList<>();
    private final List<CompletableResultCode> results = new ArrayList<>();

    @Override
    public CompletableResultCode export(Collection<SpanData> spans) {
      batches.add(spans.size());
      results.add(new CompletableResultCode());
      return results.get(results.size() - 1);
    }

    @Override
    public CompletableResultCode flush() {
      return CompletableResultCode.ofSuccess();
    }

    @Override
    public CompletableResultCode shutdown() {
      return CompletableResultCode.ofSuccess();
    }
  }
}

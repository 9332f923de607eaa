package dev.headway.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.executor.Executor;
import dev.headway.events.live.LiveProbe;
import dev.headway.events.model.RunModel;
import dev.headway.events.record.JournalLevel;
import dev.headway.probes.chronicle.JournalOptions;
import dev.headway.probes.chronicle.JournalProbe;
import dev.headway.probes.chronicle.JournalSource;
import dev.headway.probes.csv.CsvConverter;
import dev.headway.probes.csv.option.ConvertOptions;
import dev.headway.probes.dashboard.state.EngineWatch;
import dev.headway.probes.dashboard.state.Snapshot;
import dev.headway.scheduler.time.SystemNanoClock;
import dev.headway.serving.chat.BuiltInTemplate;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.commons.csv.CSVFormat;
import org.apache.commons.csv.CSVRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/**
 * Many clients at once on a small engine: right answers, a journal that explains every wait, and a
 * dashboard with the same figures.
 */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ConcurrentStreamsTest {

  private static final int CLIENTS = 32;

  @TempDir Path folder;

  /** What the dashboard has shown. */
  private final List<Snapshot> shown = new CopyOnWriteArrayList<>();

  @Test
  void shouldAnswerAllAsIfEachWereAloneAndExplainEveryWait() throws Exception {
    final List<String> alone = answers(1, 1_000, null);

    final List<String> together = answers(CLIENTS, 24, folder.resolve("journal"));

    assertThat(together).isEqualTo(alone);
    final List<CSVRecord> requests = converted();
    assertThat(requests).hasSize(CLIENTS);
    long waited = 0;
    long preemptions = 0;
    for (CSVRecord request : requests) {
      long explained = 0;
      for (Map.Entry<String, String> cell : request.toMap().entrySet()) {
        if (cell.getKey().startsWith("waiting_")
            && cell.getKey().endsWith("_ns")
            && !cell.getValue().isEmpty()) {
          explained += Long.parseLong(cell.getValue());
        }
      }
      assertThat(request.get("status")).isEqualTo("finished");
      assertThat(explained).isEqualTo(Long.parseLong(request.get("waiting_time")));
      assertThat(request.get("waiting_other_ns")).isIn("", "0");
      waited += explained;
      preemptions += Long.parseLong(request.get("preemption_count"));
    }
    assertThat(waited).isPositive();
    assertThat(preemptions).as("the cache is too small for all").isPositive();

    final Snapshot.Totals dashboard = shown.get(shown.size() - 1).totals();
    assertThat(dashboard.dropped()).isZero();
    assertThat(dashboard.queued()).isEqualTo(CLIENTS);
    assertThat(dashboard.finished()).isEqualTo(CLIENTS);
    assertThat(dashboard.preemptions()).isEqualTo(preemptions);
    assertThat(dashboard.waitedNs()).isEqualTo(waited);
    assertThat(dashboard.promptTokens()).isEqualTo(sum(requests, "input_tokens"));
    assertThat(dashboard.outputTokens()).isEqualTo(sum(requests, "output_tokens"));
  }

  private static long sum(List<CSVRecord> requests, String column) {
    return requests.stream().mapToLong(request -> Long.parseLong(request.get(column))).sum();
  }

  /** Each client streams an answer of its own seed; returns the texts. */
  private List<String> answers(int clients, int numBlocks, Path journal) throws Exception {
    final Executor executor =
        ModelSource.builtIn(1, BuiltInTemplate.PLAIN)
            .open(Served.REFERENCE, new SystemNanoClock(), Served.sizes(numBlocks));
    final Served.Setup setup = new Served.Setup();
    setup.maxNumSeqs = 8;
    setup.maxModelLen = 256;
    if (journal != null) {
      setup.probe(JournalProbe.open(JournalOptions.of(journal, JournalLevel.FULL)));
      setup.probe(LiveProbe.of(new RunModel(new EngineWatch(shown::add))));
    }
    try (Served served = setup.start(executor);
        ExecutorService pool = Executors.newFixedThreadPool(clients)) {
      final List<Future<String>> texts = new ArrayList<>();
      for (int client = 0; client < CLIENTS; client++) {
        final String body =
            "{\"prompt\":\"client "
                + client
                + " says something of its own\",\"max_tokens\":60,\"ignore_eos\":true,\"seed\":"
                + client
                + ",\"stream\":true,\"stream_options\":{\"include_usage\":true}}";
        texts.add(pool.submit(() -> text(served.events("/v1/completions", body))));
      }
      final List<String> all = new ArrayList<>();
      for (Future<String> text : texts) {
        all.add(text.get());
      }
      return all;
    }
  }

  private static String text(List<JsonNode> events) {
    final StringBuilder text = new StringBuilder();
    events.forEach(event -> text.append(event.path("choices").path(0).path("text").asString("")));
    return text.append(events.getLast().path("usage").path("completion_tokens")).toString();
  }

  private List<CSVRecord> converted() throws Exception {
    final Path csv = folder.resolve("csv");
    try (JournalSource records = JournalSource.open(folder.resolve("journal"))) {
      new CsvConverter(records, csv, ConvertOptions.DEFAULT, (count, rows, permille) -> {})
          .convert();
    }
    try (Reader reader = Files.newBufferedReader(csv.resolve("per_request.csv"))) {
      return CSVFormat.RFC4180
          .builder()
          .setHeader()
          .setSkipHeaderRecord(true)
          .get()
          .parse(reader)
          .getRecords();
    }
  }
}

package dev.headway.probes.csv;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.probes.chronicle.JournalEnd;
import dev.headway.probes.csv.option.ConvertOptions;
import dev.headway.toolbox.output.OverwriteMode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CutJournalTest {

  @TempDir private Path temporary;

  @Test
  void shouldWriteValidFilesWhereverTheJournalEnds() throws IOException {
    final EventScript script = Scenarios.preemption();

    for (int cut = 0; cut <= script.size(); cut++) {
      final Path target = temporary.resolve("cut" + cut);
      try (CsvExport export = CsvExport.begin(target, ConvertOptions.DEFAULT)) {
        script.play(export.visitor(), 0, cut);
        export.finish(new JournalEnd(JournalEnd.State.CUT, "after record " + cut, cut, 0));
      }

      final CsvResult result = new CsvResult(target);
      final long accepted = result.events("request_queued").size();
      final long rejected = result.events("request_rejected").size();
      assertThat(result.requests()).as("cut=%s", cut).hasSize((int) (accepted + rejected));
      assertThat(result.manifest()).contains("\"end\" : \"cut\"", "after record " + cut);
    }
  }

  @Test
  void shouldWriteTheSameBytesAgainInAnyLocale() {
    final Map<String, String> first = convertRandom("first");
    final Locale before = Locale.getDefault();
    try {
      for (Locale locale : List.of(Locale.GERMANY, Locale.forLanguageTag("ar-EG-u-nu-arab"))) {
        Locale.setDefault(locale);
        assertThat(convertRandom("in" + locale.getLanguage())).isEqualTo(first);
      }
    } finally {
      Locale.setDefault(before);
    }
    assertThat(convertRandom("again")).isEqualTo(first);
  }

  @Test
  void shouldFollowAWriterWithWholeRowsAndEndUpTheSame() throws IOException {
    final EventScript script = new RandomRun(41, 200, 2).script;
    final CsvResult atOnce = CsvResult.of(script, temporary.resolve("at-once"));

    final CsvResult followed = new CsvResult(temporary.resolve("followed"));
    try (CsvExport export = CsvExport.begin(followed.directory(), ConvertOptions.DEFAULT)) {
      for (int from = 0; from < script.size(); from += 37) {
        script.play(export.visitor(), from, Math.min(from + 37, script.size()));
        export.publish(JournalEnd.live(from));
        for (Map.Entry<String, String> file : followed.allText().entrySet()) {
          assertThat(file.getValue()).as(file.getKey()).endsWith("\n");
        }
        assertThat(followed.manifest()).contains("\"end\" : \"live\"");
      }
      export.finish(JournalEnd.clean(script.size()));
    }

    assertThat(followed.allText()).isEqualTo(atOnce.allText());
    assertThat(names(temporary)).containsExactlyInAnyOrder("at-once", "followed");
  }

  @Test
  void shouldMarkWhatMissingRecordsTouch() {
    final EventScript script =
        EventScript.full()
            .queued(0, "a", 1, 2, 8)
            .dropped(12)
            .finished(3, 0, "stop", 0, 50)
            .finished(3, 77, "stop", 0, 60)
            .completed(new StepScript(9, 1, 2).done(1, 2, 3))
            .queued(1, "b", 70, 71, 8);

    final CsvResult result = CsvResult.of(script, temporary.resolve("out"));

    assertThat(result.request("a")).containsEntry("timing_valid", "false");
    assertThat(result.request("b")).containsEntry("timing_valid", "true");
    assertThat(result.events("records_dropped").get(0))
        .containsEntry("details", "{\"records\":12}");
    assertThat(result.manifest())
        .contains(
            "\"dropped_records\" : 12",
            "\"timing_violations\" : 1",
            "\"unknown_requests\" : 1",
            "\"inconsistent_records\" : 1");
  }

  @Test
  void shouldLeaveFiguresEmptyThatNeedTheMissingRecord() throws IOException {
    final StepScript first = new StepScript(1, 10, 20).entry(0, 8, 0, true, 1, 1);
    final StepScript second = new StepScript(2, 40, 50).entry(0, 1, 8, true, 1, 0);
    final EventScript script =
        EventScript.full()
            .queued(0, "a", 1, 2, 8)
            .admitted(1, 0, 0)
            .planned(first.counts(1, 0, 0, 99))
            .firstToken(1, 0, 30)
            .completed(first.done(22, 30, 31, 1))
            .planned(second.counts(1, 0, 0, 99))
            .finishedWith(2, 0, "length", 2, 1, 60);

    final CsvResult cut = CsvResult.of(script, temporary.resolve("cut"));
    final CsvResult whole =
        CsvResult.of(
            script.completed(second.done(52, 60, 61, 1)).runEnded(70), temporary.resolve("whole"));

    assertThat(cut.request("a"))
        .containsEntry("status", "finished")
        .containsEntry("output_tokens", "2") // as its end says
        .containsEntry("last_token_time", "")
        .containsEntry("tpot", "")
        .containsEntry("computed_tokens", "9");
    assertThat(whole.request("a"))
        .containsEntry("output_tokens", "2")
        .containsEntry("last_token_time", "60")
        .containsEntry("tpot", "30");
  }

  @Test
  void shouldConvertWhateverRecordsAreMissing() throws IOException {
    for (long seed = 61; seed <= 80; seed++) {
      final RandomRun run = new RandomRun(seed, 150, 2);
      final CsvResult result = new CsvResult(temporary.resolve("gaps" + seed));
      try (CsvExport export = CsvExport.begin(result.directory(), ConvertOptions.DEFAULT)) {
        run.script.playWithGaps(export.visitor(), new Random(seed), seed % 2 == 0 ? 3 : 30);
        export.finish(JournalEnd.clean(run.script.size()));
      }

      assertThat(result.requests())
          .as("seed=%s", seed)
          .hasSameSizeAs(result.events("request_queued"));
      assertThat(result.iterations())
          .as("seed=%s", seed)
          .extracting(row -> Long.parseLong(row.get("iteration_id")))
          .isSorted();
      assertThat(result.manifest())
          .as("seed=%s", seed)
          .contains("\"dropped_records\" : " + result.events("records_dropped").size());
    }
  }

  @Test
  void shouldNotWaitForACompletionThatIsMissing() throws IOException {
    final StepScript second = new StepScript(2, 30, 40).counts(0, 0, 0, 100).done(40, 41, 42);
    final EventScript script =
        EventScript.full()
            .planned(new StepScript(1, 10, 20).counts(0, 0, 0, 100))
            .planned(second)
            .completed(second)
            .planned(new StepScript(3, 50, 60).counts(0, 0, 0, 100));

    final CsvResult result = new CsvResult(temporary.resolve("out"));
    try (CsvExport export = CsvExport.begin(result.directory(), ConvertOptions.DEFAULT)) {
      script.playTo(export.visitor());
      export.publish(JournalEnd.live(script.size()));
    }

    assertThat(result.iterations())
        .extracting(row -> row.get("iteration_id") + ":" + row.get("end_time"))
        .containsExactly("0:", "1:42");
    assertThat(result.manifest()).contains("\"inconsistent_records\" : 1");
  }

  @Test
  void shouldRefuseToReplaceWhatItMayNot() throws IOException {
    final Path target = temporary.resolve("out");
    CsvResult.of(Scenarios.preemption(), target);
    final Map<String, String> before = new CsvResult(target).allText();

    assertThatThrownBy(() -> CsvExport.begin(target, ConvertOptions.DEFAULT))
        .hasMessage(target + ": the output exists; --overwrite replaces it");

    final Path file = Files.writeString(temporary.resolve("file"), "x");
    assertThatThrownBy(() -> CsvExport.begin(file, replacing()))
        .hasMessage(file + ": the output exists and is not a directory");

    Files.writeString(target.resolve("thesis.tex"), "x");
    assertThatThrownBy(() -> CsvExport.begin(target, replacing()))
        .hasMessage(
            target
                + ": the output exists and holds more than a conversion, so it will not be"
                + " replaced: file=thesis.tex");

    Files.delete(target.resolve("thesis.tex"));
    assertThat(new CsvResult(target).allText()).isEqualTo(before);
    assertThat(names(temporary)).containsExactlyInAnyOrder("out", "file");
  }

  @Test
  void shouldReplaceAnEarlierConversionOnlyAtTheEnd() throws IOException {
    final Path target = temporary.resolve("out");
    CsvResult.of(Scenarios.preemption(), target);
    final Map<String, String> before = new CsvResult(target).allText();

    try (CsvExport export = CsvExport.begin(target, replacing())) {
      EventScript.full().playTo(export.visitor());
      assertThat(new CsvResult(target).allText()).isEqualTo(before);
    }
    assertThat(new CsvResult(target).allText()).isEqualTo(before);

    try (CsvExport export = CsvExport.begin(target, replacing())) {
      EventScript.full().playTo(export.visitor());
      export.finish(JournalEnd.clean(1));
    }
    assertThat(new CsvResult(target).requests()).isEmpty();
    assertThat(names(temporary)).containsExactly("out");
  }

  @Test
  void shouldTakeAnEmptyDirectory() throws IOException {
    final Path target = Files.createDirectory(temporary.resolve("out"));

    assertThat(CsvResult.of(Scenarios.preemption(), target).requests()).hasSize(4);
  }

  private Map<String, String> convertRandom(String name) {
    return CsvResult.of(new RandomRun(42, 200, 2).script, temporary.resolve(name)).allText();
  }

  private static ConvertOptions replacing() {
    return new ConvertOptions(
        OverwriteMode.REPLACE,
        ConvertOptions.DEFAULT.text(),
        ConvertOptions.DEFAULT.iterationRequests(),
        ConvertOptions.DEFAULT.idLists());
  }

  private static List<String> names(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.map(file -> file.getFileName().toString()).toList();
    }
  }
}

package dev.headway.toolbox.output;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OutputTest {

  private static final OutputDirectory.Content RUN =
      new OutputDirectory.Content("a run", "--out", Set.of("journal", "summary.json"));

  @TempDir private Path temporary;

  @Test
  void shouldPutAFileInItsPlaceOnlyWhenItIsComplete() throws IOException {
    final Path target = temporary.resolve("trace.json.gz");

    try (OutputFile file = OutputFile.prepare(target, OverwriteMode.REFUSE)) {
      assertThat(file.scratch()).hasFileName(".tmp-0.trace.json.gz");
      Files.writeString(file.scratch(), "new");
      assertThat(target).doesNotExist();
      file.publish();
    }

    assertThat(target).hasContent("new");
    assertThat(namesIn(target.getParent())).containsExactly("trace.json.gz");
  }

  @Test
  void shouldLeaveAFileAsItWasWithoutPublish() throws IOException {
    final Path target = Files.writeString(temporary.resolve("f"), "old");

    try (OutputFile file = OutputFile.prepare(target, OverwriteMode.REPLACE)) {
      Files.writeString(file.scratch(), "new");
    }

    assertThat(target).hasContent("old");
    assertThat(namesIn(temporary)).containsExactly("f");
    assertThatThrownBy(() -> OutputFile.prepare(target, OverwriteMode.REFUSE))
        .hasMessage(target + ": the output exists; --overwrite replaces it");
    assertThatThrownBy(() -> OutputFile.prepare(temporary, OverwriteMode.REPLACE))
        .hasMessage(temporary + ": the output is a directory");
  }

  /** A directory that does not exist is rather a misspelt name than one to be made. */
  @Test
  void shouldWriteAFileOnlyIntoADirectoryThatIsThere() {
    final Path none = temporary.resolve("none");

    assertThatThrownBy(() -> OutputFile.check(none.resolve("f"), OverwriteMode.REPLACE))
        .hasMessage(
            none.resolve("f") + ": there is no such directory; make it first: mkdir -p " + none);
    assertThatThrownBy(() -> OutputFile.prepare(none.resolve("f"), OverwriteMode.REPLACE))
        .hasMessageContaining("there is no such directory");
    assertThat(none).doesNotExist();
  }

  @Test
  void shouldReplaceADirectoryWithAllThatIsInIt() throws IOException {
    final Path target = run("old");

    try (OutputDirectory output = OutputDirectory.prepare(target, OverwriteMode.REPLACE, RUN)) {
      Files.writeString(output.directory().resolve("summary.json"), "new");
      assertThat(target.resolve("summary.json")).hasContent("old");
      output.publish();
      assertThat(output.directory()).isEqualTo(target);
    }

    assertThat(namesIn(target)).containsExactly("summary.json");
    assertThat(target.resolve("summary.json")).hasContent("new");
    assertThat(namesIn(temporary)).containsExactly("out");
  }

  @Test
  void shouldReplaceALinkAndNotWhatItLeadsTo() throws IOException {
    final Path run = run("old");
    final Path link = Files.createSymbolicLink(temporary.resolve("link"), run);

    try (OutputDirectory output = OutputDirectory.prepare(link, OverwriteMode.REPLACE, RUN)) {
      output.publish();
    }

    assertThat(link).isDirectory().isEmptyDirectory();
    assertThat(run.resolve("summary.json")).hasContent("old");
  }

  @Test
  void shouldLeaveADirectoryAsItWasWithoutPublish() throws IOException {
    final Path target = run("old");

    try (OutputDirectory output = OutputDirectory.prepare(target, OverwriteMode.REPLACE, RUN)) {
      Files.createDirectory(output.directory().resolve("journal"));
    }

    assertThat(target.resolve("summary.json")).hasContent("old");
    assertThat(namesIn(temporary)).containsExactly("out");
  }

  @Test
  void shouldRefuseWhatMayNotBeReplaced() throws IOException {
    final Path target = run("old");

    assertThatThrownBy(() -> OutputDirectory.prepare(target, OverwriteMode.REFUSE, RUN))
        .isInstanceOf(FileSystemException.class)
        .hasMessage(target + ": --out exists; --overwrite replaces it");
    final Path file = target.resolve("summary.json");
    assertThatThrownBy(() -> OutputDirectory.prepare(file, OverwriteMode.REPLACE, RUN))
        .hasMessage(file + ": --out exists and is not a directory");
    Files.writeString(target.resolve("thesis.tex"), "precious");
    assertThatThrownBy(() -> OutputDirectory.prepare(target, OverwriteMode.REPLACE, RUN))
        .hasMessage(
            target
                + ": --out exists and holds more than a run, so it will not be replaced:"
                + " file=thesis.tex");
    assertThat(namesIn(temporary)).containsExactly("out");
  }

  private Path run(String summary) throws IOException {
    final Path target = temporary.resolve("out");
    Files.createDirectories(target.resolve("journal/run-000001"));
    Files.writeString(target.resolve("summary.json"), summary);
    return target;
  }

  private static Stream<String> namesIn(Path directory) throws IOException {
    try (Stream<Path> entries = Files.list(directory)) {
      return entries.map(entry -> entry.getFileName().toString()).sorted().toList().stream();
    }
  }
}

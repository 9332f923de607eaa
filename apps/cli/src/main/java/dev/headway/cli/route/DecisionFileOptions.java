package dev.headway.cli.route;

import dev.headway.cli.command.CommandMessages;
import dev.headway.cli.command.OutputParent;
import dev.headway.router.record.AttemptFile;
import dev.headway.router.record.AttemptListener;
import dev.headway.router.record.AttemptsCsv;
import dev.headway.router.record.CandidatesCsv;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The files that {@code headway route} writes its decisions to. */
final class DecisionFileOptions {

  @Option(
      names = "--decisions",
      paramLabel = "FILE",
      description = "CSV file to make, a row for each attempt: why there, when what, how it ended.")
  private @Nullable Path decisions;

  @Option(
      names = "--candidates",
      paramLabel = "FILE",
      description =
          "CSV file to make, a row for each attempt and worker: its load, what of the prompt it has cached,"
              + " its scores, and whether it was chosen or why it could not be.")
  private @Nullable Path candidates;

  private final Map<String, AttemptFile> files = new LinkedHashMap<>();

  /**
   * Begins the files that were asked for, once.
   *
   * @throws IOException if one cannot be written; {@link #close} then closes the other
   */
  AttemptListener open() throws IOException {
    if (decisions != null) {
      OutputParent.prepare(decisions);
      files.put("decisions", AttemptsCsv.create(decisions));
    }
    if (candidates != null) {
      OutputParent.prepare(candidates);
      files.put("candidates", CandidatesCsv.create(candidates));
    }
    final List<AttemptFile> all = List.copyOf(files.values());
    return attempt -> all.forEach(each -> each.onAttempt(attempt));
  }

  /** Lines for people, one per file. */
  String describe() {
    return line("decisions  ", decisions) + line("candidates ", candidates);
  }

  private static String line(String what, @Nullable Path file) {
    return file == null ? "" : "  " + what + file + "\n";
  }

  /** Writes what is left, and reports what could not be written. */
  void close(CommandMessages messages) {
    files.forEach(
        (name, file) -> {
          try {
            file.close();
          } catch (IOException e) {
            messages.say(name + " could not be written: " + e.getMessage());
          }
          if (file.dropped() > 0) {
            messages.say(
                name + " left out because the disk was too slow: attempts=" + file.dropped());
          }
        });
  }
}

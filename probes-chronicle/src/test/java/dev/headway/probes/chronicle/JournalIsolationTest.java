package dev.headway.probes.chronicle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.events.record.JournalLevel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A journal minds its own directory. */
class JournalIsolationTest {

  private static final List<String> ALLOWED = List.of("/dev/", "/proc/");

  @TempDir Path directory;

  /** Writes a journal from start to end in a JVM of its own. */
  static final class Writer {
    public static void main(String[] arguments) throws IOException {
      final Path journal = Path.of(arguments[0]);
      try (JournalProbe probe = Journals.start(journal, JournalLevel.FULL)) {
        for (int round = 0; round < 500; round++) {
          Journals.playEverything(probe);
        }
      }
      if (!Journals.read(journal).summary().isComplete()) {
        throw new IllegalStateException("journal is not complete");
      }
    }
  }

  @Test
  void shouldConnectToNothingAndWriteNowhereElse() throws Exception {
    final Path home = Files.createDirectory(directory.resolve("home"));
    final Path temporary = Files.createDirectory(directory.resolve("tmp"));
    final Path work = Files.createDirectory(directory.resolve("work"));
    final Path journal = directory.resolve("journal");
    final Path trace = directory.resolve("trace.txt");
    final List<String> tracer =
        ForkedJvm.has("strace")
            ? List.of("strace", "-f", "-qq", "-s", "300", "-o", trace.toString())
            : List.of();
    final Path log = directory.resolve("log.txt");

    final ProcessBuilder fork =
        ForkedJvm.of(
            log,
            tracer,
            List.of("-XX:-UsePerfData", "-Duser.home=" + home, "-Djava.io.tmpdir=" + temporary),
            Writer.class,
            journal.toString());
    fork.directory(work.toFile());
    fork.environment().putAll(Map.of("HOME", home.toString(), "TMPDIR", temporary.toString()));
    final Process process = fork.start();

    assertThat(process.waitFor(3, TimeUnit.MINUTES)).isTrue();
    assertThat(process.exitValue()).as(Files.readString(log)).isZero();
    assertThat(List.of(home, temporary, work))
        .allSatisfy(each -> assertThat(each).isEmptyDirectory());
    if (!tracer.isEmpty()) {
      final List<String> calls = Files.readAllLines(trace);
      // the JDK asks for unconnected sockets to learn whether there is IPv6, and closes them
      assertThat(calls)
          .noneMatch(call -> call.matches(".* (connect|bind|sendto|sendmsg|listen)\\(.*AF_INET.*"));
      assertThat(calls.subList(1, calls.size())).noneMatch(call -> call.contains(" execve("));
      assertThat(calls)
          .filteredOn(JournalIsolationTest::changesAFile)
          .isNotEmpty()
          .allMatch(
              call ->
                  call.contains("\"" + journal)
                      || call.contains(
                          "mkdir(\"" + temporary.resolve("target") + "\"") // taken away
                      || isAllowed(call));
    }
  }

  @Test
  void shouldNotHaveTelemetryOrNativeUnpackersOnTheClassPath() {
    assertThat(ForkedJvm.classPath())
        .contains("chronicle-queue")
        .doesNotContain("chronicle-analytics", "/jna", "jnr-ffi");
    assertThat(getClass().getResource("/net/openhft/chronicle/analytics/Analytics.class")).isNull();
  }

  private static boolean changesAFile(String call) {
    return !call.contains("ENOENT")
        && (call.matches(".* (mkdir|mkdirat|rename|renameat|creat|link|symlink)\\(.*")
            || call.matches(".* open(at)?\\(.*(O_WRONLY|O_RDWR|O_CREAT).*"));
  }

  private static boolean isAllowed(String call) {
    return ALLOWED.stream().anyMatch(prefix -> call.contains("\"" + prefix));
  }
}

package dev.headway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The claims of SECURITY.md name tests that exist. */
class SecurityPageTest {

  private static final Path ROOT = Path.of("..", "..");
  private static final Pattern TEST = Pattern.compile("`([A-Z]\\w*Test)(?:\\.(\\w+))?`");

  /** Ways in which data names code. */
  private static final Pattern CODE_FROM_DATA =
      Pattern.compile("ObjectInputStream|XMLDecoder|ScriptEngineManager|Class\\.forName\\((?!\")");

  private static final Map<String, String> TESTS = new TreeMap<>();
  private static String page = "";

  @BeforeAll
  static void read() throws IOException {
    page = Files.readString(ROOT.resolve("SECURITY.md"));
    sources("test").forEach(file -> TESTS.put(nameOf(file), text(file)));
  }

  private static List<Path> sources(String set) throws IOException {
    final List<Path> sources = new ArrayList<>();
    try (Stream<Path> poms = Files.find(ROOT, 3, (file, of) -> file.endsWith("pom.xml"))) {
      for (Path pom : poms.toList()) {
        final Path folder = pom.resolveSibling(Path.of("src", set, "java"));
        if (Files.isDirectory(folder)) {
          try (Stream<Path> files = Files.walk(folder)) {
            files.filter(file -> file.toString().endsWith(".java")).forEach(sources::add);
          }
        }
      }
    }
    return sources;
  }

  private static String nameOf(Path file) {
    return String.valueOf(file.getFileName()).replace(".java", "");
  }

  private static String text(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void shouldNameOnlyTestsThatExist() {
    final List<String> missing = new ArrayList<>();
    final Matcher named = TEST.matcher(page);
    int count = 0;
    while (named.find()) {
      count++;
      final String source = TESTS.getOrDefault(named.group(1), "");
      final String method = named.group(2);
      if (source.isEmpty() || (method != null && !source.contains("void " + method + "("))) {
        missing.add(named.group());
      }
    }

    assertThat(missing).isEmpty();
    assertThat(count).isGreaterThan(50);
  }

  @Test
  void shouldNameEveryFuzzTarget() throws IOException {
    final String counts = Files.readString(ROOT.resolve("docs").resolve("fuzzing.md"));

    assertThat(TESTS.keySet().stream().filter(name -> name.endsWith("FuzzTest")))
        .isNotEmpty()
        .allSatisfy(
            name -> {
              assertThat(page).contains("`" + name + "`");
              assertThat(counts).contains("`" + name + "`");
            });
  }

  @Test
  void shouldReadNoObjectsAndLoadNoClassesThatDataNames() throws IOException {
    assertThat(
            sources("main").stream()
                .filter(file -> !nameOf(file).equals("JazzerEntry")) // a class of the command line
                .filter(file -> CODE_FROM_DATA.matcher(text(file)).find()))
        .isEmpty();
  }
}

package dev.headway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/**
 * The lines of README.md and of the site's pages that begin with {@code ./headway} name commands,
 * options and values that there are. {@code site/scripts/run-commands.mjs} runs them; this test
 * only parses them, and so is fast enough for each build.
 */
class PageCommandsTest {

  private static final Path ROOT = Path.of("..", "..");

  private static final Pattern FENCE = Pattern.compile("^\\s*(`{3,}|<!-- )(sh|bash)\\b(.*)$");

  /**
   * The program where a command may begin: behind variables, a pipe, an ampersand, or in a
   * substitution.
   */
  private static final Pattern COMMAND =
      Pattern.compile("(?:^|[|&;(]\\s*|\\s)\\./headway(?=\\s|$)");

  private static final Pattern WORD =
      Pattern.compile(
          "\\s+|'([^']*)'|\"((?:\\\\.|[^\"])*)\"|([^\\s'\"|&;()<>#]+)|(.)", Pattern.DOTALL);

  /** A command of a page, and the line on which it begins. */
  private record Line(String place, String text) {}

  @Test
  void shouldNameOnlyCommandsAndOptionsThatExist() throws IOException {
    final List<String> faults = new ArrayList<>();
    final List<Line> lines = commands();

    for (Line line : lines) {
      final String[] words = words(line.text());
      try {
        HeadwayCli.commandLine().parseArgs(words);
      } catch (CommandLine.ParameterException e) {
        faults.add(line.place() + ": " + e.getMessage() + ": " + String.join(" ", words));
      }
    }

    assertThat(faults).isEmpty();
    assertThat(lines).as("commands of the pages").hasSizeGreaterThan(100);
  }

  private static List<Line> commands() throws IOException {
    final List<Line> found = new ArrayList<>();
    for (Path page : pages()) {
      final List<String> lines = Files.readAllLines(page);
      boolean isShell = false;
      for (int i = 0; i < lines.size(); i++) {
        final Matcher fence = FENCE.matcher(lines.get(i));
        if (!isShell && fence.find()) {
          isShell = !fence.group(3).contains("the form of the command");
        } else if (lines.get(i).strip().startsWith("```") || lines.get(i).equals("-->")) {
          isShell = false;
        } else if (isShell) {
          final int first = i;
          final StringBuilder text = new StringBuilder(lines.get(i));
          while (text.toString().endsWith("\\")) {
            text.setLength(text.length() - 1);
            text.append(lines.get(++i));
          }
          addCommands(found, ROOT.relativize(page) + ":" + (first + 1), text.toString());
        }
      }
    }
    return found;
  }

  private static void addCommands(List<Line> found, String place, String text) {
    final Matcher command = COMMAND.matcher(text);
    while (command.find()) {
      found.add(new Line(place, text.substring(command.end())));
    }
  }

  private static List<Path> pages() throws IOException {
    try (Stream<Path> files = Files.walk(ROOT.resolve("site"))) {
      return Stream.concat(
              Stream.of(ROOT.resolve("README.md")),
              files
                  .filter(file -> file.toString().endsWith(".md"))
                  .filter(file -> !file.toString().contains("node_modules"))
                  .sorted())
          .toList();
    }
  }

  /**
   * The words of the shell's line up to the end of its first command: a pipe, redirection or
   * comment.
   */
  private static String[] words(String text) {
    final List<String> words = new ArrayList<>();
    final StringBuilder word = new StringBuilder();
    boolean isOpen = false;
    final Matcher part = WORD.matcher(text);
    while (part.find()) {
      if (part.group(4) != null) {
        break;
      } else if (part.group().isBlank()) {
        if (isOpen) {
          words.add(word.toString());
          word.setLength(0);
        }
        isOpen = false;
      } else {
        isOpen = true;
        word.append(
            part.group(1) != null
                ? part.group(1)
                : part.group(2) != null ? part.group(2) : part.group(3));
      }
    }
    if (isOpen) {
      words.add(word.toString());
    }
    return words.toArray(String[]::new);
  }
}

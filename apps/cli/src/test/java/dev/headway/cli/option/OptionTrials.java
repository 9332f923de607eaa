package dev.headway.cli.option;

import static java.util.stream.Collectors.toCollection;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The configurations in which options are tried, from a file whose head describes its lines. A
 * later line of a command and option replaces an earlier one.
 */
final class OptionTrials {

  private static final String LOAD = "LOAD=";

  private final Map<String, List<String>> bases = new LinkedHashMap<>();
  private final Map<String, OptionTrial> trials = new LinkedHashMap<>();
  private List<String> section = List.of();

  private OptionTrials() {}

  static List<OptionTrial> read(Path file) {
    final OptionTrials made = new OptionTrials();
    try (Stream<String> lines = Files.lines(file)) {
      lines.map(String::strip).filter(OptionTrials::isMeant).forEach(made::line);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return List.copyOf(made.trials.values());
  }

  private static boolean isMeant(String line) {
    return !line.isEmpty() && !line.startsWith("#");
  }

  private void line(String line) {
    if (line.startsWith("[")) {
      section = List.of(line.substring(1, line.indexOf(']')).split(" "));
    } else if (line.startsWith("--")) {
      section.forEach(command -> trial(command, line));
    } else {
      final List<String> words = words(line);
      bases.put(words.getFirst(), words);
    }
  }

  private void trial(String command, String line) {
    final String[] reasoned = line.split(" : ", 2);
    final String[] sides = reasoned[0].split(" \\|", 2);
    final String[] expected = sides[0].strip().split(" -> ", 2);
    final OptionTrial trial =
        new OptionTrial(
            command,
            expected[0],
            base(command, sides.length == 1 ? List.of() : words(sides[1])),
            expected.length == 1 ? -1 : Integer.parseInt(expected[1]),
            reasoned.length == 1 ? "" : reasoned[1]);
    trials.put(command + " " + trial.name(), trial);
  }

  /** The command's words, with another load if there is one, and further words. */
  private List<String> base(String command, List<String> further) {
    final List<String> words = new ArrayList<>(bases.getOrDefault(command, List.of(command)));
    for (String word : further) {
      if (word.startsWith(LOAD)) {
        words.removeIf(each -> each.startsWith(LOAD));
        words.add(1, word);
      } else if (word.startsWith("!")) {
        words.removeIf(each -> each.startsWith(word.substring(1) + "="));
      } else {
        words.removeIf(each -> each.startsWith(word.replaceFirst("=.*", "=")));
        words.add(word);
      }
    }
    words.replaceAll(each -> each.startsWith(LOAD) ? each.substring(LOAD.length()) : each);
    return words;
  }

  private static List<String> words(String text) {
    return Stream.of(text.strip().split(" +")).collect(toCollection(ArrayList::new));
  }
}

package dev.headway.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.cli.CliRun;
import java.io.IOException;
import java.lang.reflect.AnnotatedElement;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import picocli.CommandLine.Model.OptionSpec;

/**
 * The site's page of options says what the fields of the commands say; written anew by {@code
 * -Dheadway.regenerateGolden=true}.
 */
class OptionPageTest {

  private static final Path PAGE = Path.of("..", "..", "site", "reference", "options.md");

  /** What picocli says where an option has no default. */
  private static final List<String> NOTHING = List.of("null", "[]", "false");

  /** What the site would make a link of. */
  private static final String ADDRESS = "https?://[^\\s,;)]*[^\\s,;:.)]";

  private static final String TABLE = "<!-- options -->\n";

  @Test
  void shouldListEveryOptionOfEveryCommand() throws IOException {
    final String written = Files.readString(PAGE);
    final String page = written.substring(0, written.indexOf(TABLE) + TABLE.length()) + table();
    if (Boolean.getBoolean("headway.regenerateGolden")) {
      Files.writeString(PAGE, page);
    }

    assertThat(Files.readString(PAGE))
        .as("%s is written anew by -Dheadway.regenerateGolden=true", PAGE)
        .isEqualTo(page);
  }

  /** A row for each meaning of a name, with the commands that have it. */
  private static String table() {
    final Map<String, TreeSet<String>> commands = new TreeMap<>();
    CliRun.commands()
        .forEach(
            (command, line) ->
                line.getCommandSpec().options().stream()
                    .filter(option -> !option.usageHelp() && !option.versionHelp())
                    .filter(option -> !option.hidden())
                    .forEach(
                        option ->
                            commands
                                .computeIfAbsent(row(option), row -> new TreeSet<>())
                                .add(command)));
    final StringBuilder table = new StringBuilder();
    table.append("\n| option | value | default | condition | what | commands |\n");
    table.append("|---|---|---|---|---|---|\n");
    commands.forEach(
        (row, having) -> table.append(row).append(String.join(", ", having)).append(" |\n"));
    return table.toString();
  }

  private static String row(OptionSpec option) {
    final List<String> names = new ArrayList<>(List.of(option.names()));
    if (option.negatable()) {
      names.add(option.longestName().replaceFirst("--", "--no-"));
    }
    final String held = option.defaultValueString(true);
    final String unset = NOTHING.contains(held) ? "" : held;
    final String what = String.join(" ", option.description()).replace(" (" + unset + ")", "");
    return "| `"
        + String.join("`, `", names)
        + "` | "
        + value(option)
        + " | "
        + code(unset)
        + " | "
        + conditions(option)
        + " | "
        + cell(what).replaceAll(ADDRESS, "`$0`")
        + " | ";
  }

  /** The label, which names the unit where there is one, and the range. */
  private static String value(OptionSpec option) {
    if (option.arity().max() == 0) {
      return "";
    }
    final InRange range = annotated(option).getAnnotation(InRange.class);
    return code(option.paramLabel()) + (range == null ? "" : " " + cell(Ranges.text(range)));
  }

  private static String conditions(OptionSpec option) {
    final List<String> all = new ArrayList<>();
    for (Needs needs : annotated(option).getAnnotationsByType(Needs.class)) {
      final String is = needs.is().length == 0 ? "" : " " + code(String.join("` or `", needs.is()));
      all.add("needs " + code(String.join("` or `", needs.value())) + is);
    }
    final Excludes excludes = annotated(option).getAnnotation(Excludes.class);
    if (excludes != null) {
      all.add("not with " + code(String.join("` or `", excludes.value())));
    }
    return String.join("; ", all);
  }

  private static AnnotatedElement annotated(OptionSpec option) {
    return option.userObject() instanceof AnnotatedElement field ? field : Object.class;
  }

  private static String code(String text) {
    return text.isEmpty() ? "" : "`" + cell(text) + "`";
  }

  private static String cell(String text) {
    return text.replace("|", "\\|").replace("<", "&lt;").replaceAll("\\s+", " ").strip();
  }
}

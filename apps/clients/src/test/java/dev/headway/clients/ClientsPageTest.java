package dev.headway.clients;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The site's table of clients says what the tests of this module show; written anew by {@code
 * -Dheadway.regenerateGolden=true}.
 */
class ClientsPageTest {

  private static final Path PAGE = Path.of("..", "..", "site", "guide", "clients.md");
  private static final Path POM = Path.of("..", "..", "pom.xml");
  private static final String BEGIN = "<!-- clients -->\n";
  private static final String END = "<!-- end of clients -->";

  @ParameterizedTest
  @EnumSource
  void shouldKnowWhatBecomesOfEveryFeature(Client client) {
    assertThat(client.shown()).containsOnlyKeys(Feature.values());
  }

  @Test
  void shouldBeTheTableOfThePage() throws IOException {
    final String written = Files.readString(PAGE);
    final String page =
        written.substring(0, written.indexOf(BEGIN) + BEGIN.length())
            + table()
            + written.substring(written.indexOf(END));
    if (Boolean.getBoolean("headway.regenerateGolden")) {
      Files.writeString(PAGE, page);
    }

    assertThat(Files.readString(PAGE))
        .as("%s is written anew by -Dheadway.regenerateGolden=true", PAGE)
        .isEqualTo(page);
  }

  private static String table() throws IOException {
    final StringBuilder table = new StringBuilder("\n| |");
    for (Client client : Client.values()) {
      table.append(' ').append(client.title()).append(' ').append(version(client)).append(" |");
    }
    table.append("\n|---|").append("---|".repeat(Client.values().length)).append('\n');
    for (Feature feature : Feature.values()) {
      table.append("| ").append(feature.text()).append(" |");
      for (Client client : Client.values()) {
        table.append(' ').append(client.shown().get(feature).text()).append(" |");
      }
      table.append('\n');
    }
    return table.append('\n').toString();
  }

  private static String version(Client client) throws IOException {
    final Matcher found =
        Pattern.compile("<" + client.versionProperty() + ">(.*)</").matcher(Files.readString(POM));
    assertThat(found.find()).as(client.versionProperty()).isTrue();
    return found.group(1);
  }
}

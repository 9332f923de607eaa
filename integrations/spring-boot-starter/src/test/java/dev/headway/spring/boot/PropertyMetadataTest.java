package dev.headway.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Editors and the site's page say what each property means; the page is written anew by {@code
 * -Dheadway.regenerateGolden=true}.
 */
class PropertyMetadataTest {

  private static final Path PAGE =
      Path.of("..", "..", "site", "reference", "spring-boot-properties.md");
  private static final String TABLE = "<!-- properties -->\n";

  private static Map<String, JsonNode> properties() {
    Map<String, JsonNode> byName = new TreeMap<>();
    JsonNode metadata =
        JsonMapper.shared()
            .readTree(
                PropertyMetadataTest.class.getResourceAsStream(
                    "/META-INF/spring-configuration-metadata.json"));
    for (JsonNode property : metadata.path("properties")) {
      String name = property.path("name").asString();
      if (!name.startsWith("management.")) { // Boot's own, of every endpoint
        byName.put(name, property);
      }
    }
    return byName;
  }

  @Test
  void shouldDescribeEveryProperty() {
    assertThat(properties())
        .hasSize(components(HeadwayProperties.class))
        .containsKeys("headway.limits.max-num-seqs", "headway.scheduling.policies")
        .allSatisfy(
            (name, property) ->
                assertThat(property.path("description").asString("")).as(name).endsWith("."));
  }

  @Test
  void shouldBeOnThePage() throws IOException {
    String written = Files.readString(PAGE);
    StringBuilder page =
        new StringBuilder(written.substring(0, written.indexOf(TABLE) + TABLE.length()));
    page.append("\n| property | value | default | what |\n|---|---|---|---|\n");
    properties().forEach((name, property) -> page.append(row(name, property)));
    if (Boolean.getBoolean("headway.regenerateGolden")) {
      Files.writeString(PAGE, page);
    }

    assertThat(Files.readString(PAGE))
        .as("%s is written anew by -Dheadway.regenerateGolden=true", PAGE)
        .isEqualTo(page.toString());
  }

  private static String row(String name, JsonNode property) {
    String unset = property.path("defaultValue").asString("");
    return "| `"
        + name
        + "` | "
        + type(property.path("type").asString())
        + " | "
        + (unset.isEmpty() ? "" : "`" + unset + "`")
        + " | "
        + property.path("description").asString("").replace("|", "\\|")
        + " |\n";
  }

  /** A name for people. */
  private static String type(String type) {
    try {
      Class<?> named = Class.forName(type);
      if (named.isEnum()) {
        return "`"
            + String.join(
                "`, `",
                Arrays.stream(named.getEnumConstants())
                    .map(each -> each.toString().toLowerCase(Locale.ROOT))
                    .map(each -> each.replace('_', '-'))
                    .toList())
            + "`";
      }
    } catch (ClassNotFoundException e) {
      // a type with arguments
    }
    return switch (type.replaceAll("<.*", "")) {
      case "java.lang.Integer", "java.lang.Long" -> "number";
      case "java.lang.Double" -> "share";
      case "java.lang.Boolean" -> "true or false";
      case "java.time.Duration" -> "time, such as `30s`";
      case "java.util.List" -> "list";
      case "java.util.Map" -> "names with values";
      case "java.lang.String" -> "text";
      default -> throw new AssertionError("no words for " + type);
    };
  }

  private static int components(Class<?> group) {
    int count = 0;
    for (RecordComponent component : group.getRecordComponents()) {
      count += component.getType().isRecord() ? components(component.getType()) : 1;
    }
    return count;
  }
}

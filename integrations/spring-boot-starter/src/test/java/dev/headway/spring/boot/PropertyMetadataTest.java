package dev.headway.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.RecordComponent;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Editors show what each property means. */
class PropertyMetadataTest {

  @Test
  void shouldDescribeEveryProperty() {
    JsonNode metadata =
        JsonMapper.shared()
            .readTree(
                getClass().getResourceAsStream("/META-INF/spring-configuration-metadata.json"));

    Map<String, String> descriptions = new TreeMap<>();
    for (JsonNode property : metadata.path("properties")) {
      descriptions.put(property.path("name").asString(), property.path("description").asString(""));
    }

    descriptions.keySet().removeIf(name -> name.startsWith("management.")); // Boot's, of endpoints

    assertThat(descriptions)
        .hasSize(properties(HeadwayProperties.class))
        .containsKeys("headway.limits.max-num-seqs", "headway.scheduling.policies")
        .allSatisfy((name, description) -> assertThat(description).as(name).endsWith("."));
  }

  private static int properties(Class<?> group) {
    int count = 0;
    for (RecordComponent component : group.getRecordComponents()) {
      count += component.getType().isRecord() ? properties(component.getType()) : 1;
    }
    return count;
  }
}

package dev.headway.probes.otel.metric;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.events.record.RejectedRecord;
import dev.headway.probes.otel.fixture.PrometheusText;
import dev.headway.probes.otel.fixture.Script;
import dev.headway.probes.otel.fixture.Step;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/** Our dashboard asks for nothing that a scrape does not have. */
class DashboardTest {

  private static final Pattern SERIES =
      Pattern.compile("\\b((?:headway_|vllm:|gen_ai_)[a-z0-9_]+)(?:\\{([^}]*)})?");
  private static final Pattern LABEL = Pattern.compile("([a-z_]+)\\s*(?:=~|!~|!=|=)");
  private static final Pattern BY = Pattern.compile("by \\(([a-z_, ]+)\\)");

  private final JsonNode dashboard;
  private final PrometheusText scrape;

  DashboardTest() throws IOException {
    try (var in =
        Objects.requireNonNull(
            Metrics.class.getResourceAsStream("/dev/headway/probes/otel/grafana-headway.json"))) {
      dashboard = new ObjectMapper().readTree(in);
    }
    final Metrics metrics = new Metrics(MetricsOptions.defaults());
    final Script script = new Script(metrics).start().queued(0, "a", 1).admitted(1, 0);
    script.step(new Step(1, 0)).firstToken(1, 0, 1_700).preempted(2, 0).step(new Step(2));
    script.finished(2, 0, "stop", 3_000);
    metrics.onRejected(new RejectedRecord("b", 1, "queue_full", "full", 1, 1, 0, null));
    metrics.close();
    scrape = PrometheusText.parse(metrics.text());
  }

  @Test
  void shouldAskForSeriesAndLabelsThatExist() {
    final List<String> expressions = expressions();

    assertThat(expressions).hasSizeGreaterThan(15);
    for (String expression : expressions) {
      final Matcher series = SERIES.matcher(expression);
      assertThat(series.find()).as(expression).isTrue();
      series.reset();
      final Set<String> labels = new HashSet<>();
      while (series.find()) {
        final List<PrometheusText.Sample> found = scrape.named(series.group(1));
        assertThat(found).as(series.group(1)).isNotEmpty();
        labels.addAll(found.get(0).labels().keySet());
        final Matcher label = LABEL.matcher(series.group(2) == null ? "" : series.group(2));
        while (label.find()) {
          assertThat(found.get(0).labels()).as(expression).containsKey(label.group(1));
        }
      }
      final Matcher by = BY.matcher(expression);
      while (by.find()) {
        assertThat(labels).as(expression).contains(by.group(1).split(", *"));
      }
    }
  }

  @Test
  void shouldBeADashboardThatGrafanaTakes() {
    assertThat(dashboard.get("title").stringValue()).isEqualTo("Headway");
    assertThat(dashboard.get("uid").stringValue()).hasSizeLessThanOrEqualTo(40);
    assertThat(dashboard.get("schemaVersion").intValue()).isGreaterThanOrEqualTo(36);
    assertThat(dashboard.get("id").isNull()).as("Grafana gives the id").isTrue();
    final Set<Integer> ids = new HashSet<>();
    final Set<String> places = new HashSet<>();
    for (JsonNode panel : dashboard.get("panels")) {
      assertThat(ids.add(panel.get("id").intValue())).isTrue();
      final JsonNode place = panel.get("gridPos");
      assertThat(place.get("x").intValue() + place.get("w").intValue()).isLessThanOrEqualTo(24);
      assertThat(places.add(place.get("x") + "/" + place.get("y"))).isTrue();
      assertThat(panel.get("title").stringValue()).isNotBlank();
      if (!panel.get("type").stringValue().equals("row")) {
        assertThat(panel.get("description").stringValue()).isNotBlank();
      }
    }
    assertThat(dashboard.get("templating").get("list").valueStream())
        .extracting(variable -> variable.get("name").stringValue())
        .containsExactly("datasource", "model_name", "engine");
  }

  private List<String> expressions() {
    final List<String> expressions = new ArrayList<>();
    for (JsonNode panel : dashboard.get("panels")) {
      if (panel.has("targets")) {
        panel.get("targets").forEach(target -> expressions.add(target.get("expr").stringValue()));
      }
    }
    return expressions;
  }
}

package dev.headway.cli.top;

import dev.headway.api.internal.SafeText;
import dev.headway.toolbox.text.Human;
import java.util.Formatter;
import java.util.Locale;
import java.util.Map;
import tools.jackson.databind.JsonNode;

/** A snapshot of the dashboard as text of at most 96 columns. */
final class TopText {

  private static final int BAR = 40;
  private static final int ID = 34;
  private static final int SLOW_SHOWN = 8;
  private static final int SECONDS = 5;

  private final JsonNode snapshot;
  private final Formatter text = new Formatter(Locale.ROOT);

  TopText(JsonNode snapshot) {
    this.snapshot = snapshot;
  }

  String write() {
    heading();
    gauges();
    queue();
    slow();
    return text.toString();
  }

  private void heading() {
    text.format(
        "headway top   %s   step %s, up %s%n",
        SafeText.of(snapshot.path("attributes").path("model").asString("")),
        Human.count(number("step")),
        Human.duration(number("up_ns")));
    text.format("%n");
  }

  private void gauges() {
    final long seats = snapshot.path("config").path("maxNumSeqs").asLong(0);
    gauge("running", number("running"), seats, "seats");
    gauge("KV cache", number("kv_blocks_used"), number("kv_blocks"), "blocks");
    text.format(
        "  %-13s%s tokens/s out, %s tokens/s of prompts%n",
        "work",
        Human.count(Math.round(recent("output_tokens"))),
        Human.count(Math.round(recent("prefill_tokens"))));
    latency("first token", snapshot.path("ttft"));
    latency("ITL", snapshot.path("itl"));
    text.format("%n");
  }

  private void gauge(String name, long used, long of, String unit) {
    final int filled = of <= 0 ? 0 : (int) Math.min(BAR, Math.round((double) BAR * used / of));
    text.format(
        "  %-13s[%s%s] %s of %s %s%n",
        name,
        "#".repeat(filled),
        " ".repeat(BAR - filled),
        Human.count(used),
        Human.count(of),
        unit);
  }

  private void latency(String name, JsonNode quantiles) {
    if (quantiles.path("count").asLong(0) > 0) {
      text.format(
          "  %-13sp50 %s, p90 %s, p99 %s over the last minute%n",
          name,
          Human.duration(quantiles.path("p50_ns").asLong()),
          Human.duration(quantiles.path("p90_ns").asLong()),
          Human.duration(quantiles.path("p99_ns").asLong()));
    }
  }

  /** The mean of the last whole seconds. */
  private double recent(String series) {
    final JsonNode values = snapshot.path("seconds").path(series);
    double sum = 0;
    for (int i = 0; i < SECONDS; i++) {
      sum += values.path(values.size() - 2 - i).asLong(0);
    }
    return sum / SECONDS;
  }

  private void queue() {
    final long preempted = number("preempted_waiting");
    text.format(
        "  %s waiting%s%n",
        Human.count(number("waiting")),
        preempted == 0 ? "" : ", " + Human.count(preempted) + " of them preempted");
    for (Map.Entry<String, JsonNode> cause : snapshot.path("waiting_for").properties()) {
      text.format(
          "    %-28s%10s%n", SafeText.of(cause.getKey()), Human.count(cause.getValue().asLong()));
    }
    text.format("%n");
  }

  private void slow() {
    text.format(
        "  %-" + ID + "s%12s%12s%12s  %s%n",
        "longest waits",
        "waited",
        "1st token",
        "in all",
        "for");
    int shown = 0;
    for (JsonNode request : snapshot.path("slow")) {
      if (shown++ == SLOW_SHOWN) {
        break;
      }
      final String id = SafeText.of(request.path("id").asString(""));
      text.format(
          "  %-" + ID + "s%12s%12s%12s  %s%n",
          id.length() < ID ? id : id.substring(0, ID - 2) + "…",
          Human.duration(request.path("ingress_ns").asLong() + request.path("waiting_ns").asLong()),
          request.has("ttft_ns") ? Human.duration(request.path("ttft_ns").asLong()) : "-",
          Human.duration(request.path("age_ns").asLong()),
          SafeText.of(request.path("main_reason").asString("-")));
    }
  }

  private long number(String name) {
    return snapshot.path(name).asLong(0);
  }
}

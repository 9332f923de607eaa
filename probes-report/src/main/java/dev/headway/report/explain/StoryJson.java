package dev.headway.report.explain;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.events.record.FinishedRecord;
import dev.headway.events.record.QueuedRecord;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.util.DefaultIndenter;
import tools.jackson.core.util.DefaultPrettyPrinter;
import tools.jackson.databind.json.JsonMapper;

/**
 * A story for programs. Instants are nanoseconds of the run, as in the CSV files; what is absent is
 * left out.
 */
final class StoryJson {

  private static final JsonMapper MAPPER = new JsonMapper();

  private final Story story;
  private final Names names;
  private final List<String> notes;

  StoryJson(Story story, Names names, List<String> notes) {
    this.story = story;
    this.names = names;
    this.notes = notes;
  }

  String write() {
    final Node node = new Node();
    node.put("format", "headway-explain");
    node.put("schema_version", 1);
    final QueuedRecord request = story.request();
    node.put("request_id", request.requestId());
    node.put("run", story.run());
    node.put("request_number", request.requestNumber());
    node.put("level", story.header().level());
    node.put("arrival_time", request.arrivalNs());
    node.put("queued_time", request.queuedNs());
    node.put("input_tokens", request.promptTokens());
    node.put("max_tokens", request.maxTokens());
    node.put("priority", request.priority());
    node.put("tenant", request.tenant());
    node.put("adapter", request.adapter());
    node.ns("ttft_target_ns", request.ttftTargetNs());
    node.ns("timeout_ns", request.timeoutNs());
    node.put("status", story.end() == null ? "unfinished" : "finished");
    end(node, story.end());
    node.put("until_time", story.untilNs());
    node.put("e2e_latency", story.account().totalNs());
    node.put("waiting_time", story.account().waitedNs());
    node.ns("first_token_time", story.firstTokenNs());
    gaps(node);
    node.put("complete", !story.isIncomplete());
    node.put("account", story.account().lines().stream().map(StoryJson::line).toList());
    node.put("moments", story.moments().stream().map(this::moment).toList());
    node.put("advice", new Advice(story, names).sentences());
    node.put("notes", notes);
    return text(node.fields) + "\n";
  }

  static String text(Object value) {
    final DefaultIndenter indenter = new DefaultIndenter("  ", "\n");
    final DefaultPrettyPrinter printer =
        new DefaultPrettyPrinter().withObjectIndenter(indenter).withArrayIndenter(indenter);
    return MAPPER.writer().with(printer).writeValueAsString(value);
  }

  /** An object whose absent fields are left out. */
  static final class Node {
    final Map<String, Object> fields = new LinkedHashMap<>();

    Node put(String name, @Nullable Object value) {
      if (value != null) {
        fields.put(name, value);
      }
      return this;
    }

    Node ns(String name, long ns) {
      return put(name, ns == ABSENT ? null : ns);
    }
  }

  private static void end(Node node, @Nullable FinishedRecord end) {
    if (end != null) {
      node.put("finish_reason", end.reason());
      node.put("stop_token_id", end.stopTokenId() < 0 ? null : end.stopTokenId());
      node.put("cause", end.cause());
      node.put("output_tokens", end.outputTokens() < 0 ? null : end.outputTokens());
    }
  }

  private void gaps(Node node) {
    final TokenTimes tokens = story.tokens();
    final TokenTimes.Origin origin = tokens.longestGapOrigin();
    if (origin != null) {
      node.put(
          "gaps",
          new Node()
              .put("count", tokens.count() - 1)
              .put("p50_ns", tokens.medianGapNs())
              .put("max_ns", tokens.longestGapNs())
              .put("max_before_token", tokens.tokenAfterLongestGap())
              .put("max_iteration_id", origin.stepId() - 1)
              .put("max_iteration_tokens", origin.stepTokens())
              .put("max_iteration_prefill_tokens", origin.promptTokens())
              .put("max_because", origin.interruption())
              .fields);
    }
  }

  private static Map<String, Object> line(TimeAccount.Line line) {
    return new Node()
        .put("phase", line.phase().label())
        .put("label", line.label())
        .put("ns", line.ns())
        .put("before_first_token_ns", line.beforeFirstTokenNs())
        .fields;
  }

  private Map<String, Object> moment(Moment moment) {
    final Node node = new Node();
    switch (moment) {
      case Stretch stretch -> stretch(node, stretch);
      case Setback setback -> setback(node, setback);
      case Moment.Arrived arrived -> node.put("type", "arrived");
      case Moment.Queued queued -> queued(node.put("type", "queued"), queued);
      case Moment.Admitted admitted ->
          node.put("type", "admitted")
              .put("iteration_id", admitted.stepId() - 1)
              .put("kind", admitted.kind())
              .put("waited_ns", admitted.waitedNs())
              .put("cached_tokens", admitted.cachedTokens())
              .put("host_cached_tokens", admitted.hostCachedTokens())
              .put("evicted_tokens", admitted.lostTokens())
              .put("rank", rank(admitted.rank()));
      case Moment.FirstToken first ->
          node.put("type", "first_token").put("iteration_id", first.stepId() - 1);
      case Moment.Journey journey ->
          node.put("type", "journey")
              .put("stage", journey.stage())
              .put("reason", journey.reason())
              .put("error", journey.error());
      case Moment.Dropped dropped ->
          node.put("type", "records_dropped").put("records", dropped.records());
      case Moment.Ended ended -> node.put("type", "ended").put("reason", ended.end().reason());
    }
    node.put("time", moment.atNs());
    return node.fields;
  }

  private static void queued(Node node, Moment.Queued queued) {
    final StepUnderWay step = queued.heldBy();
    if (step != null) {
      node.put("held_by_iteration", step.stepId() - 1)
          .put("iteration_ns", step.totalNs())
          .put("scheduling_ns", step.schedulingNs());
    }
  }

  private void stretch(Node node, Stretch stretch) {
    node.put("type", stretch.phase().isWaiting() ? "waited" : "ran");
    node.put("phase", stretch.phase().label()).put("label", stretch.label());
    node.put("until", stretch.untilNs()).put("ns", stretch.totalNs());
    node.put("iterations", stretch.steps());
    if (stretch.steps() > 0) {
      node.put("first_iteration", stretch.firstStep() - 1);
      node.put("last_iteration", stretch.lastStep() - 1);
    }
    if (stretch.tokens() > 0) {
      node.put("scheduled_tokens", stretch.tokens());
      node.put("largest_chunk", stretch.largestChunk());
    }
    if (!stretch.obstacles().isEmpty()) {
      final List<Object> obstacles = new ArrayList<>();
      for (int i = 0; i < stretch.obstacles().size(); i++) {
        obstacles.add(obstacle(stretch, i));
      }
      node.put("obstacles", obstacles);
    }
    final Ranks ranks = stretch.ranks();
    if (ranks != null) {
      node.put("passed_over", ranks.steps());
      node.put("first_rank", rank(ranks.first())).put("last_rank", rank(ranks.last()));
    }
  }

  private Map<String, Object> obstacle(Stretch stretch, int index) {
    final Obstacle obstacle = stretch.obstacles().get(index);
    final Node node = new Node();
    node.put("since", obstacle.sinceNs()).put("ns", stretch.lengthNs(index));
    node.put("blocked_by", name(obstacle.blocker()));
    if (obstacle.hasFigures()) {
      node.put("needed", obstacle.needed()).put("free", obstacle.free());
      node.put("unit", Words.countsBlocks(stretch.label()) ? "kv_blocks" : "tokens");
    }
    final Obstacle.Refusal head = obstacle.headRefusal();
    if (head != null) {
      node.put("blocker_reason", head.reason());
      node.put("blocker_needed", head.needed()).put("blocker_free", head.free());
    }
    return node.fields;
  }

  private void setback(Node node, Setback setback) {
    node.put("type", "preempted")
        .put("iteration_id", setback.stepId() - 1)
        .put("cause", setback.cause())
        .put("beneficiary", name(setback.beneficiary()))
        .put("lost_tokens", setback.lostTokens())
        .put("freed_blocks", setback.freedBlocks())
        .put("recomputed_tokens", setback.recomputedTokens())
        .ns("resumed_time", setback.resumedNs())
        .ns("recovered_time", setback.recoveredNs());
  }

  private @Nullable String name(long number) {
    return number < 0 ? null : names.of(number);
  }

  private static @Nullable Object rank(Ranks.@Nullable Rank rank) {
    return rank == null
        ? null
        : new Node()
            .put("iteration_id", rank.stepId() - 1)
            .put("rank", rank.rank())
            .put("of", rank.of())
            .put("score", rank.score())
            .fields;
  }
}

package dev.headway.report.explain;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.events.model.StepTimeline;
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
 * A explanation for programs. Instants are nanoseconds of the run, as in the CSV files; what is
 * absent is left out.
 */
final class ExplanationJson {

  private static final JsonMapper MAPPER = new JsonMapper();

  private final RequestExplanation explanation;
  private final List<String> notes;

  ExplanationJson(RequestExplanation explanation, List<String> notes) {
    this.explanation = explanation;
    this.notes = notes;
  }

  String write() {
    final Node node = new Node();
    node.put("format", "headway-explain");
    node.put("schema_version", 1);
    final QueuedRecord request = explanation.request().queued();
    node.put("request_id", request.requestId());
    node.put("run", explanation.run().index());
    node.put("request_number", request.requestNumber());
    node.put("level", explanation.header().level());
    node.put("arrival_time", request.arrivalNs());
    node.put("queued_time", request.queuedNs());
    node.put("input_tokens", request.promptTokens());
    node.put("max_tokens", request.maxTokens());
    node.put("priority", request.priority());
    node.put("tenant", request.tenant());
    node.put("adapter", request.adapter());
    node.ns("ttft_target_ns", request.ttftTargetNs());
    node.ns("timeout_ns", request.timeoutNs());
    node.ns("queue_timeout_ns", request.queueTimeoutNs());
    node.ns("run_timeout_ns", request.runTimeoutNs());
    node.put("status", explanation.request().end() == null ? "unfinished" : "finished");
    end(node, explanation.request().end());
    node.put("until_time", explanation.untilNs());
    node.put("e2e_latency", explanation.account().totalNs());
    node.put("waiting_time", explanation.request().waits().totalNs());
    node.ns("first_token_time", explanation.request().firstTokenNs());
    gaps(node);
    node.put("complete", !explanation.isIncomplete());
    node.put("account", explanation.account().lines().stream().map(ExplanationJson::line).toList());
    node.put("moments", explanation.entries().stream().map(ExplanationJson::entry).toList());
    node.put("advice", new Advice(explanation).sentences());
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
    final TokenTimes tokens = explanation.tokens();
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
        .put("root_reason", line.phase().isWaiting() ? line.root() : null)
        .put("ns", line.ns())
        .put("before_first_token_ns", line.beforeFirstTokenNs())
        .fields;
  }

  private static Map<String, Object> entry(TimelineEntry entry) {
    final Node node = new Node();
    switch (entry) {
      case Interval interval -> interval(node, interval);
      case PreemptionCost preemption -> preemption(node, preemption);
      case TimelineEntry.Arrived arrived -> node.put("type", "arrived");
      case TimelineEntry.Queued queued -> queued(node.put("type", "queued"), queued);
      case TimelineEntry.Admitted admitted ->
          node.put("type", "admitted")
              .put("iteration_id", admitted.record().stepId() - 1)
              .put("kind", admitted.record().kind())
              .put("waited_ns", admitted.waitedNs())
              .put("cached_tokens", admitted.record().cachedTokens())
              .put("host_cached_tokens", admitted.record().hostCachedTokens())
              .put("external_tokens", admitted.record().externalTokens())
              .put("evicted_tokens", admitted.record().evictedTokens())
              .put("rank", rank(admitted.rank()));
      case TimelineEntry.Evicted evicted ->
          node.put("type", "evicted")
              .put("iteration_id", evicted.stepId() - 1)
              .put("evicted_tokens", evicted.tokens());
      case TimelineEntry.FirstToken first ->
          node.put("type", "first_token").put("iteration_id", first.stepId() - 1);
      case TimelineEntry.Journey journey ->
          node.put("type", "journey")
              .put("stage", journey.record().stage())
              .put("reason", journey.record().reason())
              .put("error", journey.record().error());
      case TimelineEntry.Dropped dropped ->
          node.put("type", "records_dropped").put("records", dropped.records());
      case TimelineEntry.Ended ended ->
          node.put("type", "ended").put("reason", ended.end().reason());
    }
    node.put("time", entry.atNs());
    return node.fields;
  }

  private static void queued(Node node, TimelineEntry.Queued queued) {
    final StepTimeline step = queued.heldBy();
    if (step != null) {
      node.put("held_by_iteration", step.plan().stepId() - 1)
          .put("iteration_ns", step.durationNs())
          .put("scheduling_ns", step.scheduleNs());
    }
  }

  private static void interval(Node node, Interval interval) {
    node.put("type", interval.phase().isWaiting() ? "waited" : "ran");
    node.put("phase", interval.phase().label()).put("label", interval.label());
    node.put("until", interval.untilNs()).put("ns", interval.totalNs());
    node.put("iterations", interval.steps());
    if (interval.steps() > 0) {
      node.put("first_iteration", interval.firstStep() - 1);
      node.put("last_iteration", interval.lastStep() - 1);
    }
    if (interval.tokens() > 0) {
      node.put("scheduled_tokens", interval.tokens());
      node.put("largest_chunk", interval.largestChunk());
    }
    if (!interval.blockers().isEmpty()) {
      final List<Object> blockers = new ArrayList<>();
      for (int i = 0; i < interval.blockers().size(); i++) {
        blockers.add(blocker(interval, i));
      }
      node.put("obstacles", blockers);
    }
    final Interval.Seats seats = interval.seats();
    if (seats != null) {
      node.put("seats_held_by", seats.ids()).put("seats_held", seats.count());
    }
    final Ranks ranks = interval.ranks();
    if (ranks != null) {
      node.put("passed_over", ranks.steps());
      node.put("first_rank", rank(ranks.first())).put("last_rank", rank(ranks.last()));
    }
  }

  private static Map<String, Object> blocker(Interval interval, int index) {
    final Blocker blocker = interval.blockers().get(index);
    final Node node = new Node();
    node.put("since", blocker.sinceNs()).put("ns", interval.lengthNs(index));
    node.put("blocked_by", name(blocker.request()));
    if (blocker.hasFigures()) {
      node.put("needed", blocker.needed()).put("free", blocker.free());
      node.put("unit", Phrases.countsBlocks(interval.label()) ? "kv_blocks" : "tokens");
    }
    final Blocker.Refusal head = blocker.headRefusal();
    if (head != null) {
      node.put("blocker_reason", head.reason());
      node.put("blocker_needed", head.needed()).put("blocker_free", head.free());
    }
    return node.fields;
  }

  private static void preemption(Node node, PreemptionCost preemption) {
    node.put("type", "preempted")
        .put("iteration_id", preemption.record().stepId() - 1)
        .put("cause", preemption.record().cause())
        .put("beneficiary", name(preemption.beneficiary()))
        .put("lost_tokens", preemption.record().lostTokens())
        .put("freed_blocks", preemption.record().freedBlocks())
        .put("recomputed_tokens", preemption.recomputedTokens())
        .ns("resumed_time", preemption.resumedNs())
        .ns("recovered_time", preemption.recoveredNs());
  }

  private static @Nullable String name(@Nullable RequestName request) {
    return request == null ? null : request.id();
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

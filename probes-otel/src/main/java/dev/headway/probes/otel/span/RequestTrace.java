package dev.headway.probes.otel.span;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.events.model.RequestTimeline;
import dev.headway.events.record.QueuedRecord;
import dev.headway.probes.otel.run.FinishWords;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A request in the engine, from its queueing or refusal to its end, and what happened to it. */
final class RequestTrace {

  private static final String BY_RATE = "rate";

  private final QueuedRecord request;
  private final @Nullable RequestTimeline timeline;
  private final TraceIds ids;
  private final @Nullable TraceParent caller;
  private final boolean chosen;
  private final List<CoreEvent> events = new ArrayList<>(4);

  private @Nullable ApiJourney journey;
  private int droppedEvents;
  private int chunks;
  private @Nullable CoreEvent end;

  /** A request; one that was refused has no {@code timeline}. */
  RequestTrace(
      QueuedRecord request,
      @Nullable RequestTimeline timeline,
      TraceIds ids,
      @Nullable TraceParent caller,
      boolean chosen) {
    this.request = request;
    this.timeline = timeline;
    this.ids = ids;
    this.caller = caller;
    this.chosen = chosen;
  }

  /** Tokens generated, as far as recorded: at level summary only the first. */
  static int outputTokens(RequestTimeline request) {
    return Math.max(request.finalOutputTokens(), request.firstTokenNs() == ABSENT ? 0 : 1);
  }

  /** The event that would say what happens now; {@code add} or {@code end} takes it. */
  CoreEvent event(String type, long atNs, long stepId, CoreEvent.@Nullable Detail detail) {
    return timeline == null
        ? new CoreEvent(type, atNs, stepId, 0, 0, 0, detail)
        : new CoreEvent(
            type,
            atNs,
            stepId,
            timeline.promptComputedTokens(),
            outputTokens(timeline),
            timeline.preemptions(),
            detail);
  }

  void add(CoreEvent event) {
    events.add(event);
  }

  void dropEvent() {
    droppedEvents++;
  }

  /** Its terminal event; nothing comes after it. */
  void end(CoreEvent event) {
    if (end != null) {
      throw new IllegalStateException(
          "a request must end once: id="
              + request.requestId()
              + ", ended="
              + end.type()
              + ", again="
              + event.type());
    }
    end = event;
  }

  void admitted() {
    chunks = 0;
  }

  /** The number of a chunk of the prompt, from 0 since its admission. */
  int nextChunk() {
    return chunks++;
  }

  int chunks() {
    return chunks;
  }

  void attach(ApiJourney apiJourney) {
    journey = apiJourney;
  }

  /** Why it is exported: {@code rate}, the first tail rule that holds, or null if it is not. */
  @Nullable String sampledBy(Set<TailRule> rules) {
    if (chosen) {
      return BY_RATE;
    }
    for (TailRule rule : TailRule.values()) {
      if (rules.contains(rule) && isMetBy(rule)) {
        return rule.name().toLowerCase(Locale.ROOT);
      }
    }
    return null;
  }

  QueuedRecord request() {
    return request;
  }

  TraceIds ids() {
    return ids;
  }

  @Nullable TraceParent caller() {
    return caller;
  }

  boolean isChosen() {
    return chosen;
  }

  boolean isEnded() {
    return end != null;
  }

  boolean missedTarget() {
    return timeline != null && timeline.missedTtftTarget();
  }

  @Nullable CoreEvent end() {
    return end;
  }

  @Nullable ApiJourney journey() {
    return journey;
  }

  int promptTokens() {
    return request.promptTokens();
  }

  int maxTokens() {
    return request.maxTokens();
  }

  /** Events but the last, oldest first. */
  List<CoreEvent> events() {
    return events;
  }

  int droppedEvents() {
    return droppedEvents;
  }

  private boolean isMetBy(TailRule rule) {
    return switch (rule) {
      case PREEMPTION -> timeline != null && timeline.preemptions() > 0;
      case ERROR -> timeline == null || hasFailed(timeline.finishReason());
      case MISSED_TTFT_TARGET -> missedTarget();
    };
  }

  private static boolean hasFailed(@Nullable String finishReason) {
    return finishReason != null && FinishWords.isError(finishReason);
  }
}

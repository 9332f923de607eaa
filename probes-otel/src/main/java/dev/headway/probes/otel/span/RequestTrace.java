package dev.headway.probes.otel.span;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.events.record.QueuedRecord;
import dev.headway.probes.otel.run.Progress;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A request in the engine, from its queueing or refusal to its end, and what happened to it. */
final class RequestTrace {

  private static final String BY_RATE = "rate";

  private final QueuedRecord request;
  private final TraceIds ids;
  private final @Nullable TraceParent caller;
  private final boolean chosen;
  private final Set<TailRule> reasons = EnumSet.noneOf(TailRule.class);
  private final Progress progress;
  private final List<CoreEvent> events = new ArrayList<>(4);

  private @Nullable ApiJourney journey;
  private int droppedEvents;
  private int preemptions;
  private int chunks;
  private boolean hasFirstToken;
  private boolean running;
  private int finalOutputTokens = -1;
  private @Nullable CoreEvent end;

  RequestTrace(QueuedRecord request, TraceIds ids, @Nullable TraceParent caller, boolean chosen) {
    this.request = request;
    this.ids = ids;
    this.caller = caller;
    this.chosen = chosen;
    this.progress = new Progress(request.promptTokens());
  }

  /** The event that would say what happens now; {@code add} or {@code end} takes it. */
  CoreEvent event(String type, long atNs, long stepId, CoreEvent.@Nullable Detail detail) {
    return CoreEvent.of(type, atNs, stepId, progress, preemptions, detail)
        .withOutputTokens(outputTokens());
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
    running = false;
    finalOutputTokens = event.outputTokens();
  }

  void admitted(int cachedTokens, int blockSize) {
    running = true;
    chunks = 0;
    progress.admitted(cachedTokens, blockSize);
  }

  void preempted() {
    running = false;
    preemptions++;
    progress.preempted();
    reasons.add(TailRule.PREEMPTION);
  }

  /** Its first token came; at {@code nowNs}. */
  void firstToken(long nowNs) {
    hasFirstToken = true;
    checkTarget(nowNs);
  }

  /** It ended, maybe without a token in the time it wanted one. */
  void checkTargetAtEnd(long nowNs) {
    if (!hasFirstToken) {
      checkTarget(nowNs);
    }
  }

  void failed() {
    reasons.add(TailRule.ERROR);
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

  /** Who chose it for export: {@code rate}, the first tail rule that holds, or null for nobody. */
  @Nullable String sampledBy(Set<TailRule> rules) {
    if (chosen) {
      return BY_RATE;
    }
    for (TailRule reason : reasons) {
      if (rules.contains(reason)) {
        return reason.name().toLowerCase(Locale.ROOT);
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

  boolean isRunning() {
    return running;
  }

  boolean isEnded() {
    return end != null;
  }

  boolean missedTarget() {
    return reasons.contains(TailRule.MISSED_TTFT_TARGET);
  }

  @Nullable CoreEvent end() {
    return end;
  }

  @Nullable ApiJourney journey() {
    return journey;
  }

  Progress progress() {
    return progress;
  }

  int preemptions() {
    return preemptions;
  }

  int promptTokens() {
    return request.promptTokens();
  }

  int maxTokens() {
    return request.maxTokens();
  }

  /** Tokens generated, as far as the records tell. */
  int outputTokens() {
    return finalOutputTokens >= 0
        ? finalOutputTokens
        : Math.max(progress.outputTokens(), hasFirstToken ? 1 : 0);
  }

  /** Events but the last, oldest first. */
  List<CoreEvent> events() {
    return events;
  }

  int droppedEvents() {
    return droppedEvents;
  }

  private void checkTarget(long nowNs) {
    final long targetNs = request.ttftTargetNs();
    if (targetNs != ABSENT && nowNs - request.arrivalNs() > targetNs) {
      reasons.add(TailRule.MISSED_TTFT_TARGET);
    }
  }
}

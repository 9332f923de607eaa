package dev.headway.report.explain;

import dev.headway.events.model.RequestTimeline;
import dev.headway.events.model.RunTimeline;
import dev.headway.events.record.RunStartedRecord;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/** What a journal says of one request. */
final class RequestExplanation {

  private static final String SUMMARY = "summary";

  private final RunTimeline run;
  private final RequestTimeline request;
  private final TimeAccount account;
  private final List<TimelineEntry> entries = new ArrayList<>();
  private final TokenTimes tokens = new TokenTimes();
  private long untilNs;

  RequestExplanation(RunTimeline run, RequestTimeline request) {
    final long arrivalNs = request.queued().arrivalNs();
    this.run = run;
    this.request = request;
    final String ingress = request.ingress().reason();
    this.account =
        new TimeAccount(
            AccountPhase.BEFORE_QUEUE, ingress == null ? Activity.SUBMITTED : ingress, arrivalNs);
    add(new TimelineEntry.Arrived(arrivalNs));
  }

  RunTimeline run() {
    return run;
  }

  RequestTimeline request() {
    return request;
  }

  RunStartedRecord header() {
    return run.header();
  }

  /** The settings of the run as they were at an instant. */
  Map<String, String> configAt(long instantNs) {
    return run.configAt(instantNs);
  }

  long arrivalNs() {
    return request.queued().arrivalNs();
  }

  TimeAccount account() {
    return account;
  }

  TokenTimes tokens() {
    return tokens;
  }

  void add(TimelineEntry entry) {
    entries.add(entry);
  }

  /** In order of time. */
  List<TimelineEntry> entries() {
    final List<TimelineEntry> ordered = new ArrayList<>(entries);
    ordered.sort(Comparator.comparingLong(TimelineEntry::atNs));
    return ordered;
  }

  /** The entries of a kind, in order of time. */
  <E extends TimelineEntry> List<E> entries(Class<E> kind) {
    return entries().stream().filter(kind::isInstance).map(kind::cast).toList();
  }

  /** The request ended, or the journal did. */
  void close(long nowNs) {
    untilNs = nowNs;
    account.close(nowNs);
  }

  /** Its end, or the last instant of the journal. */
  long untilNs() {
    return untilNs;
  }

  /** Whether the writer dropped records while it lived, so that something may be missing. */
  boolean isIncomplete() {
    return entries.stream().anyMatch(TimelineEntry.Dropped.class::isInstance);
  }

  /** Whether the journal has waits and the work of each step. */
  boolean hasDetails() {
    return !header().level().equals(SUMMARY);
  }
}

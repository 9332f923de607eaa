package dev.headway.report.explain;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.events.record.FinishedRecord;
import dev.headway.events.record.QueuedRecord;
import dev.headway.events.record.RunStartedRecord;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** What a journal tells of one request. */
final class Story {

  private final int run;
  private final RunStartedRecord header;
  private final QueuedRecord request;
  private final TimeAccount account;
  private final List<Moment> moments = new ArrayList<>();
  private final TokenTimes tokens = new TokenTimes();
  private long firstTokenNs = ABSENT;
  private long untilNs;
  private @Nullable FinishedRecord end;
  private boolean incomplete;

  Story(int run, RunStartedRecord header, QueuedRecord request) {
    this.run = run;
    this.header = header;
    this.request = request;
    this.untilNs = request.queuedNs();
    this.account = new TimeAccount(Phase.BEFORE_QUEUE, Activity.SUBMITTED, request.arrivalNs());
    add(new Moment.Arrived(request.arrivalNs()));
  }

  /** Which run of the journal, from 0. */
  int run() {
    return run;
  }

  RunStartedRecord header() {
    return header;
  }

  QueuedRecord request() {
    return request;
  }

  TimeAccount account() {
    return account;
  }

  TokenTimes tokens() {
    return tokens;
  }

  void add(Moment moment) {
    moments.add(moment);
  }

  /** In order of time. */
  List<Moment> moments() {
    final List<Moment> ordered = new ArrayList<>(moments);
    ordered.sort(Comparator.comparingLong(Moment::atNs));
    return ordered;
  }

  /** The moments of a kind, in order of time. */
  <M extends Moment> List<M> moments(Class<M> kind) {
    return moments().stream().filter(kind::isInstance).map(kind::cast).toList();
  }

  void firstToken(long nowNs) {
    firstTokenNs = nowNs;
    account.markFirstToken(nowNs);
  }

  /** When its first token was there, or absent. */
  long firstTokenNs() {
    return firstTokenNs;
  }

  void end(FinishedRecord finished) {
    end = finished;
    untilNs = finished.atNs();
    account.close(untilNs);
  }

  /** The journal ends first. */
  void cut(long nowNs) {
    untilNs = nowNs;
    account.close(nowNs);
  }

  /** How it ended, or null if the journal does not say. */
  @Nullable FinishedRecord end() {
    return end;
  }

  /** Its end, or the last instant that the journal knows. */
  long untilNs() {
    return untilNs;
  }

  /** Records about it may be missing. */
  void markIncomplete() {
    incomplete = true;
  }

  boolean isIncomplete() {
    return incomplete;
  }

  /** Whether the journal has waits and the work of each step. */
  boolean hasDetails() {
    return !header.level().equals("summary");
  }

  /** Numbers of the other requests that it mentions. */
  Set<Long> strangers() {
    final Set<Long> numbers = new TreeSet<>();
    for (Moment moment : moments) {
      switch (moment) {
        case Stretch stretch -> {
          stretch.obstacles().forEach(obstacle -> numbers.add(obstacle.blocker()));
          final Ranks ranks = stretch.ranks();
          if (ranks != null) {
            numbers.add(ranks.last().leader());
          }
        }
        case Setback setback -> numbers.add(setback.beneficiary());
        case Moment.Point point -> {}
      }
    }
    numbers.remove(ABSENT);
    numbers.remove(request.requestNumber());
    return numbers;
  }
}

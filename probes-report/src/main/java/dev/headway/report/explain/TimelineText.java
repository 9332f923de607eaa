package dev.headway.report.explain;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.events.model.StepTimeline;
import dev.headway.events.record.AdmittedRecord;
import dev.headway.events.record.FinishedRecord;
import dev.headway.events.record.JourneyRecord;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What happened, one entry after the other. */
final class TimelineText {

  /** A stay in the queue with more changes of reason than this is shortened. */
  private static final int INTERVALS_SHOWN = 8;

  private static final int SHOWN_AT_EACH_END = 3;

  private final RequestExplanation explanation;
  private final TextLayout page;
  private final long arrivalNs;

  TimelineText(RequestExplanation explanation, TextLayout page) {
    this.explanation = explanation;
    this.page = page;
    this.arrivalNs = explanation.arrivalNs();
  }

  void write() {
    final List<Interval> stay = new ArrayList<>();
    for (TimelineEntry entry : explanation.entries()) {
      if (entry instanceof Interval interval && interval.phase().isWaiting()) {
        stay.add(interval);
      } else {
        writeStay(stay);
        stay.clear();
        write(entry);
      }
    }
    writeStay(stay);
  }

  private void write(TimelineEntry entry) {
    final long offsetNs = entry.atNs() - arrivalNs;
    switch (entry) {
      case Interval interval -> working(offsetNs, interval);
      case PreemptionCost preemption -> preemption(offsetNs, preemption);
      case TimelineEntry.Arrived arrived -> page.at(offsetNs, "arrived");
      case TimelineEntry.Queued queued -> queued(offsetNs, queued);
      case TimelineEntry.Admitted admitted -> admitted(offsetNs, admitted);
      case TimelineEntry.Evicted evicted ->
          page.at(
              offsetNs,
              "lost "
                  + Phrases.plural(evicted.tokens(), "computed token")
                  + " in iteration "
                  + iteration(evicted.stepId())
                  + ": other requests took its cached KV blocks");
      case TimelineEntry.FirstToken first ->
          page.at(
              offsetNs,
              "first token, "
                  + Durations.human(offsetNs)
                  + " after its arrival (iteration "
                  + iteration(first.stepId())
                  + ")");
      case TimelineEntry.Journey journey -> journey(offsetNs, journey.record());
      case TimelineEntry.Dropped dropped ->
          page.at(
              offsetNs, "here the writer dropped " + Phrases.plural(dropped.records(), "record"));
      case TimelineEntry.Ended ended -> page.at(offsetNs, "ended: " + end(explanation));
    }
  }

  private void queued(long offsetNs, TimelineEntry.Queued queued) {
    page.at(offsetNs, "entered the queue");
    final StepTimeline step = queued.heldBy();
    if (step != null) {
      page.more(
          "iteration "
              + iteration(step.plan().stepId())
              + " was under way when it arrived, for "
              + Durations.human(step.durationNs())
              + ", "
              + Durations.human(step.scheduleNs())
              + " of it scheduling; the engine takes requests over between steps");
    }
  }

  private void writeStay(List<Interval> stay) {
    if (stay.size() <= INTERVALS_SHOWN) {
      stay.forEach(this::waited);
      return;
    }
    stay.subList(0, SHOWN_AT_EACH_END).forEach(this::waited);
    final List<Interval> between = stay.subList(SHOWN_AT_EACH_END, stay.size() - SHOWN_AT_EACH_END);
    final Map<String, Long> ns = new LinkedHashMap<>();
    between.forEach(interval -> ns.merge(interval.label(), interval.totalNs(), Long::sum));
    page.at(
        between.get(0).atNs() - arrivalNs,
        "its reason changed another " + Phrases.plural(between.size(), "time") + ", in all:");
    ns.forEach((label, totalNs) -> page.more("  " + label + " " + Durations.both(totalNs)));
    stay.subList(stay.size() - SHOWN_AT_EACH_END, stay.size()).forEach(this::waited);
  }

  private void waited(Interval interval) {
    if (interval.totalNs() == 0 && interval.steps() == 0) {
      return; // replaced at the instant at which it began
    }
    page.at(
        interval.atNs() - arrivalNs,
        "waited "
            + Durations.both(interval.totalNs())
            + (interval.steps() == 0 ? "" : ", " + iterations(interval))
            + ": "
            + interval.label());
    page.more(because(interval));
    final Ranks ranks = interval.ranks();
    if (ranks != null) {
      page.more(ranks(ranks));
    }
  }

  private String because(Interval interval) {
    final Blocker longest = interval.longestBlocker();
    if (longest == null) {
      return Phrases.meaning(interval.label(), explanation.configAt(interval.untilNs()))
          + seats(interval);
    }
    final StringBuilder text = new StringBuilder(inTheWay(interval, longest));
    final Blocker.Refusal head = longest.headRefusal();
    if (head != null) {
      text.append(", which had ").append(head.reason());
      if (head.hasFigures()) {
        text.append(" (")
            .append(Phrases.figures(head.reason(), head.needed(), head.free()))
            .append(')');
      }
    }
    if (longest.hasFigures()) {
      text.append("; ").append(Phrases.figures(interval.label(), longest.needed(), longest.free()));
    }
    final int others = interval.blockers().size() - 1;
    if (others > 0 && longest.request() != null) {
      text.append("; ")
          .append(Durations.human(interval.lengthNs(interval.blockers().indexOf(longest))))
          .append(" of it, and ")
          .append(Phrases.plural(others, "other head"))
          .append(" for less");
    }
    return text.toString();
  }

  private static String seats(Interval interval) {
    final Interval.Seats seats = interval.seats();
    if (seats == null) {
      return "";
    }
    final int others = seats.count() - seats.ids().size();
    return ", by "
        + String.join(", ", seats.ids())
        + (others == 0 ? "" : " and " + others + " more")
        + " when it was first refused one";
  }

  /** What the reason means, with the name of the blocking request if there is one. */
  private String inTheWay(Interval interval, Blocker blocker) {
    final String reason = interval.label();
    final String meaning = Phrases.meaning(reason, explanation.configAt(interval.untilNs()));
    final RequestName request = blocker.request();
    if (request == null) {
      return meaning + seats(interval);
    }
    final String name = isItself(request) ? "itself" : request.id();
    return switch (reason) {
      case "head_of_line" -> "it was behind " + name;
      case Activity.PREEMPTED ->
          "it was preempted to make room for " + name + " and not considered since";
      default -> meaning + "; blocked by " + name;
    };
  }

  private String ranks(Ranks ranks) {
    final Ranks.Rank last = ranks.last();
    final StringBuilder text = new StringBuilder("passed over by the policy ");
    text.append(Phrases.plural(ranks.steps(), "time")).append(": rank ").append(place(last));
    if (ranks.steps() > 1) {
      text.append(" at last, ").append(place(ranks.first())).append(" at first");
    }
    text.append("; score ").append(last.score());
    if (!isItself(last.leader())) {
      text.append(", ")
          .append(last.leader().id())
          .append(" was first with ")
          .append(last.leaderScore());
    }
    return text.toString();
  }

  private static String place(Ranks.Rank rank) {
    return rank.rank() + " of " + rank.of();
  }

  private void admitted(long offsetNs, TimelineEntry.Admitted admitted) {
    final AdmittedRecord record = admitted.record();
    page.at(
        offsetNs,
        (record.kind().equals("resumed") ? "resumed" : "admitted")
            + " in iteration "
            + iteration(record.stepId())
            + " after "
            + Durations.both(admitted.waitedNs())
            + " in the queue");
    final List<String> figures = new ArrayList<>();
    figures.add(
        Phrases.plural(record.cachedTokens(), "token")
            + " found in the prefix cache"
            + (record.hostCachedTokens() > 0
                ? ", " + record.hostCachedTokens() + " of them loaded from host memory"
                : "")
            + (record.externalTokens() > 0
                ? ", " + record.externalTokens() + " of them loaded from outside"
                : ""));
    if (record.evictedTokens() > 0) {
      figures.add(Phrases.plural(record.evictedTokens(), "token") + " of before no longer there");
    }
    final Ranks.Rank rank = admitted.rank();
    if (rank != null) {
      figures.add("rank " + place(rank) + ", score " + rank.score());
    }
    page.more(String.join("; ", figures));
  }

  private void working(long offsetNs, Interval interval) {
    final String lasting = Durations.both(interval.totalNs()) + ", " + iterations(interval);
    if (interval.tokens() == 0 && !interval.label().equals(Activity.SEATED)) {
      page.at(offsetNs, "in its seat without tokens for " + lasting + ": " + interval.label());
      page.more(because(interval));
      return;
    }
    page.at(offsetNs, interval.label() + " for " + lasting);
    if (Activity.isWork(interval.label())) {
      page.more(work(interval));
    }
  }

  private static String work(Interval interval) {
    if (interval.label().equals(Activity.DECODE)) {
      return Phrases.plural(interval.produced(), "token");
    }
    final String tokens = Phrases.plural(interval.tokens(), "token");
    if (interval.steps() == 1) {
      return tokens + " in one chunk";
    }
    return tokens
        + " in "
        + interval.steps()
        + " chunks of "
        + (interval.smallestChunk() == interval.largestChunk()
            ? Durations.count(interval.largestChunk())
            : Durations.count(interval.smallestChunk())
                + " to "
                + Durations.count(interval.largestChunk()));
  }

  private void preemption(long offsetNs, PreemptionCost preemption) {
    page.at(
        offsetNs,
        "PREEMPTED in iteration "
            + iteration(preemption.record().stepId())
            + " ("
            + preemption.record().cause()
            + ")"
            + beneficiary(preemption.beneficiary()));
    page.more(
        "lost "
            + Phrases.plural(preemption.record().lostTokens(), "computed token")
            + ", freed "
            + Phrases.plural(preemption.record().freedBlocks(), "KV block")
            + "; "
            + recovery(preemption));
  }

  private boolean isItself(RequestName other) {
    return other.number() == explanation.request().number();
  }

  private String beneficiary(@Nullable RequestName request) {
    if (request == null) {
      return "";
    }
    return isItself(request)
        ? ", for its own need: the victim was itself"
        : ", for " + request.id();
  }

  private static String recovery(PreemptionCost preemption) {
    if (preemption.resumedNs() == ABSENT) {
      return "not resumed in this journal";
    }
    final String resumed =
        "resumed "
            + Durations.human(preemption.resumedNs() - preemption.atNs())
            + " later with "
            + Phrases.plural(preemption.cachedTokens(), "token")
            + " from the cache";
    return preemption.recoveredNs() == ABSENT
        ? resumed
        : resumed
            + ", computed "
            + Phrases.plural(preemption.recomputedTokens(), "token")
            + " again and was where it had been after "
            + Durations.human(preemption.recoveredNs() - preemption.atNs());
  }

  private void journey(long offsetNs, JourneyRecord journey) {
    page.at(
        offsetNs,
        "server: "
            + journey.stage()
            + (journey.reason() == null ? "" : ", " + journey.reason())
            + (journey.error() == null ? "" : ": " + journey.error()));
  }

  /** How it ended, in words. */
  static String end(RequestExplanation explanation) {
    final FinishedRecord end = explanation.request().end();
    if (end == null) {
      return "not in this journal";
    }
    final long outputs =
        end.outputTokens() >= 0 ? end.outputTokens() : explanation.request().outputTokens();
    return end.reason()
        + (end.stopTokenId() >= 0 ? " (stop token " + end.stopTokenId() + ")" : "")
        + (end.outputTokens() >= 0 || explanation.hasDetails()
            ? ", " + Phrases.plural(outputs, "output token")
            : "")
        + (end.cause() == null ? "" : "; cause: " + end.cause());
  }

  private static String iterations(Interval interval) {
    if (interval.steps() == 1) {
      return "iteration " + iteration(interval.firstStep());
    }
    final long span = interval.lastStep() - interval.firstStep() + 1;
    return "iterations "
        + iteration(interval.firstStep())
        + "-"
        + iteration(interval.lastStep())
        + (span == interval.steps() ? "" : ", " + Durations.count(interval.steps()) + " of them");
  }

  /** The number of a step in files. */
  static String iteration(long stepId) {
    return Durations.count(stepId - 1);
  }
}

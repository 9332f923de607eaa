package dev.headway.report.explain;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.events.record.FinishedRecord;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What happened, one moment after the other. */
final class MomentText {

  /** A stay in the queue with more changes of reason than this is told in short. */
  private static final int STRETCHES_TOLD = 8;

  private static final int TOLD_AT_EACH_END = 3;

  private final Story story;
  private final Names names;
  private final Page page;
  private final long arrivalNs;

  MomentText(Story story, Names names, Page page) {
    this.story = story;
    this.names = names;
    this.page = page;
    this.arrivalNs = story.request().arrivalNs();
  }

  void write() {
    final List<Stretch> stay = new ArrayList<>();
    for (Moment moment : story.moments()) {
      if (moment instanceof Stretch stretch && stretch.phase().isWaiting()) {
        stay.add(stretch);
      } else {
        writeStay(stay);
        stay.clear();
        write(moment);
      }
    }
    writeStay(stay);
  }

  private void write(Moment moment) {
    final long offsetNs = moment.atNs() - arrivalNs;
    switch (moment) {
      case Stretch stretch -> working(offsetNs, stretch);
      case Setback setback -> setback(offsetNs, setback);
      case Moment.Arrived arrived -> page.at(offsetNs, "arrived");
      case Moment.Queued queued -> queued(offsetNs, queued);
      case Moment.Admitted admitted -> admitted(offsetNs, admitted);
      case Moment.FirstToken first ->
          page.at(
              offsetNs,
              "first token, "
                  + Durations.human(offsetNs)
                  + " after its arrival (iteration "
                  + iteration(first.stepId())
                  + ")");
      case Moment.Journey journey -> journey(offsetNs, journey);
      case Moment.Dropped dropped ->
          page.at(offsetNs, "here the writer dropped " + Words.plural(dropped.records(), "record"));
      case Moment.Ended ended -> page.at(offsetNs, "ended: " + end(ended.end(), story));
    }
  }

  private void queued(long offsetNs, Moment.Queued queued) {
    page.at(offsetNs, "entered the queue");
    final StepUnderWay step = queued.heldBy();
    if (step != null) {
      page.more(
          "iteration "
              + iteration(step.stepId())
              + " was under way when it arrived, for "
              + Durations.human(step.totalNs())
              + ", "
              + Durations.human(step.schedulingNs())
              + " of it scheduling; the engine takes requests over between steps");
    }
  }

  private void writeStay(List<Stretch> stay) {
    if (stay.size() <= STRETCHES_TOLD) {
      stay.forEach(this::waited);
      return;
    }
    stay.subList(0, TOLD_AT_EACH_END).forEach(this::waited);
    final List<Stretch> between = stay.subList(TOLD_AT_EACH_END, stay.size() - TOLD_AT_EACH_END);
    final Map<String, Long> ns = new LinkedHashMap<>();
    between.forEach(stretch -> ns.merge(stretch.label(), stretch.totalNs(), Long::sum));
    page.at(
        between.get(0).atNs() - arrivalNs,
        "its reason changed another " + Words.plural(between.size(), "time") + ", in all:");
    ns.forEach((label, totalNs) -> page.more("  " + label + " " + Durations.both(totalNs)));
    stay.subList(stay.size() - TOLD_AT_EACH_END, stay.size()).forEach(this::waited);
  }

  private void waited(Stretch stretch) {
    if (stretch.totalNs() == 0 && stretch.steps() == 0) {
      return; // replaced at the instant at which it began
    }
    page.at(
        stretch.atNs() - arrivalNs,
        "waited "
            + Durations.both(stretch.totalNs())
            + (stretch.steps() == 0 ? "" : ", " + iterations(stretch))
            + ": "
            + stretch.label());
    page.more(because(stretch));
    final Ranks ranks = stretch.ranks();
    if (ranks != null) {
      page.more(ranks(ranks));
    }
  }

  private String because(Stretch stretch) {
    final Obstacle longest = stretch.longestObstacle();
    if (longest == null) {
      return Words.meaning(stretch.label(), story.header().config());
    }
    final StringBuilder text = new StringBuilder(inTheWay(stretch.label(), longest));
    final Obstacle.Refusal head = longest.headRefusal();
    if (head != null) {
      text.append(", which had ").append(head.reason());
      if (head.needed() > 0 || head.free() > 0) {
        text.append(" (")
            .append(Words.figures(head.reason(), head.needed(), head.free()))
            .append(')');
      }
    }
    if (longest.hasFigures()) {
      text.append("; ").append(Words.figures(stretch.label(), longest.needed(), longest.free()));
    }
    final int others = stretch.obstacles().size() - 1;
    if (others > 0 && longest.blocker() >= 0) {
      text.append("; ")
          .append(Durations.human(stretch.lengthNs(stretch.obstacles().indexOf(longest))))
          .append(" of it, and ")
          .append(Words.plural(others, "other head"))
          .append(" for less");
    }
    return text.toString();
  }

  /** What the reason means, with the name of the request in the way if there is one. */
  private String inTheWay(String reason, Obstacle obstacle) {
    final String meaning = Words.meaning(reason, story.header().config());
    if (obstacle.blocker() < 0) {
      return meaning;
    }
    final String name =
        obstacle.blocker() == story.request().requestNumber()
            ? "itself"
            : names.of(obstacle.blocker());
    return switch (reason) {
      case "head_of_line" -> "it stood behind " + name;
      case Activity.PREEMPTED -> "it was put back for " + name + ", and no step looked at it since";
      default -> meaning + "; in the way: " + name;
    };
  }

  private String ranks(Ranks ranks) {
    final Ranks.Rank last = ranks.last();
    final StringBuilder text = new StringBuilder("passed over by the policy ");
    text.append(Words.plural(ranks.steps(), "time")).append(": rank ").append(place(last));
    if (ranks.steps() > 1) {
      text.append(" at last, ").append(place(ranks.first())).append(" at first");
    }
    text.append("; score ").append(last.score());
    if (last.leader() != story.request().requestNumber()) {
      text.append(", ")
          .append(names.of(last.leader()))
          .append(" was first with ")
          .append(last.leaderScore());
    }
    return text.toString();
  }

  private static String place(Ranks.Rank rank) {
    return rank.rank() + " of " + rank.of();
  }

  private void admitted(long offsetNs, Moment.Admitted admitted) {
    page.at(
        offsetNs,
        (admitted.kind().equals("resumed") ? "resumed" : "admitted")
            + " in iteration "
            + iteration(admitted.stepId())
            + " after "
            + Durations.both(admitted.waitedNs())
            + " in the queue");
    final List<String> figures = new ArrayList<>();
    figures.add(
        Words.plural(admitted.cachedTokens(), "token")
            + " found in the prefix cache"
            + (admitted.hostCachedTokens() > 0
                ? ", " + admitted.hostCachedTokens() + " of them loaded from host memory"
                : ""));
    if (admitted.lostTokens() > 0) {
      figures.add(Words.plural(admitted.lostTokens(), "token") + " of before no longer there");
    }
    final Ranks.Rank rank = admitted.rank();
    if (rank != null) {
      figures.add("rank " + place(rank) + ", score " + rank.score());
    }
    page.more(String.join("; ", figures));
  }

  private void working(long offsetNs, Stretch stretch) {
    final String lasting = Durations.both(stretch.totalNs()) + ", " + iterations(stretch);
    if (stretch.tokens() == 0 && !stretch.label().equals(Activity.SEATED)) {
      page.at(offsetNs, "in its seat without tokens for " + lasting + ": " + stretch.label());
      page.more(because(stretch));
      return;
    }
    page.at(offsetNs, stretch.label() + " for " + lasting);
    if (Activity.isWork(stretch.label())) {
      page.more(work(stretch));
    }
  }

  private static String work(Stretch stretch) {
    if (stretch.label().equals(Activity.DECODE)) {
      return Words.plural(stretch.produced(), "token");
    }
    final String tokens = Words.plural(stretch.tokens(), "token");
    if (stretch.steps() == 1) {
      return tokens + " in one chunk";
    }
    return tokens
        + " in "
        + stretch.steps()
        + " chunks of "
        + (stretch.smallestChunk() == stretch.largestChunk()
            ? Durations.count(stretch.largestChunk())
            : Durations.count(stretch.smallestChunk())
                + " to "
                + Durations.count(stretch.largestChunk()));
  }

  private void setback(long offsetNs, Setback setback) {
    page.at(
        offsetNs,
        "PREEMPTED in iteration "
            + iteration(setback.stepId())
            + " ("
            + setback.cause()
            + ")"
            + beneficiary(setback.beneficiary()));
    page.more(
        "lost "
            + Words.plural(setback.lostTokens(), "computed token")
            + ", freed "
            + Words.plural(setback.freedBlocks(), "KV block")
            + "; "
            + recovery(setback));
  }

  private String beneficiary(long number) {
    if (number < 0) {
      return "";
    }
    return number == story.request().requestNumber()
        ? ", for its own need: it was the one to give way"
        : ", for " + names.of(number);
  }

  private static String recovery(Setback setback) {
    if (setback.resumedNs() == ABSENT) {
      return "not resumed in this journal";
    }
    final String resumed =
        "resumed "
            + Durations.human(setback.resumedNs() - setback.atNs())
            + " later with "
            + Words.plural(setback.cachedTokens(), "token")
            + " from the cache";
    return setback.recoveredNs() == ABSENT
        ? resumed
        : resumed
            + ", computed "
            + Words.plural(setback.recomputedTokens(), "token")
            + " again and stood where it was after "
            + Durations.human(setback.recoveredNs() - setback.atNs());
  }

  private void journey(long offsetNs, Moment.Journey journey) {
    page.at(
        offsetNs,
        "server: "
            + journey.stage()
            + (journey.reason() == null ? "" : ", " + journey.reason())
            + (journey.error() == null ? "" : ": " + journey.error()));
  }

  /** How it ended, in words. */
  static String end(@Nullable FinishedRecord end, Story story) {
    if (end == null) {
      return "not in this journal";
    }
    final long outputs = end.outputTokens() >= 0 ? end.outputTokens() : story.tokens().count();
    return end.reason()
        + (end.stopTokenId() >= 0 ? " (stop token " + end.stopTokenId() + ")" : "")
        + (end.outputTokens() >= 0 || story.hasDetails()
            ? ", " + Words.plural(outputs, "output token")
            : "")
        + (end.cause() == null ? "" : "; cause: " + end.cause());
  }

  private static String iterations(Stretch stretch) {
    if (stretch.steps() == 1) {
      return "iteration " + iteration(stretch.firstStep());
    }
    final long span = stretch.lastStep() - stretch.firstStep() + 1;
    return "iterations "
        + iteration(stretch.firstStep())
        + "-"
        + iteration(stretch.lastStep())
        + (span == stretch.steps() ? "" : ", " + Durations.count(stretch.steps()) + " of them");
  }

  /** The number of a step in files. */
  static String iteration(long stepId) {
    return Durations.count(stepId - 1);
  }
}

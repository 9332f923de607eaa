package dev.headway.report.html.page;

import dev.headway.events.reason.WaitFamily;
import dev.headway.events.reason.WaitReasonTable;
import dev.headway.probes.chronicle.JournalEnd;
import dev.headway.report.html.figures.ReportFigures;
import dev.headway.toolbox.text.Human;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** What limited a run, in one sentence, and what to keep in mind when reading on. */
final class RunVerdict {

  private static final String SUMMARY = "summary";
  private static final double WORTH_TELLING = 0.02;
  private static final double HARDLY_WAITED = 0.05;
  private static final double KEPT_UP = 0.8;
  private static final double LATE_NS = 1e6;
  private static final double NOTABLY_LATE = 0.1;
  private static final double HARDLY_IDLE = 0.02;

  /** Fewer requests say nothing of what submits them: the first alone may be the latest. */
  private static final long ENOUGH = 20;

  /** Of fewer requests a hundredth is none. */
  private static final long ENOUGH_FOR_SHARES = 100;

  private final ReportFigures run;
  private final List<Map.Entry<String, Long>> limits;
  private final double waitedNs;
  private final double livedNs;

  RunVerdict(ReportFigures run) {
    this.run = run;
    this.limits = run.waits().by(cause -> WaitReasonTable.familyOf(cause.root()).name());
    this.waitedNs = run.waits().totalNs();
    this.livedNs = run.latencies().all().endToEnd().sum() + run.waits().openTotalNs();
  }

  /** The sentence. */
  String sentence() {
    if (run.facts().queued() == 0) {
      return "No request entered the queue.";
    }
    if (limits.isEmpty() || waitedNs < HARDLY_WAITED * livedNs) {
      return "Nothing held this run back: requests spent "
          + Human.percent(livedNs == 0 ? 0 : waitedNs / livedNs)
          + " of their time waiting.";
    }
    final StringBuilder text = new StringBuilder();
    for (Map.Entry<String, Long> limit : limits) {
      final double share = limit.getValue() / waitedNs;
      if (text.isEmpty()) {
        text.append(Human.percent(share)).append(" of all waiting time was for ");
      } else if (share >= WORTH_TELLING) {
        text.append("; ").append(Human.percent(share)).append(" for ");
      } else {
        break;
      }
      text.append(WaitFamily.valueOf(limit.getKey()).label());
    }
    return text.append('.').toString();
  }

  /** The sentence that says how much waiting there was. */
  String extent() {
    if (waitedNs == 0) {
      return "";
    }
    final StringBuilder text =
        new StringBuilder("Requests spent ")
            .append(Human.percent(livedNs == 0 ? 0 : waitedNs / livedNs))
            .append(" of their time in the engine waiting, ")
            .append(Human.duration(waitedNs))
            .append(" over all of them. ");
    final double behind = sumOf("head_of_line");
    if (behind > WORTH_TELLING * waitedNs) {
      text.append(Human.percent(behind / waitedNs))
          .append(" of it was spent behind a request in front (head_of_line) and is counted here")
          .append(" under what that request waited for. ");
    }
    text.append(WaitFamily.valueOf(limits.get(0).getKey()).advice());
    if (run.steps().idleShare() < HARDLY_IDLE && run.steps().computed().count() > 0) {
      text.append(" The device was busy ")
          .append(Human.percent(1 - run.steps().idleShare()))
          .append(" of the time, ")
          .append(
              Human.percent(
                  run.steps().computed().mixedRun().sum()
                      / Math.max(1, run.steps().computed().modelRun().sum())))
          .append(
              " of that in steps with prefill: whatever the queue waits for, throughput grows only"
                  + " where a change makes batches larger or work less.");
    }
    return text.toString();
  }

  /** What may mislead; empty if nothing does. */
  List<String> warnings(JournalEnd end, int runs) {
    final List<String> warnings = new ArrayList<>();
    addAboutJournal(warnings, end);
    addAboutLoad(warnings);
    addAboutSubmission(warnings);
    addAboutClock(warnings);
    if (run.steps().entriesMissing() || run.header().level().equals(SUMMARY)) {
      warnings.add(
          "The journal was written at level "
              + run.header().level()
              + ": it does not say what each request computed, nor why requests waited.");
    }
    if (runs > 1) {
      warnings.add(
          "The journal holds "
              + runs
              + " runs, from 0; this is run "
              + run.index()
              + " (option --run).");
    }
    return warnings;
  }

  private void addAboutJournal(List<String> warnings, JournalEnd end) {
    if (!end.detail().isEmpty()) {
      warnings.add(
          "The journal is "
              + end.state().label()
              + ", so figures end where it does: "
              + end.detail()
              + ".");
    }
    if (run.facts().dropped() > 0) {
      warnings.add(
          "The writer had to drop records ("
              + Human.count(run.facts().dropped())
              + "): counts and times are too small.");
    }
    if (end.unknownRecords() > 0) {
      warnings.add(
          "A newer version wrote " + Human.count(end.unknownRecords()) + " records unknown here.");
    }
    if (run.unknownRequests() > 0) {
      warnings.add(
          Human.count(run.unknownRequests()) + " records name a request that is not alive.");
    }
  }

  /** An anchor is for calendar time: durations of one journal do not depend on it. */
  private void addAboutClock(List<String> warnings) {
    final List<Map.Entry<String, Long>> reasons = run.waits().by(cause -> cause.reason());
    final long errorNs = run.header().anchorErrorNs();
    if (reasons.isEmpty() || run.header().virtualTime()) {
      return;
    }
    final Map.Entry<String, Long> least = reasons.get(reasons.size() - 1);
    if (errorNs > least.getValue()) {
      warnings.add(
          "The clock anchor is uncertain by "
              + Human.duration(errorNs)
              + ", more than all waiting for "
              + least.getKey()
              + " ("
              + Human.duration(least.getValue())
              + "): durations stand, but do not set instants beside those of another clock more"
              + " closely than that.");
    }
  }

  private void addAboutLoad(List<String> warnings) {
    if (run.header().virtualTime()) {
      warnings.add(
          "Time was simulated: step times are those of the latency model, and what scheduling took"
              + " is not part of it.");
    }
    final double endedInTime = run.facts().endedAtLastArrival();
    if (run.facts().queued() >= 50
        && endedInTime < KEPT_UP
        && run.facts().lastNs() > 1.25 * run.facts().arrivalSpanNs()) {
      warnings.add(
          "Over-saturated: when the last request arrived, "
              + Human.percent(endedInTime)
              + " of the requests had ended. Waits and latencies grew with the length of the run"
              + " and say little about a steady state.");
    }
    if (run.facts().unfinished() > 0) {
      warnings.add(
          Human.count(run.facts().unfinished())
              + " requests were alive at the end of the journal; their waits count up to there.");
    }
    if (run.facts().rejected() > 0) {
      warnings.add(
          Human.count(run.facts().rejected()) + " requests were rejected and are in no latency.");
    }
  }

  /** A load generator that falls behind makes an open loop a closed one, and the run flatter. */
  private void addAboutSubmission(List<String> warnings) {
    final double late = run.latencies().ingress().quantile(0.99);
    final double usualTtft = run.latencies().all().ttft().quantile(0.5);
    final boolean isNotable = Double.isNaN(usualTtft) || late > NOTABLY_LATE * usualTtft;
    final long requests = run.facts().queued();
    if (requests >= ENOUGH && late > LATE_NS && isNotable && late > longestStepNs()) {
      warnings.add(
          "Late submission: "
              + (requests < ENOUGH_FOR_SHARES
                  ? "the latest of the "
                      + requests
                      + " requests entered the queue "
                      + Human.duration(late)
                      + " after it arrived"
                  : "1 % of the requests entered the queue "
                      + Human.duration(late)
                      + " or more after they arrived")
              + ", longer than any step. What submits them (a load generator, a server that has"
              + " just started) was behind; that time is in TTFT and in no wait of the queue.");
    }
  }

  private double longestStepNs() {
    return run.steps().duration().max();
  }

  private double sumOf(String reason) {
    return run.waits().by(cause -> cause.reason()).stream()
        .filter(entry -> entry.getKey().equals(reason))
        .mapToDouble(Map.Entry::getValue)
        .sum();
  }
}

package dev.headway.report.explain;

import dev.headway.events.model.Ingress;
import dev.headway.events.reason.WaitFamily;
import dev.headway.events.reason.WaitReasonInfo;
import dev.headway.events.reason.WaitReasonTable;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What would have helped, as far as the figures say: the reasons that took most of the waiting,
 * each with what was missing, and what preemptions cost. No forecast of what the time would have
 * been.
 */
final class Advice {

  private static final String HEAD_OF_LINE = "head_of_line";
  private static final int REASONS_SHOWN = 5;

  /** Reasons below this share of the waiting are not worth a sentence, in 1/1000. */
  private static final long WORTH_PERMILLE = 10;

  private final RequestExplanation explanation;

  Advice(RequestExplanation explanation) {
    this.explanation = explanation;
  }

  /** One sentence for each thing, what took most first. */
  List<String> sentences() {
    final List<String> sentences = new ArrayList<>();
    if (!explanation.hasDetails()) {
      return sentences;
    }
    addBeforeQueue(sentences);
    final long waitedNs = explanation.request().waits().totalNs();
    final Map<String, Long> byRoot = new HashMap<>();
    for (TimeAccount.Line line : explanation.account().lines()) {
      if (line.phase().isWaiting()) {
        byRoot.merge(line.root(), line.ns(), Long::sum);
      }
    }
    byRoot.entrySet().stream()
        .filter(root -> root.getValue() * 1_000 >= waitedNs * WORTH_PERMILLE)
        .sorted(
            Map.Entry.<String, Long>comparingByValue()
                .reversed()
                .thenComparing(Map.Entry.comparingByKey()))
        .limit(REASONS_SHOWN)
        .forEach(
            root ->
                sentences.add(
                    Durations.human(root.getValue())
                        + " of "
                        + Durations.human(waitedNs)
                        + " waiting: "
                        + help(root.getKey())
                        + behind(root.getKey())));
    addPreemptions(sentences);
    return sentences;
  }

  private void addBeforeQueue(List<String> sentences) {
    final long ingressNs =
        explanation.request().queued().queuedNs() - explanation.request().queued().arrivalNs();
    final Ingress ingress = explanation.request().ingress();
    final boolean worth = ingressNs * 1_000 >= explanation.account().totalNs() * WORTH_PERMILLE;
    if (worth && Ingress.STEP_IN_PROGRESS.equals(ingress.reason())) {
      sentences.add(
          Durations.human(ingressNs)
              + " before the queue: iteration "
              + TimelineText.iteration(ingress.stepId())
              + " was in progress; shorter steps take requests in sooner"
              + setting("maxNumBatchedTokens"));
    }
  }

  private String help(String root) {
    final Lack worst = worst(root);
    final Map<String, String> config = explanation.configAt(explanation.untilNs());
    final WaitReasonInfo known = WaitReasonTable.of(root);
    final String missing = worst == null ? "" : missing(root, worst);
    if (known == null || known.need() == null) {
      return root + "; " + Phrases.meaning(root, config) + missing;
    }
    return known.need()
        + (known.setting() == null ? "" : setting(known.setting()))
        + (known.family() == WaitFamily.KV_BLOCKS ? missing : "");
  }

  /** How long it was another request that lacked this, and which one for longest. */
  private String behind(String root) {
    long behindNs = 0;
    for (TimeAccount.Line line : explanation.account().lines()) {
      final boolean another = !line.label().equals(line.root()) || root.equals(HEAD_OF_LINE);
      behindNs += line.phase().isWaiting() && another && line.root().equals(root) ? line.ns() : 0;
    }
    if (behindNs == 0) {
      return "";
    }
    return "; "
        + Durations.human(behindNs)
        + " of it behind requests ahead in the queue"
        + obstacles()
            .filter(obstacle -> root.equals(obstacle.headReason()))
            .max(Comparator.comparingLong(Obstacle::ns))
            .map(obstacle -> obstacle.blocker().request())
            .map(request -> ", longest behind " + request.id())
            .orElse("");
  }

  private String setting(String name) {
    final String value = explanation.configAt(explanation.untilNs()).get(name);
    return value == null ? "" : ", " + name + "=" + value;
  }

  private static String missing(String root, Lack worst) {
    final int missing = worst.needed() - worst.free();
    return ", "
        + Phrases.figures(root, worst.needed(), worst.free())
        + (missing > 0 ? ": " + Durations.count(missing) + " more would have been enough" : "");
  }

  /** What a request lacked, this one or the one ahead of it. */
  private record Lack(int needed, int free, long ns) {}

  /** What blocked it while it waited, and for how long. */
  private record Obstacle(String label, Blocker blocker, long ns) {

    /** What the request ahead of it lacked, or null. */
    @Nullable String headReason() {
      final Blocker.Refusal head = blocker.headRefusal();
      return head == null ? (label.equals(HEAD_OF_LINE) ? HEAD_OF_LINE : null) : head.reason();
    }

    /** The figures of the lack of {@code root}, or null. */
    @Nullable Lack lackOf(String root) {
      final Blocker.Refusal head = blocker.headRefusal();
      if (label.equals(root) && blocker.hasFigures()) {
        return new Lack(blocker.needed(), blocker.free(), ns);
      }
      return head != null && head.reason().equals(root) && head.hasFigures()
          ? new Lack(head.needed(), head.free(), ns)
          : null;
    }
  }

  /** The largest lack of a kind; among equals the one that lasted longest. */
  private @Nullable Lack worst(String root) {
    return obstacles()
        .map(obstacle -> obstacle.lackOf(root))
        .filter(Objects::nonNull)
        .max(
            Comparator.<Lack>comparingInt(lack -> lack.needed() - lack.free())
                .thenComparingLong(Lack::ns))
        .orElse(null);
  }

  private Stream<Obstacle> obstacles() {
    return explanation.entries(Interval.class).stream()
        .filter(interval -> interval.phase().isWaiting())
        .flatMap(
            interval ->
                IntStream.range(0, interval.blockers().size())
                    .mapToObj(
                        i ->
                            new Obstacle(
                                interval.label(),
                                interval.blockers().get(i),
                                interval.lengthNs(i))));
  }

  private void addPreemptions(List<String> sentences) {
    final List<PreemptionCost> preemptions = explanation.entries(PreemptionCost.class);
    if (preemptions.isEmpty()) {
      return;
    }
    long recomputed = 0;
    for (PreemptionCost preemption : preemptions) {
      recomputed += preemption.recomputedTokens();
    }
    long againNs = 0;
    for (TimeAccount.Line line : explanation.account().lines()) {
      final boolean lost =
          line.phase() == AccountPhase.WAITING_AGAIN || line.label().equals(Activity.RECOMPUTATION);
      againNs += lost ? line.ns() : 0;
    }
    sentences.add(
        Durations.human(againNs)
            + " went to "
            + Phrases.plural(preemptions.size(), "preemption")
            + ": waiting again, and computing "
            + Phrases.plural(recomputed, "token")
            + " again");
  }
}

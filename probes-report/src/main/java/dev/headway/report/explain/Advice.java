package dev.headway.report.explain;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * What would have helped, as far as the figures say: the reasons that took most of the waiting,
 * each with what was missing, and what preemptions cost. No forecast of what the time would have
 * been.
 */
final class Advice {

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
    final long waitedNs = explanation.request().waits().totalNs();
    final Map<String, Long> byReason = new HashMap<>();
    for (TimeAccount.Line line : explanation.account().lines()) {
      if (line.phase().isWaiting()) {
        byReason.merge(line.label(), line.ns(), Long::sum);
      }
    }
    byReason.entrySet().stream()
        .filter(reason -> reason.getValue() * 1_000 >= waitedNs * WORTH_PERMILLE)
        .sorted(
            Map.Entry.<String, Long>comparingByValue()
                .reversed()
                .thenComparing(Map.Entry.comparingByKey()))
        .limit(REASONS_SHOWN)
        .forEach(
            reason ->
                sentences.add(
                    Durations.human(reason.getValue())
                        + " of "
                        + Durations.human(waitedNs)
                        + " waiting: "
                        + help(reason.getKey())));
    addPreemptions(sentences);
    return sentences;
  }

  private String help(String reason) {
    final Blocker worst = worst(reason);
    final Map<String, String> config = explanation.header().config();
    return switch (reason) {
      case "memory_insufficient", "watermark", "full_sequence_reserve", "capacity_reserved" ->
          "KV blocks; " + reason + (worst == null ? "" : missing(reason, worst));
      case "max_num_seqs" -> "a seat" + setting("maxNumSeqs");
      case "max_num_active_seqs" -> "a seat; maxNumActiveSeqs";
      case "max_num_batched_tokens", "decode_priority", "chunked_prefill" ->
          "room in the token budget; " + reason + setting("maxNumBatchedTokens");
      case "head_of_line" -> "its turn; " + head(worst);
      case "initial_waiting" -> "the next step; a step already begun admits no request";
      case "max_loras" -> "a place for its LoRA adapter; maxLoras";
      default ->
          reason
              + "; "
              + Phrases.meaning(reason, config)
              + (worst == null ? "" : missing(reason, worst));
    };
  }

  private String setting(String name) {
    final String value = explanation.header().config().get(name);
    return value == null ? "" : ", " + name + "=" + value;
  }

  private String head(@Nullable Blocker longest) {
    final RequestName request = longest == null ? null : longest.request();
    if (longest == null || request == null) {
      return "head_of_line";
    }
    final Blocker.Refusal head = longest.headRefusal();
    return "longest behind "
        + request.id()
        + (head == null
            ? ""
            : ", which waited for "
                + head.reason()
                + (head.needed() > head.free()
                    ? " (" + Phrases.figures(head.reason(), head.needed(), head.free()) + ")"
                    : ""));
  }

  private static String missing(String reason, Blocker worst) {
    if (!worst.hasFigures()) {
      return "";
    }
    final int missing = worst.needed() - worst.free();
    return ", "
        + Phrases.figures(reason, worst.needed(), worst.free())
        + (missing > 0 ? ": " + Durations.count(missing) + " more would have done then" : "");
  }

  /** The blocker of a reason that lacked most; among equals the one that stood longest. */
  private @Nullable Blocker worst(String reason) {
    record Candidate(Blocker blocker, long ns) {}
    return explanation.entries(Interval.class).stream()
        .filter(interval -> interval.phase().isWaiting() && interval.label().equals(reason))
        .flatMap(
            interval ->
                IntStream.range(0, interval.blockers().size())
                    .mapToObj(i -> new Candidate(interval.blockers().get(i), interval.lengthNs(i))))
        .max(
            Comparator.<Candidate>comparingInt(c -> c.blocker.needed() - c.blocker.free())
                .thenComparingLong(Candidate::ns))
        .map(Candidate::blocker)
        .orElse(null);
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

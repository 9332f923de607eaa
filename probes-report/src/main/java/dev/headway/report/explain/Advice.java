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

  private static final int REASONS_TOLD = 5;

  /** Reasons below this share of the waiting are not worth a sentence, in 1/1000. */
  private static final long WORTH_PERMILLE = 10;

  private final Story story;
  private final Names names;

  Advice(Story story, Names names) {
    this.story = story;
    this.names = names;
  }

  /** One sentence for each thing, what took most first. */
  List<String> sentences() {
    final List<String> sentences = new ArrayList<>();
    if (!story.hasDetails()) {
      return sentences;
    }
    final long waitedNs = story.account().waitedNs();
    final Map<String, Long> byReason = new HashMap<>();
    for (TimeAccount.Line line : story.account().lines()) {
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
        .limit(REASONS_TOLD)
        .forEach(
            reason ->
                sentences.add(
                    Durations.human(reason.getValue())
                        + " of "
                        + Durations.human(waitedNs)
                        + " waiting: "
                        + help(reason.getKey())));
    addSetbacks(sentences);
    return sentences;
  }

  private String help(String reason) {
    final Obstacle worst = worst(reason);
    final Map<String, String> config = story.header().config();
    return switch (reason) {
      case "memory_insufficient", "watermark", "full_sequence_reserve", "capacity_reserved" ->
          "KV blocks; " + reason + (worst == null ? "" : missing(reason, worst));
      case "max_num_seqs" -> "a seat" + setting("maxNumSeqs");
      case "max_num_active_seqs" -> "a seat; maxNumActiveSeqs";
      case "max_num_batched_tokens", "decode_priority", "chunked_prefill" ->
          "room in the token budget; " + reason + setting("maxNumBatchedTokens");
      case "head_of_line" -> "its turn; " + head(worst);
      case "initial_waiting" -> "the next step; a step already begun admits nobody";
      case "max_loras" -> "a place for its LoRA adapter; maxLoras";
      default ->
          reason
              + "; "
              + Words.meaning(reason, config)
              + (worst == null ? "" : missing(reason, worst));
    };
  }

  private String setting(String name) {
    final String value = story.header().config().get(name);
    return value == null ? "" : ", " + name + "=" + value;
  }

  private String head(@Nullable Obstacle longest) {
    if (longest == null || longest.blocker() < 0) {
      return "head_of_line";
    }
    final Obstacle.Refusal head = longest.headRefusal();
    final String name = names.of(longest.blocker());
    return "longest behind "
        + name
        + (head == null
            ? ""
            : ", which waited for "
                + head.reason()
                + (head.needed() > head.free()
                    ? " (" + Words.figures(head.reason(), head.needed(), head.free()) + ")"
                    : ""));
  }

  private static String missing(String reason, Obstacle worst) {
    if (!worst.hasFigures()) {
      return "";
    }
    final int missing = worst.needed() - worst.free();
    return ", "
        + Words.figures(reason, worst.needed(), worst.free())
        + (missing > 0 ? ": " + Durations.count(missing) + " more would have done then" : "");
  }

  /** The obstacle of a reason that lacked most; among equals the one that stood longest. */
  private @Nullable Obstacle worst(String reason) {
    record Candidate(Obstacle obstacle, long ns) {}
    return story.moments(Stretch.class).stream()
        .filter(stretch -> stretch.phase().isWaiting() && stretch.label().equals(reason))
        .flatMap(
            stretch ->
                IntStream.range(0, stretch.obstacles().size())
                    .mapToObj(i -> new Candidate(stretch.obstacles().get(i), stretch.lengthNs(i))))
        .max(
            Comparator.<Candidate>comparingInt(c -> c.obstacle.needed() - c.obstacle.free())
                .thenComparingLong(Candidate::ns))
        .map(Candidate::obstacle)
        .orElse(null);
  }

  private void addSetbacks(List<String> sentences) {
    final List<Setback> setbacks = story.moments(Setback.class);
    if (setbacks.isEmpty()) {
      return;
    }
    long recomputed = 0;
    for (Setback setback : setbacks) {
      recomputed += setback.recomputedTokens();
    }
    long againNs = 0;
    for (TimeAccount.Line line : story.account().lines()) {
      final boolean lost =
          line.phase() == Phase.WAITING_AGAIN || line.label().equals(Activity.RECOMPUTATION);
      againNs += lost ? line.ns() : 0;
    }
    sentences.add(
        Durations.human(againNs)
            + " went to "
            + Words.plural(setbacks.size(), "preemption")
            + ": waiting again, and computing "
            + Words.plural(recomputed, "token")
            + " again");
  }
}

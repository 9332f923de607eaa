package dev.headway.faultsim.simulation;

import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.request.MultiModalItem;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The encoder's outputs that an executor keeps, step by step, and those that a fault has cost. */
final class EncoderOutputs {

  private final RuleBook rules;
  private final int slots;
  private final int budget;
  private final int lookahead;

  /** Embeddings of what is kept, by its hash. */
  private final Map<String, Integer> kept = new LinkedHashMap<>();

  /** What was to be encoded when something went wrong. */
  private final Set<String> lost = new HashSet<>();

  /** What refused steps were to drop. */
  private final List<String> ofRefused = new ArrayList<>();

  EncoderOutputs(RuleBook rules, SchedulerConfig config) {
    this.rules = rules;
    slots = config.encoder().cacheSlots();
    budget = config.encoder().computeBudget();
    lookahead = config.speculation().prefillLookaheadTokens();
  }

  /** Whether an entry has an output to read that is not there. */
  boolean lacks(ModelStep step, ModelStep.Entry entry) {
    if (entry.turn == null) {
      return false;
    }
    final int to = entry.from + entry.scheduled - entry.drafts + lookahead;
    for (MultiModalItem item : entry.turn.request.items()) {
      if (item.hasEmbeddingIn(entry.from, to) && !kept.containsKey(item.hash())) {
        if (!lost.contains(item.hash())) {
          rules.violate(
              Rule.TOKENS,
              "an output must be there that an entry reads, unless a fault has cost it: step="
                  + step.id
                  + ", "
                  + entry.request
                  + ", tokens=["
                  + entry.from
                  + ", "
                  + to
                  + "), "
                  + item);
        }
        return true;
      }
    }
    return false;
  }

  /**
   * A step's turn has come: drops and encodes.
   *
   * @param failed index of the entry for which nothing is encoded; -1 for none
   */
  void run(ModelStep step, int failed) {
    kept.keySet().removeAll(step.dropped);
    int embeddings = 0;
    for (int index = 0; index < step.size; index++) {
      for (MultiModalItem item : step.entry(index).toEncode) {
        embeddings += item.embeddings();
        if (index == failed) {
          lose(item);
        } else {
          lost.remove(item.hash());
          kept.put(item.hash(), item.embeddings());
        }
      }
    }
    final int held = kept.values().stream().mapToInt(Integer::intValue).sum();
    if (embeddings > budget || held > slots) {
      rules.violate(
          Rule.LIMITS,
          "a plan must keep to the encoder's budget and cache: step="
              + step.id
              + ", embeddings="
              + embeddings
              + " of "
              + budget
              + ", kept="
              + held
              + " of "
              + slots);
    }
  }

  /** A step fails: what it was to drop is dropped, what it was to encode is not there. */
  void fail(ModelStep step) {
    kept.keySet().removeAll(step.dropped);
    for (int index = 0; index < step.size; index++) {
      step.entry(index).toEncode.forEach(this::lose);
    }
  }

  /** A step is out: it also drops what those were to drop that were refused before it. */
  void accept(ModelStep step) {
    step.dropped.addAll(ofRefused);
    ofRefused.clear();
  }

  /** A step is refused: what it was to encode will not be there, unless it is now. */
  void refuse(ModelStep step) {
    ofRefused.addAll(step.dropped);
    for (int index = 0; index < step.size; index++) {
      step.entry(index).toEncode.forEach(item -> lost.add(item.hash()));
    }
  }

  private void lose(MultiModalItem item) {
    kept.remove(item.hash());
    lost.add(item.hash());
  }
}

package dev.headway.executor.reference;

import dev.headway.executor.model.ExpertRouting;
import dev.headway.executor.model.ExpertRouting.Scoring;
import dev.headway.executor.model.ExpertsShape;
import java.util.Arrays;

/**
 * Which experts a token gets, and with which weights: a function of its own logits. Where two
 * experts are equally good, the one with the lower index goes first; so do groups.
 *
 * <p>With softmax the weights are {@code exp(logit)} over its sum: that of the chosen if weights
 * are renormalised, else of all ({@code modeling_mixtral.py} and {@code modeling_qwen3_moe.py} of
 * transformers). With sigmoid they are {@code s = 1 / (1 + exp(-logit))}, if they are renormalised
 * over {@code sum of the chosen + 1e-20}, times the factor; experts are chosen by {@code s +
 * correction}, and groups by the sum of their two best ({@code modeling_glm4_moe.py}, {@code
 * modeling_deepseek_v3.py}). Experts of other groups are never chosen, as in vLLM; transformers
 * gives them 0, which differs where a correction makes all others negative.
 *
 * <p>Sums are floats, in the order of the experts. One thread's own; allocates nothing.
 */
public final class ExpertChoice {

  private static final float LEAST_SUM = 1e-20f;

  private final ExpertsShape shape;
  private final float[] scores;
  private final float[] ranks;
  private final boolean[] isChosen;
  private final float[] groupRanks;
  private final boolean[] isChosenGroup;
  private final int[] experts;
  private final float[] weights;

  /** Makes room for one token. */
  public ExpertChoice(ExpertsShape shape) {
    this.shape = shape;
    final int groups = shape.routing().groups();
    scores = new float[shape.experts()];
    ranks = new float[shape.experts()];
    isChosen = new boolean[shape.experts()];
    groupRanks = new float[groups];
    isChosenGroup = new boolean[groups];
    experts = new int[shape.expertsPerToken()];
    weights = new float[shape.expertsPerToken()];
  }

  /**
   * Chooses for a token whose logits begin at {@code logits[at]}.
   *
   * @param correction one per expert, with {@link ExpertsShape#hasCorrection}; else not read
   */
  public void choose(float[] logits, int at, float[] correction) {
    final ExpertRouting routing = shape.routing();
    if (routing.scoring() == Scoring.SOFTMAX) {
      exponentials(logits, at);
    } else {
      for (int expert = 0; expert < scores.length; expert++) {
        scores[expert] = (float) (1 / (1 + Math.exp(-logits[at + expert])));
        ranks[expert] = scores[expert] + correction[expert];
      }
    }
    if (routing.groups() > 1) {
      leaveOutGroups(routing);
    }
    takeBest(ranks, shape.expertsPerToken(), isChosen);
    float ofAll = 0;
    float ofChosen = 0;
    int slot = 0;
    for (int expert = 0; expert < scores.length; expert++) {
      ofAll += scores[expert];
      if (isChosen[expert]) {
        ofChosen += scores[expert];
        experts[slot] = expert;
        weights[slot++] = scores[expert];
      }
    }
    weigh(routing, ofAll, ofChosen);
  }

  private void exponentials(float[] logits, int at) {
    float max = Float.NEGATIVE_INFINITY;
    for (int expert = 0; expert < scores.length; expert++) {
      ranks[expert] = logits[at + expert];
      max = Math.max(max, ranks[expert]);
    }
    for (int expert = 0; expert < scores.length; expert++) {
      scores[expert] = (float) Math.exp(ranks[expert] - max);
    }
  }

  private void leaveOutGroups(ExpertRouting routing) {
    final int size = scores.length / routing.groups();
    for (int group = 0; group < groupRanks.length; group++) {
      float best = Float.NEGATIVE_INFINITY;
      float second = Float.NEGATIVE_INFINITY;
      for (int expert = group * size; expert < (group + 1) * size; expert++) {
        second = Math.max(second, Math.min(best, ranks[expert]));
        best = Math.max(best, ranks[expert]);
      }
      groupRanks[group] = best + second;
    }
    takeBest(groupRanks, routing.groupsPerToken(), isChosenGroup);
    for (int expert = 0; expert < scores.length; expert++) {
      if (!isChosenGroup[expert / size]) {
        ranks[expert] = Float.NEGATIVE_INFINITY;
      }
    }
  }

  /** Marks the {@code count} largest; a value that is no number is larger than none. */
  private static void takeBest(float[] values, int count, boolean[] chosen) {
    Arrays.fill(chosen, false);
    for (int taken = 0; taken < count; taken++) {
      int best = -1;
      for (int i = 0; i < values.length; i++) {
        if (!chosen[i] && (best < 0 || values[i] > values[best])) {
          best = i;
        }
      }
      chosen[best] = true;
    }
  }

  private void weigh(ExpertRouting routing, float ofAll, float ofChosen) {
    final boolean softmax = routing.scoring() == Scoring.SOFTMAX;
    for (int slot = 0; slot < weights.length; slot++) {
      float weight = weights[slot];
      if (routing.renormalise()) {
        weight /= softmax ? ofChosen : ofChosen + LEAST_SUM;
      } else if (softmax) {
        weight /= ofAll;
      }
      weights[slot] = weight * (float) routing.scalingFactor();
    }
  }

  /** Experts of a token. */
  public int count() {
    return experts.length;
  }

  /**
   * The expert of a slot.
   *
   * @param slot in [0, expertsPerToken); experts ascend
   */
  public int expert(int slot) {
    return experts[slot];
  }

  /** The weight of that expert's output. */
  public float weight(int slot) {
    return weights[slot];
  }
}

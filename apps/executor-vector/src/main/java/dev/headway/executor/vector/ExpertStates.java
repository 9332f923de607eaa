package dev.headway.executor.vector;

import dev.headway.executor.model.ExpertsShape;
import dev.headway.executor.model.ModelConfig;
import dev.headway.executor.reference.ExpertChoice;
import java.util.Arrays;

/**
 * Which rows of a step have which experts, and what is between an expert's products. A slot is one
 * expert of one row: {@code row * perRow + i}, experts ascending. A place is where a slot lies once
 * they are grouped by expert, rows ascending within a group.
 *
 * <p>One layer at a time. Workers fill rows of it; the engine thread does the rest.
 */
final class ExpertStates {

  /** The router's, a row per token. */
  final Activations logits;

  /** The normed states, a row per place, as are all below. */
  final Activations inputs;

  /** The experts' gates, later their inner states. */
  final Activations gates;

  /** The experts' inputs. */
  final Activations ups;

  /** What experts made. */
  final Activations outputs;

  private final ExpertsShape shape;
  private final ExpertChoice[] choices;
  private final int[] begins;
  private final int[] active;
  private final int[] next;
  private int activeCount;
  private long activeSum;
  private int[] experts = {};
  private float[] weights = {};
  private int[] places = {};
  private int[] slots = {};

  ExpertStates(ModelConfig config, ExpertsShape shape, int workers) {
    this.shape = shape;
    logits = new Activations("router logits", shape.experts());
    inputs = new Activations("inputs of experts", config.hiddenSize());
    gates = new Activations("gates of experts", shape.intermediateSize());
    ups = new Activations("ups of experts", shape.intermediateSize());
    outputs = new Activations("outputs of experts", config.hiddenSize());
    choices = new ExpertChoice[workers];
    for (int worker = 0; worker < workers; worker++) {
      choices[worker] = new ExpertChoice(shape);
    }
    begins = new int[shape.experts() + 1];
    active = new int[shape.experts()];
    next = new int[shape.experts()];
  }

  /** Experts of a row. */
  int perRow() {
    return shape.expertsPerToken();
  }

  /** Makes room; what was there is lost if there was less. */
  void reserve(int rows) {
    final int count = Math.multiplyExact(rows, perRow());
    logits.reserve(rows);
    inputs.reserve(count);
    gates.reserve(count);
    ups.reserve(count);
    outputs.reserve(count);
    if (experts.length < count) {
      experts = new int[2 * count];
      weights = new float[2 * count];
      places = new int[2 * count];
      slots = new int[2 * count];
    }
  }

  /** Chooses the experts of a row whose logits are there. */
  void choose(int worker, int row, float[] correction) {
    final ExpertChoice choice = choices[worker];
    choice.choose(logits.values(), logits.at(row), correction);
    for (int i = 0; i < perRow(); i++) {
      experts[row * perRow() + i] = choice.expert(i);
      weights[row * perRow() + i] = choice.weight(i);
    }
  }

  /** Groups the slots of all rows by expert. */
  void group(int rows) {
    final int count = rows * perRow();
    Arrays.fill(next, 0);
    for (int slot = 0; slot < count; slot++) {
      next[experts[slot]]++;
    }
    activeCount = 0;
    int begin = 0;
    for (int expert = 0; expert < next.length; expert++) {
      final int size = next[expert];
      next[expert] = begin;
      if (size > 0) {
        active[activeCount] = expert;
        begins[activeCount++] = begin;
        begin += size;
      }
    }
    begins[activeCount] = begin;
    activeSum += activeCount;
    for (int slot = 0; slot < count; slot++) {
      final int place = next[experts[slot]]++;
      places[slot] = place;
      slots[place] = slot;
    }
  }

  /** Begins a step. */
  void begin() {
    activeSum = 0;
  }

  /** Experts that any row had, summed over the layers of the step. */
  long activeSum() {
    return activeSum;
  }

  /** Experts that any row has. */
  int active() {
    return activeCount;
  }

  /** The expert of a group in [0, active). */
  int expert(int group) {
    return active[group];
  }

  /** The first place of a group; {@code begin(active)} is behind the last place. */
  int begin(int group) {
    return begins[group];
  }

  int slotAt(int place) {
    return slots[place];
  }

  int placeOf(int slot) {
    return places[slot];
  }

  float weight(int slot) {
    return weights[slot];
  }
}

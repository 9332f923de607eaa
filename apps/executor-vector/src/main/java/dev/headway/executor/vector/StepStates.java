package dev.headway.executor.vector;

import dev.headway.executor.model.AttentionShape;
import dev.headway.executor.model.ModelConfig;
import java.util.List;

/** What the tasks of a step hand on to each other, a row per token. */
final class StepStates {

  /** The residual stream. */
  final Activations hidden;

  /** Normalised, the input of products; after the last layer, of the logits. */
  final Activations normed;

  /** Queries, keys and values, one after the other. */
  final Activations qkv;

  /** What attention made of the queries. */
  final Activations attended;

  /** What is to be added to the residual stream. */
  final Activations added;

  /** The feed-forward's gate, later its inner state. */
  final Activations gates;

  /** The feed-forward's input. */
  final Activations ups;

  /** A row per sample. */
  final Activations logits;

  private final List<Activations> perToken;

  StepStates(ModelConfig config) {
    final AttentionShape shape = config.attention();
    hidden = new Activations("hidden", config.hiddenSize());
    normed = new Activations("normed", config.hiddenSize());
    qkv = new Activations("qkv", shape.queryDim() + 2 * shape.kvDim());
    attended = new Activations("attended", shape.queryDim());
    added = new Activations("added", config.hiddenSize());
    gates = new Activations("gates", config.denseIntermediateSize());
    ups = new Activations("ups", config.denseIntermediateSize());
    logits = new Activations("logits", config.vocabularySize());
    perToken = List.of(hidden, normed, qkv, attended, added, gates, ups);
  }

  /** Makes room; what was there is lost if there was less. */
  void reserve(int tokens, int samples) {
    for (int i = 0; i < perToken.size(); i++) {
      perToken.get(i).reserve(tokens);
    }
    logits.reserve(samples);
  }
}

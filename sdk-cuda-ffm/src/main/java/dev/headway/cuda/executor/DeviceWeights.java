package dev.headway.cuda.executor;

import dev.headway.cuda.device.CudaDevice;
import dev.headway.cuda.device.CudaStream;
import dev.headway.cuda.device.DeviceBuffer;
import dev.headway.cuda.device.MemoryUse;
import dev.headway.cuda.device.WeightMatrix;
import dev.headway.executor.model.BFloat16;
import dev.headway.executor.model.ExpertsShape;
import dev.headway.executor.model.Model;
import dev.headway.executor.model.ModelConfig;
import dev.headway.executor.model.ModelLayout;
import dev.headway.executor.model.OutputHead;
import dev.headway.executor.model.ProjectionBiases;
import org.jspecify.annotations.Nullable;

/**
 * The weights on the device, bf16, in one allocation. Queries, keys and values are one matrix, and
 * so are gate and up: their rows follow each other. The embedding serves as head if the model ties
 * them.
 */
final class DeviceWeights {
  private final long embedding;
  private final float embeddingScale;
  private final LayerWeights[] layers;
  private final long finalNorm;
  private final WeightMatrix head;

  private DeviceWeights(
      long embedding,
      float embeddingScale,
      LayerWeights[] layers,
      long finalNorm,
      WeightMatrix head) {
    this.embedding = embedding;
    this.embeddingScale = embeddingScale;
    this.layers = layers;
    this.finalNorm = finalNorm;
    this.head = head;
  }

  /**
   * A layer's tensors on the device; address 0 for those that the model does not have.
   *
   * @param qkv {@code [(heads + 2 * kvHeads) * headDim][hidden]}
   * @param attentionOutputNorm of what attention adds, in models that norm it
   * @param feedForwardNorm of the feed-forward's input
   * @param feedForwardOutputNorm of what the feed-forward adds, in models that norm it
   * @param gateUp {@code [2 * intermediate][hidden]}, gates first; null with experts
   * @param down null with experts
   * @param experts in place of those; null without
   */
  record LayerWeights(
      long inputNorm,
      WeightMatrix qkv,
      long queryNorm,
      long keyNorm,
      WeightMatrix output,
      long attentionOutputNorm,
      long feedForwardNorm,
      long feedForwardOutputNorm,
      @Nullable WeightMatrix gateUp,
      @Nullable WeightMatrix down,
      @Nullable ExpertWeights experts) {}

  /** Uploads a model; when this returns it is there. */
  static DeviceWeights upload(CudaDevice device, CudaStream stream, Model model) {
    final ModelConfig config = model.config();
    final MemoryUse use = MemoryUse.of("weights");
    final DeviceBuffer target = device.allocate(use, bytes(config));
    try (WeightUpload upload = new WeightUpload(device, stream, model.weights(), target)) {
      final int hidden = config.hiddenSize();
      final long words = (long) config.vocabularySize() * hidden;
      final long embedding = upload.tensor(ModelLayout.EMBEDDING, words);
      final LayerWeights[] layers = new LayerWeights[config.layers()];
      for (int layer = 0; layer < layers.length; layer++) {
        layers[layer] = layer(upload, config, layer);
      }
      final long finalNorm = upload.tensor(ModelLayout.FINAL_NORM, hidden);
      final boolean tied = config.outputHead() == OutputHead.TIED;
      final long head = tied ? embedding : upload.tensor(ModelLayout.OWN_HEAD, words);
      return new DeviceWeights(
          embedding,
          BFloat16.round(model.embeddingScale()),
          layers,
          finalNorm,
          new WeightMatrix(head, 0, config.vocabularySize(), hidden));
    }
  }

  private static LayerWeights layer(WeightUpload upload, ModelConfig config, int layer) {
    upload.enter(layer);
    final int hidden = config.hiddenSize();
    final int queryDim = config.attention().queryDim();
    final int kvDim = config.attention().kvDim();
    final int headDim = config.attention().headDim();
    final ProjectionBiases biases = config.biases();
    final boolean norms = config.qkNorm();
    final long inputNorm = upload.tensor(ModelLayout.INPUT_NORM, hidden);
    final long qkv = upload.tensor(ModelLayout.Q_PROJ, (long) queryDim * hidden);
    upload.append(ModelLayout.K_PROJ, (long) kvDim * hidden);
    upload.append(ModelLayout.V_PROJ, (long) kvDim * hidden);
    final long qkvBias = biases.qkv() ? upload.tensor(ModelLayout.Q_BIAS, queryDim) : 0;
    if (biases.qkv()) {
      upload.append(ModelLayout.K_BIAS, kvDim);
      upload.append(ModelLayout.V_BIAS, kvDim);
    }
    final long queryNorm = norms ? upload.tensor(ModelLayout.Q_NORM, headDim) : 0;
    final long keyNorm = norms ? upload.tensor(ModelLayout.K_NORM, headDim) : 0;
    final long output = upload.tensor(ModelLayout.O_PROJ, (long) hidden * queryDim);
    final long outputBias = biases.output() ? upload.tensor(ModelLayout.O_BIAS, hidden) : 0;
    final boolean ofOutputs = config.family().hasOutputNorms();
    final long attentionOutputNorm =
        ofOutputs ? upload.tensor(ModelLayout.POST_ATTENTION_NORM, hidden) : 0;
    final long feedForwardNorm =
        upload.tensor(ModelLayout.feedForwardNorm(config.family()), hidden);
    final long feedForwardOutputNorm =
        ofOutputs ? upload.tensor(ModelLayout.POST_FEED_FORWARD_NORM, hidden) : 0;
    final ExpertsShape experts = config.expertsIn(layer);
    final WeightMatrix gateUp = experts == null ? gateUp(upload, config) : null;
    final WeightMatrix down = experts == null ? down(upload, config) : null;
    return new LayerWeights(
        inputNorm,
        new WeightMatrix(qkv, qkvBias, queryDim + 2 * kvDim, hidden),
        queryNorm,
        keyNorm,
        new WeightMatrix(output, outputBias, hidden, queryDim),
        attentionOutputNorm,
        feedForwardNorm,
        feedForwardOutputNorm,
        gateUp,
        down,
        experts == null ? null : ExpertWeights.upload(upload, config, experts));
  }

  private static WeightMatrix gateUp(WeightUpload upload, ModelConfig config) {
    final int hidden = config.hiddenSize();
    final int inner = config.intermediateSize();
    final boolean hasBias = config.biases().feedForward();
    final long gateUp = upload.tensor(ModelLayout.GATE_PROJ, (long) inner * hidden);
    upload.append(ModelLayout.UP_PROJ, (long) inner * hidden);
    final long bias = hasBias ? upload.tensor(ModelLayout.GATE_BIAS, inner) : 0;
    if (hasBias) {
      upload.append(ModelLayout.UP_BIAS, inner);
    }
    return new WeightMatrix(gateUp, bias, 2 * inner, hidden);
  }

  private static WeightMatrix down(WeightUpload upload, ModelConfig config) {
    final int hidden = config.hiddenSize();
    final int inner = config.intermediateSize();
    final long down = upload.tensor(ModelLayout.DOWN_PROJ, (long) hidden * inner);
    final long bias =
        config.biases().feedForward() ? upload.tensor(ModelLayout.DOWN_BIAS, hidden) : 0;
    return new WeightMatrix(down, bias, hidden, inner);
  }

  /** An upper bound: every tensor, each with the most that alignment can cost. */
  static long bytes(ModelConfig config) {
    return 2 * config.parameters()
        + (long) ModelLayout.of(config).size() * WeightUpload.ALIGNMENT_BYTES;
  }

  long embedding() {
    return embedding;
  }

  /** What rows of the embedding are multiplied by; 1 in most models. */
  float embeddingScale() {
    return embeddingScale;
  }

  LayerWeights layer(int index) {
    return layers[index];
  }

  long finalNorm() {
    return finalNorm;
  }

  /** {@code [vocabulary][hidden]}. */
  WeightMatrix head() {
    return head;
  }
}

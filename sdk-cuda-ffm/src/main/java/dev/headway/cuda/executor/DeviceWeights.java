package dev.headway.cuda.executor;

import dev.headway.cuda.device.CudaDevice;
import dev.headway.cuda.device.CudaStream;
import dev.headway.cuda.device.DeviceBuffer;
import dev.headway.cuda.device.MemoryUse;
import dev.headway.cuda.device.WeightMatrix;
import dev.headway.cuda.executor.WeightUpload.Part;
import dev.headway.executor.model.BFloat16;
import dev.headway.executor.model.ExpertsShape;
import dev.headway.executor.model.Model;
import dev.headway.executor.model.ModelConfig;
import dev.headway.executor.model.ModelLayout;
import dev.headway.executor.model.OutputHead;
import dev.headway.executor.reference.Precision;
import org.jspecify.annotations.Nullable;

/**
 * The weights on the device in one allocation: bf16, or the codes of eight-bit floats and their
 * scales, or experts in MXFP4, where the model is stored so. Queries, keys and values are one
 * matrix, and so are gate and up: their rows follow each other. The embedding serves as head if the
 * model ties them.
 */
final class DeviceWeights {
  private final long embedding;
  private final float embeddingScale;
  private final LayerWeights[] layers;
  private final long finalNorm;
  private final WeightMatrix head;
  private final long codeBytes;
  private final long mxfp4Bytes;
  private final long largestCodes;
  private final int widestRounded;
  private final int mostInputScales;

  private DeviceWeights(
      long embedding,
      float embeddingScale,
      LayerWeights[] layers,
      long finalNorm,
      WeightMatrix head,
      WeightUpload placed) {
    codeBytes = placed.codes();
    mxfp4Bytes = placed.inMxfp4();
    largestCodes = placed.largestCodes();
    widestRounded = placed.widestRounded();
    mostInputScales = placed.mostInputScales();
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
   * @param sinks {@code float[heads]}
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
      long sinks,
      WeightMatrix output,
      long attentionOutputNorm,
      long feedForwardNorm,
      long feedForwardOutputNorm,
      @Nullable WeightMatrix gateUp,
      @Nullable WeightMatrix down,
      @Nullable ExpertWeights experts) {}

  /** Uploads a model; when this returns it is there. */
  static DeviceWeights upload(
      CudaDevice device, CudaStream stream, Model model, Precision precision) {
    final MemoryUse use = MemoryUse.of("weights");
    final DeviceBuffer target = device.allocate(use, counted(model, precision).bytes());
    try (WeightCopies copies = new WeightCopies(device, stream, model.weights(), target)) {
      return place(new WeightUpload(model.weights(), target.address(), copies, precision), model);
    }
  }

  /** What the weights take on a device. */
  static long bytes(Model model) {
    return counted(model, Precision.BFLOAT16).bytes();
  }

  private static WeightUpload counted(Model model, Precision precision) {
    final WeightUpload count = new WeightUpload(model.weights(), 0, WeightSink.NONE, precision);
    place(count, model);
    return count;
  }

  /**
   * Refuses a precision that kernels do not have for a model, or that changes nothing of it.
   *
   * @throws IllegalArgumentException saying what must hold
   */
  static void requirePrecision(Model model, Precision precision) {
    if (precision == Precision.FLOAT32) {
      throw new IllegalArgumentException(
          "precision must be BFLOAT16 or QUANTIZED, since kernels store bfloat16:"
              + " precision=FLOAT32");
    }
    if (precision == Precision.QUANTIZED && counted(model, precision).widestRounded() == 0) {
      throw new IllegalArgumentException(
          "precision QUANTIZED needs a checkpoint whose quantization_config rounds inputs to"
              + " eight-bit floats, and this one leaves them as they are: precision BFLOAT16 does"
              + " the same");
    }
  }

  /** Gives every tensor its place. */
  static DeviceWeights place(WeightUpload upload, Model model) {
    final ModelConfig config = model.config();
    final int hidden = config.hiddenSize();
    final int vocabulary = config.vocabularySize();
    final long embedding = upload.tensor(ModelLayout.EMBEDDING, (long) vocabulary * hidden);
    final LayerWeights[] layers = new LayerWeights[config.layers()];
    for (int layer = 0; layer < layers.length; layer++) {
      layers[layer] = layer(upload, config, layer);
    }
    final long finalNorm = upload.tensor(ModelLayout.FINAL_NORM, hidden);
    final WeightMatrix head =
        config.outputHead() == OutputHead.TIED
            ? new WeightMatrix(embedding, 0, vocabulary, hidden)
            : upload.matrix(hidden, new Part(ModelLayout.OWN_HEAD, vocabulary));
    return new DeviceWeights(
        embedding, BFloat16.round(model.embeddingScale()), layers, finalNorm, head, upload);
  }

  private static LayerWeights layer(WeightUpload upload, ModelConfig config, int layer) {
    upload.enter(layer);
    final int hidden = config.hiddenSize();
    final int queryDim = config.attention().queryDim();
    final int kvDim = config.attention().kvDim();
    final int headDim = config.attention().headDim();
    final boolean norms = config.qkNorm();
    final long inputNorm = upload.tensor(ModelLayout.INPUT_NORM, hidden);
    final WeightMatrix qkv =
        upload.matrix(
            hidden,
            part(config, ModelLayout.Q_PROJ, queryDim),
            part(config, ModelLayout.K_PROJ, kvDim),
            part(config, ModelLayout.V_PROJ, kvDim));
    final long queryNorm = norms ? upload.tensor(ModelLayout.Q_NORM, headDim) : 0;
    final long keyNorm = norms ? upload.tensor(ModelLayout.K_NORM, headDim) : 0;
    final long sinks =
        config.family().hasSinks()
            ? upload.floats(ModelLayout.SINKS, config.attention().heads())
            : 0;
    final WeightMatrix output = upload.matrix(queryDim, part(config, ModelLayout.O_PROJ, hidden));
    final boolean ofOutputs = config.family().hasOutputNorms();
    final long attentionOutputNorm =
        ofOutputs ? upload.tensor(ModelLayout.POST_ATTENTION_NORM, hidden) : 0;
    final long feedForwardNorm =
        upload.tensor(ModelLayout.feedForwardNorm(config.family()), hidden);
    final long feedForwardOutputNorm =
        ofOutputs ? upload.tensor(ModelLayout.POST_FEED_FORWARD_NORM, hidden) : 0;
    final ExpertsShape experts = config.expertsIn(layer);
    return new LayerWeights(
        inputNorm,
        qkv,
        queryNorm,
        keyNorm,
        sinks,
        output,
        attentionOutputNorm,
        feedForwardNorm,
        feedForwardOutputNorm,
        experts == null ? gateUp(upload, config) : null,
        experts == null
            ? upload.matrix(config.intermediateSize(), part(config, ModelLayout.DOWN_PROJ, hidden))
            : null,
        experts == null ? null : ExpertWeights.upload(upload, config, experts));
  }

  private static WeightMatrix gateUp(WeightUpload upload, ModelConfig config) {
    final int inner = config.intermediateSize();
    return upload.matrix(
        config.hiddenSize(),
        part(config, ModelLayout.GATE_PROJ, inner),
        part(config, ModelLayout.UP_PROJ, inner));
  }

  private static Part part(ModelConfig config, String weight, int rows) {
    return new Part(weight, rows, ModelLayout.biasOf(weight, config.biases()));
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

  /** How many bytes are codes of eight-bit floats, one for each weight. */
  long codeBytes() {
    return codeBytes;
  }

  /** How many bytes are experts in MXFP4. */
  long mxfp4Bytes() {
    return mxfp4Bytes;
  }

  /** Inputs of the widest matrix whose inputs are rounded; 0 if there is none. */
  int widestRounded() {
    return widestRounded;
  }

  /** Most scales of the inputs of a row; 0 if none are rounded. */
  int mostInputScales() {
    return mostInputScales;
  }

  /** Codes of the largest matrix that a product may want in bf16; 0 if there is none. */
  long largestCodes() {
    return largestCodes;
  }
}

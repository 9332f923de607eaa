package dev.headway.cuda.gpu;

import dev.headway.cuda.device.CudaDevice;
import dev.headway.cuda.device.CudaStream;
import dev.headway.cuda.device.DeviceBuffer;
import dev.headway.cuda.device.WeightMatrix;
import dev.headway.cuda.kernel.AttentionBatch;
import dev.headway.cuda.kernel.AttentionKernelShape;
import dev.headway.cuda.kernel.AttentionKernels;
import dev.headway.cuda.kernel.DecodeCut;
import dev.headway.cuda.kernel.Kernels;
import dev.headway.cuda.kernel.LayerCache;
import dev.headway.cuda.kernel.LinearOutput;
import dev.headway.cuda.kernel.NormTerms;
import dev.headway.cuda.kernel.PrefillCut;
import dev.headway.cuda.kernel.SamplingKernels;

/**
 * The kernels as they are measured: the one place that knows how their methods are called, and what
 * their launches leave each other.
 */
final class KernelCalls {
  private final CudaStream stream;
  private final Kernels kernels;
  private final AttentionKernels attention;
  private final DeviceArrays arrays;
  private final DeviceBuffer products;
  private DeviceBuffer samples;

  KernelCalls(CudaDevice device, CudaStream stream, AttentionKernelShape shape) {
    this.stream = stream;
    kernels = Kernels.load(device);
    attention = kernels.attention(shape);
    arrays = new DeviceArrays(device, stream);
    products = arrays.zeros(kernels.linear().workspaceBytes());
    samples = arrays.zeros(SamplingKernels.SAMPLE_STATE_BYTES);
  }

  void norm(long out, long x, long weight, int rows, int dim) {
    kernels.rows().rmsNorm(stream, out, x, weight, rows, dim, new NormTerms(1e-5f, 0));
  }

  void swiglu(long out, long gateUp, int rows, int inner) {
    kernels.rows().swiglu(stream, out, gateUp, rows, inner);
  }

  /** {@code y = x * transpose(w)}, bf16. */
  void product(long y, long x, WeightMatrix w, int m) {
    kernels.linear().multiply(stream, LinearOutput.BF16, y, x, w, 0, m, products.address());
  }

  /** Must be called before {@link #sample} for so many rows. */
  void allowRows(int rows) {
    samples.close();
    samples = arrays.zeros((long) rows * SamplingKernels.SAMPLE_STATE_BYTES);
  }

  /**
   * As the executor does for requests that all ask for the same. {@code tokens}: {@code int[rows]},
   * then what is no number, {@code int[rows]} and {@code float[rows]}; {@code real}: temperature,
   * topP, minP; {@code whole}: topK, position, seed.
   */
  void sample(
      long tokens,
      long logits,
      long real,
      long whole,
      int rows,
      int vocabulary,
      SamplingRates.Filter filter) {
    final int narrowings =
        SamplingKernels.narrowings(filter.temperature, filter.topK, filter.topP, filter.minP);
    kernels
        .sampling()
        .sample(
            stream,
            samples.address(),
            tokens,
            tokens + 4L * rows,
            tokens + 8L * rows,
            logits,
            real,
            whole,
            rows,
            rows,
            vocabulary,
            narrowings);
  }

  /** How rows are cut into the list that {@link #decode} works through. */
  DecodeCut decodeCut() {
    return attention.decodeCut();
  }

  long decodeScratchBytes(int items) {
    return attention.decodeScratchBytes(items);
  }

  /** Row i is the last token of sequence i; {@code work}: the list of {@link #decodeCut}. */
  void decode(
      AttentionBatch owners,
      LayerCache cache,
      long out,
      long qkv,
      long work,
      int items,
      long scratch) {
    attention.decode(stream, owners, cache, out, qkv, 0, work, items, scratch);
  }

  /** How chunks are cut into the list that {@link #prefill} takes. */
  PrefillCut prefillCut() {
    return attention.prefillCut();
  }

  long prefillScratchBytes(int records) {
    return attention.prefillScratchBytes(records);
  }

  /** {@code items}: the list of {@link #prefillCut}. */
  void prefill(
      AttentionBatch owners,
      LayerCache cache,
      long out,
      long qkv,
      long items,
      int count,
      int records,
      long scratch) {
    attention.prefill(stream, owners, cache, out, qkv, 0, items, count, records, scratch);
  }
}

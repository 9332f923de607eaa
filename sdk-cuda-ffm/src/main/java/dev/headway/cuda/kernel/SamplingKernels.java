package dev.headway.cuda.kernel;

import static dev.headway.cuda.device.KernelParameter.I32;
import static dev.headway.cuda.device.KernelParameter.POINTER;

import dev.headway.cuda.device.CudaModule;
import dev.headway.cuda.device.CudaStream;
import dev.headway.cuda.device.Kernel;

/**
 * From fp32 logits, one row per sampling request, to tokens. The order of filters and the draw are
 * defined at the head of {@code sampling.cu}.
 */
public final class SamplingKernels {
  /** {@code float}s per row of penalties: repetition, presence, frequency. */
  public static final int PENALTY_FLOATS = 3;

  /** {@code float}s per row: temperature, topP, minP. */
  public static final int REAL_PARAMETERS = 3;

  /** {@code int}s per row: topK (0 = off), position of the token, seed low, seed high. */
  public static final int WHOLE_PARAMETERS = 4;

  /** The token of a row that has no number among its logits. */
  public static final int NO_TOKEN = -1;

  private static final int THREADS = 256;
  private static final int ROW_THREADS = 1024;

  private final Kernel count;
  private final Kernel penalties;
  private final Kernel sample;
  private final Kernel logProbabilities;
  private final Kernel notFinite;
  private final Kernel carry;

  SamplingKernels(CudaModule module) {
    count = module.kernel("count_history", POINTER, POINTER, POINTER, POINTER, I32);
    penalties = module.kernel("apply_penalties", POINTER, POINTER, POINTER, POINTER, I32);
    sample = module.kernel("sample_tokens", POINTER, POINTER, POINTER, POINTER, I32);
    logProbabilities = module.kernel("log_probabilities", POINTER, POINTER, POINTER, POINTER, I32);
    notFinite = module.kernel("first_not_finite", POINTER, POINTER, POINTER, I32);
    carry = module.kernel("carry_tokens", POINTER, POINTER, POINTER, POINTER, I32);
  }

  /**
   * Counts the tokens of prompts and outputs.
   *
   * @param counts {@code int[rows][vocabulary]}, zero before
   * @param history tokens of all rows
   * @param begin {@code int[rows + 1]}: where those of a row begin, and the last end
   * @param promptLength {@code int[rows]}: how many of them are its prompt
   */
  public void countHistory(
      CudaStream stream,
      long counts,
      long history,
      long begin,
      long promptLength,
      int rows,
      int vocabulary) {
    Shapes.requirePositive("count_history", "rows", rows);
    count.pointer(counts).pointer(history).pointer(begin).pointer(promptLength).i32(vocabulary);
    count.launch(stream, rows, 1, 1, THREADS, 0);
  }

  /**
   * {@code out = logits} with penalties; {@code out} may be {@code logits}, unless their
   * log-probabilities are wanted.
   *
   * @param counts of {@link #countHistory}
   * @param parameters {@code float[rows][3]}, see {@link #PENALTY_FLOATS}
   */
  public void applyPenalties(
      CudaStream stream,
      long out,
      long logits,
      long counts,
      long parameters,
      int rows,
      int vocabulary) {
    Shapes.requireIn("apply_penalties", "rows", rows, 1, Shapes.MAX_GRID_Y);
    penalties.pointer(out).pointer(logits).pointer(counts).pointer(parameters).i32(vocabulary);
    penalties.launch(stream, Shapes.ceilDiv(vocabulary, THREADS), rows, 1, THREADS, 0);
  }

  /**
   * Chooses a token per row.
   *
   * @param token {@code int[rows]}; {@link #NO_TOKEN} if there is no number among the logits
   * @param real {@code float[rows][3]}, see {@link #REAL_PARAMETERS}
   * @param whole {@code int[rows][4]}, see {@link #WHOLE_PARAMETERS}
   */
  public void sample(
      CudaStream stream, long token, long logits, long real, long whole, int rows, int vocabulary) {
    Shapes.requirePositive("sample_tokens", "rows", rows);
    Shapes.requirePositive("sample_tokens", "vocabulary", vocabulary);
    sample.pointer(token).pointer(logits).pointer(real).pointer(whole).i32(vocabulary);
    sample.launch(stream, rows, 1, 1, rowThreads(vocabulary), 0);
  }

  /**
   * Log-softmax of the raw logit of each row's token, and its rank: 1 + the number of larger
   * logits.
   *
   * @param logProbability {@code float[rows]}; NaN for {@link #NO_TOKEN}
   * @param rank {@code int[rows]}; 0 for {@link #NO_TOKEN}
   */
  public void logProbabilities(
      CudaStream stream,
      long logProbability,
      long rank,
      long logits,
      long token,
      int rows,
      int vocabulary) {
    Shapes.requirePositive("log_probabilities", "rows", rows);
    Shapes.requireIn("log_probabilities", "vocabulary", vocabulary, 1, 1 << 24);
    logProbabilities.pointer(logProbability).pointer(rank).pointer(logits).pointer(token);
    logProbabilities.i32(vocabulary).launch(stream, rows, 1, 1, rowThreads(vocabulary), 0);
  }

  /**
   * Finds the first logit of each row that is no finite number.
   *
   * @param token {@code int[rows]}: its token, -1 if all are finite
   * @param value {@code float[rows]}: the logit itself, 0 if all are finite
   */
  public void firstNotFinite(
      CudaStream stream, long token, long value, long logits, int rows, int vocabulary) {
    Shapes.requirePositive("first_not_finite", "rows", rows);
    Shapes.requirePositive("first_not_finite", "vocabulary", vocabulary);
    notFinite.pointer(token).pointer(value).pointer(logits).i32(vocabulary);
    notFinite.launch(stream, rows, 1, 1, rowThreads(vocabulary), 0);
  }

  /**
   * {@code target[to[i]] = sampled[from[i]]}: tokens that exist only on the device go where the
   * next step reads them. {@link #NO_TOKEN} becomes 0, so that a reader stays inside its table.
   *
   * @param from {@code int[count]}: negative = padding
   * @param to {@code int[count]}
   */
  public void carryTokens(
      CudaStream stream, long target, long sampled, long from, long to, int count) {
    Shapes.requirePositive("carry_tokens", "count", count);
    carry.pointer(target).pointer(sampled).pointer(from).pointer(to).i32(count);
    carry.launch(stream, Shapes.ceilDiv(count, THREADS), 1, 1, THREADS, 0);
  }

  private static int rowThreads(int vocabulary) {
    return Math.min(Shapes.ceilDiv(vocabulary, 32) * 32, ROW_THREADS);
  }
}

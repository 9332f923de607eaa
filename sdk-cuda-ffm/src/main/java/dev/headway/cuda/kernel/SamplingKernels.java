package dev.headway.cuda.kernel;

import static dev.headway.cuda.device.KernelParameter.inOrder;

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

  /** The token of a row whose logits are all negative infinity or no numbers. */
  public static final int NO_TOKEN = -1;

  /** Device bytes of what the launches of {@link #sample} leave each other, per row. */
  public static final int SAMPLE_STATE_BYTES = 25_896;

  /** Device bytes of what the blocks of {@link #logProbabilities} leave each other, per row. */
  public static final int LOGPROB_STATE_BYTES = 11_012;

  /** Most of the likeliest tokens that {@link #logProbabilities} answers. */
  public static final int MAX_TOP = 20;

  /**
   * Bytes of a row's answer of {@link #logProbabilities}: log-probability ({@code float}), rank
   * ({@code int}), {@link #MAX_TOP} tokens ({@code int}), their log-probabilities ({@code float}).
   */
  public static final int LOGPROB_ANSWER_BYTES = 8 + 8 * MAX_TOP;

  /** Asks {@link #logProbabilities} for nothing. */
  public static final int NOT_WANTED = -1;

  /** The {@link #narrowings} of a row that is done after one look at its logits. */
  public static final int SURVEY_ONLY = -1;

  private static final int NARROWINGS_TOP_K = 2;
  private static final int NARROWINGS_TOP_P = 3;

  private static final int THREADS = 256;
  private static final int ROW_THREADS = 1024;
  private static final int SAMPLE_THREADS = 512;
  private static final int LOGPROB_PIECE = 4096;

  private final Kernel count;
  private final Kernel penalties;
  private final Kernel survey;
  private final Kernel narrow;
  private final Kernel draw;
  private final Kernel logProbabilities;
  private final Kernel notFinite;
  private final Kernel carry;

  SamplingKernels(CudaModule module) {
    count = module.kernel("count_history", inOrder(4, 1, 0));
    penalties = module.kernel("apply_penalties", inOrder(4, 1, 0));
    survey = module.kernel("sample_survey", inOrder(7, 3, 0));
    narrow = module.kernel("sample_narrow", inOrder(4, 2, 0));
    draw = module.kernel("sample_draw", inOrder(5, 2, 0));
    logProbabilities = module.kernel("log_probabilities", inOrder(5, 2, 0));
    notFinite = module.kernel("first_not_finite", inOrder(3, 1, 0));
    carry = module.kernel("carry_tokens", inOrder(4, 1, 0));
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
   * How many times the limit of top-k and top-p has to be narrowed for a row with these parameters,
   * whatever its logits are; {@link #SURVEY_ONLY} for greedy rows and those without filters. Any
   * thread.
   */
  public static int narrowings(float temperature, int topK, float topP, float minP) {
    if (temperature == 0 || (topK == 0 && topP >= 1 && minP <= 0)) {
      return SURVEY_ONLY;
    }
    return (topK > 0 ? NARROWINGS_TOP_K : 0) + (topP < 1 ? NARROWINGS_TOP_P : 0);
  }

  /**
   * Chooses a token per row, and looks for logits that are no finite numbers.
   *
   * @param state {@link #SAMPLE_STATE_BYTES} a row, zero before the first use; no two launches that
   *     may overlap share it
   * @param token {@code int[rows]}; {@link #NO_TOKEN} if no logit is above negative infinity
   * @param strayToken {@code int[checked]}: the first token whose logit is no finite number, or -1
   * @param strayLogit {@code float[checked]}: its logit, or 0
   * @param real {@code float[rows][3]}, see {@link #REAL_PARAMETERS}
   * @param whole {@code int[rows][4]}, see {@link #WHOLE_PARAMETERS}
   * @param checked the first rows of this number are looked through for such logits
   * @param narrowings the most {@link #narrowings} of any row; with fewer, a row that needs more
   *     keeps the token it had
   */
  public void sample(
      CudaStream stream,
      long state,
      long token,
      long strayToken,
      long strayLogit,
      long logits,
      long real,
      long whole,
      int rows,
      int checked,
      int vocabulary,
      int narrowings) {
    Shapes.requireIn("sample_survey", "rows", rows, 1, Shapes.MAX_GRID_Y);
    Shapes.requireIn("sample_survey", "vocabulary", vocabulary, 1, SampleSlices.MAX_VOCABULARY);
    Shapes.requireIn("sample_survey", "checked", checked, 0, rows);
    final int slice = SampleSlices.of(rows, vocabulary);
    final int parts = Shapes.ceilDiv(vocabulary, slice);
    survey.pointer(state).pointer(token).pointer(strayToken).pointer(strayLogit).pointer(logits);
    survey.pointer(real).pointer(whole).i32(vocabulary).i32(slice).i32(checked);
    survey.launch(stream, parts, rows, 1, SAMPLE_THREADS, 0);
    if (narrowings == SURVEY_ONLY) {
      return;
    }
    for (int i = 0; i < narrowings; i++) {
      narrow.pointer(state).pointer(logits).pointer(real).pointer(whole);
      narrow.i32(vocabulary).i32(slice).launch(stream, parts, rows, 1, SAMPLE_THREADS, 0);
    }
    draw.pointer(state).pointer(token).pointer(logits).pointer(real).pointer(whole);
    draw.i32(vocabulary).i32(slice).launch(stream, parts, rows, 1, SAMPLE_THREADS, 0);
  }

  /**
   * Log-softmax of the raw logit of each row's token, its rank, and the likeliest tokens with
   * theirs. The rank counts tokens that are at least as likely; the lowest of equals comes first.
   *
   * @param state {@link #LOGPROB_STATE_BYTES} a row, zero before the first use
   * @param answer {@link #LOGPROB_ANSWER_BYTES} a row; NaN and rank 0 for {@link #NO_TOKEN}
   * @param token {@code int[rows]}
   * @param wanted {@code int[rows]}: how many of the likeliest, at most {@link #MAX_TOP} and the
   *     vocabulary; or {@link #NOT_WANTED}, which leaves the row's answer as it is
   */
  public void logProbabilities(
      CudaStream stream,
      long state,
      long answer,
      long logits,
      long token,
      long wanted,
      int rows,
      int vocabulary) {
    Shapes.requireIn("log_probabilities", "rows", rows, 1, Shapes.MAX_GRID_Y);
    Shapes.requireIn("log_probabilities", "vocabulary", vocabulary, 1, SampleSlices.MAX_VOCABULARY);
    final int pieces = Shapes.ceilDiv(vocabulary, LOGPROB_PIECE);
    final int slice = Shapes.ceilDiv(pieces, SampleSlices.MAX_PARTS) * LOGPROB_PIECE;
    logProbabilities.pointer(state).pointer(answer).pointer(logits).pointer(token).pointer(wanted);
    logProbabilities.i32(vocabulary).i32(slice);
    logProbabilities.launch(stream, Shapes.ceilDiv(vocabulary, slice), rows, 1, THREADS, 0);
  }

  /**
   * Finds the first logit of each row that is no finite number, for rows that change before {@link
   * #sample} sees them.
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

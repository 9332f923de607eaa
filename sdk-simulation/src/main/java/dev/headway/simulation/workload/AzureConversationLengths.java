package dev.headway.simulation.workload;

import java.util.Arrays;

/**
 * Prompt and output lengths that are distributed together as in Azure's conversation trace of 2023.
 *
 * <p>Source: {@code AzureLLMInferenceTrace_conv.csv}, Azure Public Dataset, Microsoft, licensed
 * CC-BY 4.0; described in Patel et al., "Splitwise: Efficient generative LLM inference using phase
 * splitting", ISCA 2024. The tables are derived from it: 19,366 rows were reduced to {@value
 * #NODES} quantiles of each length and to a 16 x 16 table that counts how often each pair of rank
 * sixteenths occurs (a checkerboard copula; ties in rank broken at random). No row is kept.
 *
 * <p>A correlation number would not do: prompts around the median come with outputs from both ends,
 * so that Spearman's rho is near 0 although the two lengths are far from independent. A sample
 * draws a cell by its count, a point in the cell evenly, and reads both quantile tables there,
 * interpolating and rounding.
 *
 * <pre>
 *   tokens                 mean       sd    p50    p90    p99    max
 *   prompt, trace        1154.7   1108.8   1020   2734   4142  14050
 *   prompt, synthetic    1156.8   1112.6   1020   2739   4142  14024
 *   output, trace         211.1    162.9    129    424    601   1000
 *   output, synthetic     211.1    163.3    129    424    601   1000
 *   Spearman rho  trace 0.073, synthetic 0.070; Pearson r trace -0.112, synthetic -0.121
 *   Kolmogorov-Smirnov distance: prompt 0.0079, output 0.0085 (4 million draws)
 * </pre>
 */
final class AzureConversationLengths {
  private static final int NODES = 85;

  private static final int CELLS = 16;

  private static final int DENOMINATOR = 10_000;

  /** Every 1.25 % up to 98.75 %, then the tail, in 1/10,000. */
  private static final int[] PROBABILITIES = probabilities();

  private static final int[] INPUT_TOKENS =
      numbers(
          """
          2 42 120 181 181 194 200 203 207 213 235 309 372 375 379 383 387 390 393 395 396 398 400
          401 403 405 407 410 414 420 428 448 703 877 922 966 984 996 1005 1013 1020 1027 1034 1040
          1045 1052 1058 1064 1071 1077 1083 1090 1097 1104 1112 1120 1130 1140 1153 1168 1189 1223
          1277 1313 1315 1335 1434 1644 1877 2088 2310 2530 2735 3536 4075 4079 4083 4087 4092 4123
          4142 4831 6212 7930 14050
          """);

  private static final int[] OUTPUT_TOKENS =
      numbers(
          """
          7 18 28 37 41 45 48 51 54 57 60 64 67 69 72 75 77 80 82 83 85 86 88 89 91 92 93 95 96 98
          99 101 103 105 108 110 113 116 120 124 129 134 139 144 151 157 162 167 177 183 195 211 217
          254 373 377 384 388 391 394 395 396 396 398 400 402 406 409 411 414 416 419 424 428 430
          440 451 478 522 589 601 644 954 1000 1000
          """);

  /** Rows: prompt sixteenth, ascending; columns: output sixteenth. */
  private static final int[] CELL_COUNTS =
      numbers(
          """
          139 23 39 27 31 39 77 150 205 261 211 0 0 0 1 7
          3 54 64 62 39 25 30 53 96 499 286 0 0 0 0 0
          279 181 288 196 77 68 47 45 21 3 4 0 0 0 1 0
          9 60 129 186 231 222 180 116 61 14 2 0 0 0 0 0
          1 10 19 123 222 230 241 181 150 32 2 0 0 0 0 0
          2 9 30 114 206 250 240 173 137 39 10 0 0 0 0 0
          54 60 62 121 153 139 128 150 49 19 20 54 42 50 62 48
          10 14 6 11 13 10 5 11 3 1 90 242 209 219 174 192
          6 6 10 7 10 5 3 1 2 0 60 227 240 240 198 195
          3 12 7 5 3 7 4 2 2 2 68 209 207 216 230 234
          5 10 4 8 10 6 4 3 4 0 70 217 204 204 230 231
          19 22 16 14 7 10 5 13 7 2 65 199 214 186 229 202
          25 40 30 26 17 9 12 32 174 208 245 57 87 89 80 80
          66 178 163 129 96 101 116 128 101 58 37 5 7 6 6 13
          239 220 143 105 52 62 75 99 142 50 23 0 0 0 0 1
          350 312 200 76 44 27 44 53 56 23 17 0 1 0 0 7
          """);

  private final int[] cumulative = CELL_COUNTS.clone();
  private int inputTokens;
  private int outputTokens;

  AzureConversationLengths() {
    Arrays.parallelPrefix(cumulative, Integer::sum);
  }

  /** Draws the next pair of lengths; always takes three numbers from the stream. */
  void draw(RandomStream random) {
    final int cell = cellOf(random.nextInt(cumulative[cumulative.length - 1]));
    final int inputCell = cell / CELLS;
    final int outputCell = cell % CELLS;
    inputTokens = quantile(INPUT_TOKENS, (inputCell + random.nextDouble()) / CELLS);
    outputTokens = quantile(OUTPUT_TOKENS, (outputCell + random.nextDouble()) / CELLS);
  }

  /** The prompt length last drawn. */
  int inputTokens() {
    return inputTokens;
  }

  /** The output length last drawn. */
  int outputTokens() {
    return outputTokens;
  }

  private int cellOf(int ticket) {
    int cell = 0;
    while (cumulative[cell] <= ticket) {
      cell++;
    }
    return cell;
  }

  private static int quantile(int[] values, double probability) {
    final double scaled = probability * DENOMINATOR;
    int node = 1;
    while (PROBABILITIES[node] < scaled) {
      node++;
    }
    final int from = PROBABILITIES[node - 1];
    final double part = (scaled - from) / (PROBABILITIES[node] - from);
    return (int) StrictMath.rint(values[node - 1] + part * (values[node] - values[node - 1]));
  }

  private static int[] probabilities() {
    final int[] tail = {9_900, 9_950, 9_990, 9_999, DENOMINATOR};
    final int[] result = new int[NODES];
    for (int i = 0; i < NODES; i++) {
      result[i] = i < NODES - tail.length ? 125 * i : tail[i - NODES + tail.length];
    }
    return result;
  }

  private static int[] numbers(String text) {
    return Arrays.stream(text.strip().split("\\s+")).mapToInt(Integer::parseInt).toArray();
  }
}

package dev.headway.cuda.kernel;

import static dev.headway.cuda.device.KernelParameter.inOrder;

import dev.headway.cuda.device.CudaModule;
import dev.headway.cuda.device.CudaStream;
import dev.headway.cuda.device.Kernel;

/**
 * What requests say of single tokens, and what grammars allow, on fp32 logits before they are
 * sampled: in place, a row per request.
 */
public final class TokenRuleKernels {
  /** {@code int}s of a rule. */
  public static final int RULE_INTS = 3;

  private static final int RULE_THREADS = 128;
  private static final int MASK_THREADS = 256;

  private final Kernel rules;
  private final Kernel mask;

  TokenRuleKernels(CudaModule module) {
    rules = module.kernel("apply_token_rules", inOrder(3, 1, 0));
    mask = module.kernel("mask_tokens", inOrder(3, 1, 0));
  }

  /**
   * Adds biases, then makes tokens impossible.
   *
   * @param begin {@code int[2 * rows + 1]}: for each row where its biases begin and where its bans
   *     do; and where those of the last row end
   * @param rule {@code int[][3]}: token, bias as a {@code float}, 0; of a ban the token and two
   *     numbers, which count if they are equal. A row has one bias of a token at most
   */
  public void apply(
      CudaStream stream, long logits, long begin, long rule, int rows, int vocabulary) {
    Shapes.requirePositive("apply_token_rules", "rows", rows);
    rules.pointer(logits).pointer(begin).pointer(rule).i32(vocabulary);
    rules.launch(stream, rows, 1, 1, RULE_THREADS, 0);
  }

  /**
   * Makes the tokens impossible whose bit is not set.
   *
   * @param masks {@code int[][ceil(vocabulary / 32)]}: bit {@code t % 32} of word {@code t / 32}
   * @param maskOf {@code int[rows]}: which mask is a row's; negative = every token may be sampled
   */
  public void mask(
      CudaStream stream, long logits, long masks, long maskOf, int rows, int vocabulary) {
    Shapes.requireIn("mask_tokens", "rows", rows, 1, Shapes.MAX_GRID_Y);
    Shapes.requirePositive("mask_tokens", "vocabulary", vocabulary);
    mask.pointer(logits).pointer(masks).pointer(maskOf).i32(vocabulary);
    final int words = Shapes.ceilDiv(vocabulary, Integer.SIZE);
    mask.launch(stream, Shapes.ceilDiv(words, MASK_THREADS), rows, 1, MASK_THREADS, 0);
  }
}

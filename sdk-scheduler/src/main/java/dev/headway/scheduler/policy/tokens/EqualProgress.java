package dev.headway.scheduler.policy.tokens;

import dev.headway.api.policy.ChunkPolicy;
import dev.headway.api.policy.StepView;
import dev.headway.api.request.RequestStatus;
import dev.headway.api.request.RequestView;
import java.util.Arrays;

/**
 * Lets prompts advance side by side: each gets the same number of units, the first ones one more
 * when the tokens do not divide evenly, and none more than it needs. With {@code d} for what a
 * prompt needs and {@code u} for a unit, the number of rounds is the largest r with
 *
 * <pre>{@code
 * sum over prompts of min(d, max(1, r * u)) <= tokens
 * }</pre>
 *
 * <p>so that chunks differ by at most one unit unless a prompt ends. Fewer than a unit may be left.
 *
 * <p>Source: TensorRT-LLM's EQUAL_PROGRESS, which hands out unit by unit; here the rounds are found
 * by bisection. Two differences: a chunk is at least one token, and {@code newcomers} waiting
 * prompts take part, because here requests are admitted after running ones had their tokens.
 */
public final class EqualProgress implements ChunkPolicy {

  private final int unit;
  private final int newcomers;
  private long[] numbers = new long[16];
  private int[] wanted = new int[16];
  private int[] chunks = new int[16];
  private int size;
  private int cursor;
  private int newcomerChunk;

  /**
   * Makes the policy.
   *
   * @param unit tokens handed out at once, >= 1; the KV block size keeps chunks aligned
   * @param newcomers most waiting prompts that shares are kept for, >= 0
   */
  public EqualProgress(int unit, int newcomers) {
    this.unit = unit;
    this.newcomers = newcomers;
  }

  @Override
  public void onStep(StepView step) {
    long tokens = collect(step);
    final int seats = step.config().limits().maxNumSeqs() - step.runningCount();
    final int expected = Math.min(newcomers, Math.min(step.waitingCount(), Math.max(0, seats)));
    final int rounds = rounds(tokens, expected);
    tokens -= demand(rounds, expected);
    for (int index = 0; index < size; index++) {
      final int base = share(wanted[index], rounds);
      final int more = share(wanted[index], rounds + 1) - base;
      chunks[index] = more <= tokens ? base + more : base;
      tokens -= chunks[index] - base;
    }
    newcomerChunk = Math.max(1, share(Integer.MAX_VALUE, rounds));
    cursor = 0;
  }

  /** Notes the running prompts and what they want; returns the tokens that decodes leave them. */
  private long collect(StepView step) {
    size = 0;
    final int cap = step.config().longPrefillTokenThreshold();
    final int perDecode = 1 + step.config().speculation().numSpeculativeTokens();
    long tokens = step.tokensLeft();
    for (int index = 0; index < step.runningCount(); index++) {
      final RequestView running = step.running(index);
      if (running.isDecoding()) {
        tokens -= perDecode;
        continue;
      }
      if (size == numbers.length) {
        grow();
      }
      final int lacking = running.knownTokens() - running.computedTokens();
      numbers[size] = running.number();
      wanted[size++] = cap == 0 ? lacking : Math.min(cap, lacking);
    }
    return Math.max(0, tokens);
  }

  private void grow() {
    numbers = Arrays.copyOf(numbers, 2 * size);
    wanted = Arrays.copyOf(wanted, 2 * size);
    chunks = Arrays.copyOf(chunks, 2 * size);
  }

  private int rounds(long tokens, int expected) {
    int fits = 0;
    int tooMany = (int) Math.min(tokens / unit + 1, Integer.MAX_VALUE);
    while (tooMany - fits > 1) {
      final int middle = (fits + tooMany) >>> 1;
      if (demand(middle, expected) <= tokens) {
        fits = middle;
      } else {
        tooMany = middle;
      }
    }
    return fits;
  }

  private long demand(int rounds, int expected) {
    long sum = (long) expected * share(Integer.MAX_VALUE, rounds);
    for (int index = 0; index < size; index++) {
      sum += share(wanted[index], rounds);
    }
    return sum;
  }

  private int share(int wanted, int rounds) {
    return (int) Math.min(wanted, Math.max(1, (long) rounds * unit));
  }

  @Override
  public int largestChunk(RequestView request, int wantedTokens, StepView step) {
    for (int tried = 0; tried < size; tried++) {
      final int index = cursor;
      cursor = cursor + 1 == size ? 0 : cursor + 1;
      if (numbers[index] == request.number()) {
        return chunks[index];
      }
    }
    return request.status() == RequestStatus.RUNNING ? wantedTokens : newcomerChunk;
  }
}

package dev.headway.scheduler.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.headway.api.config.SchedulerLimits;
import dev.headway.api.engine.Engine;
import dev.headway.api.executor.ExecutorShape;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.probe.AdmittedEvent;
import dev.headway.api.probe.FirstTokenEvent;
import dev.headway.api.probe.Probe;
import dev.headway.api.request.Request;
import dev.headway.scheduler.engine.HeadwayEngine;
import dev.headway.scheduler.time.VirtualClock;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * A tenant guesses what another has asked, and takes the time to the first token: nothing tells a
 * prompt that is cached for another salt from one that is not (CVE-2025-46570).
 */
class PrefixTimingTest {

  private static final int PAIRS = 10_000;
  private static final int PROMPT_TOKENS = 48;
  private static final long SEED = 46_570;

  @Test
  void shouldTellATenantNothingOfWhatAnotherHasAsked() {
    final Guesses given = new Guesses("victim", "attacker");

    given.make();

    assertThat(given.cachedTokens).isZero();
    assertThat(given.areaUnderTheCurve()).as("seed=%d", SEED).isCloseTo(0.5, within(0.02));
  }

  /** Without this, a cache that never finds anything would pass. */
  @Test
  void shouldTellATenantWhatItHasAskedItself() {
    final Guesses given = new Guesses("tenant", "tenant");

    given.make();

    assertThat(given.cachedTokens).isEqualTo((long) PAIRS * (PROMPT_TOKENS - 4));
    assertThat(given.areaUnderTheCurve()).as("seed=%d", SEED).isGreaterThan(0.98);
  }

  /** In each pair a prompt that was asked before, and one of which only another was. */
  private static final class Guesses implements Probe {

    private final Random random = new Random(SEED);
    private final VirtualClock clock = new VirtualClock();
    private final String asking;
    private final String guessing;
    private final Engine engine;
    private final double[] askedNs = new double[PAIRS];
    private final double[] otherNs = new double[PAIRS];
    private long cachedTokens;
    private String guess = "";
    private long firstTokenNs;
    private int submitted;

    Guesses(String asking, String guessing) {
      this.asking = asking;
      this.guessing = guessing;
      final ExecutorShape shape =
          ExecutorShape.builder()
              .kvCache(KvCacheShape.builder().blockSize(4).blocks(1_025).build())
              .maxNumSeqs(8)
              .vocabularySize(1_000_000)
              .build();
      final LinearLatencyModel latency = new LinearLatencyModel(1_000_000, 10_000, 300, 7);
      engine =
          HeadwayEngine.builder(new SimulatedExecutor(shape, latency, clock, SEED))
              .limits(
                  SchedulerLimits.builder()
                      .maxNumSeqs(8)
                      .maxNumBatchedTokens(128)
                      .maxModelLen(256)
                      .build())
              .clock(clock)
              .probe(this)
              .build();
    }

    void make() {
      for (int pair = 0; pair < PAIRS; pair++) {
        final boolean askedFirst = random.nextBoolean();
        for (boolean asked : new boolean[] {askedFirst, !askedFirst}) {
          (asked ? askedNs : otherNs)[pair] = guess(asked);
        }
      }
      engine.close();
    }

    /** The time to the first token of a guess, beside a random load. */
    private long guess(boolean asked) {
      final int[] guessed = prompt(PROMPT_TOKENS);
      submit(asking, asked ? guessed : prompt(PROMPT_TOKENS), 1);
      runAll();
      for (int others = random.nextInt(4); others > 0; others--) {
        submit("others", prompt(1 + random.nextInt(16)), 1 + random.nextInt(3));
      }
      final long beganNs = clock.nanoTime();
      guess = submit(guessing, guessed, 1);
      runAll();
      return firstTokenNs - beganNs;
    }

    private String submit(String salt, int[] prompt, int outputs) {
      final String id = "r" + submitted++;
      engine.submit(Request.builder(id, prompt).cacheSalt(salt).maxTokens(outputs).build());
      return id;
    }

    private int[] prompt(int tokens) {
      final int[] prompt = new int[tokens];
      Arrays.setAll(prompt, i -> random.nextInt(1_000_000));
      return prompt;
    }

    private void runAll() {
      while (engine.step()) {
        // until nothing is left
      }
    }

    @Override
    public void onAdmitted(AdmittedEvent event) {
      cachedTokens += event.cachedTokens(); // nobody but the guess can find anything
    }

    @Override
    public void onFirstToken(FirstTokenEvent event) {
      if (event.request().id().equals(guess)) {
        firstTokenNs = event.atNs();
      }
    }

    /** The chance that a guess at what was asked is faster than one at what was not. */
    private double areaUnderTheCurve() {
      final double[] slower = otherNs.clone();
      Arrays.sort(slower);
      double wins = 0;
      for (double ns : askedNs) {
        final int equalOrFaster = firstAbove(slower, ns);
        final int faster = firstAbove(slower, Math.nextDown(ns));
        wins += slower.length - equalOrFaster + (equalOrFaster - faster) / 2.0;
      }
      return wins / ((double) PAIRS * PAIRS);
    }

    private static int firstAbove(double[] sorted, double value) {
      int low = 0;
      int high = sorted.length;
      while (low < high) {
        final int middle = (low + high) >>> 1;
        if (sorted[middle] <= value) {
          low = middle + 1;
        } else {
          high = middle;
        }
      }
      return low;
    }
  }
}

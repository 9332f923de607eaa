package dev.headway.cuda.emulation;

/**
 * The seed of all random values of this module's tests: the same in every run, so that a run says
 * something about the code. {@code -Dheadway.cuda.seed=N} takes another one.
 */
public final class TestSeed {

  /** The seed. */
  public static final int VALUE = Integer.getInteger("headway.cuda.seed", 20_261_124);

  private TestSeed() {}
}

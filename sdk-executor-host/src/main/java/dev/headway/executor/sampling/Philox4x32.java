package dev.headway.executor.sampling;

/**
 * Philox4x32-10, a counter-based random generator: 128 random bits that are a function of a counter
 * and a key.
 *
 * <p>Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as 1, 2, 3 (SC 2011). Equal to
 * cuRAND's and Random123's.
 */
public final class Philox4x32 {

  private static final int ROUNDS = 10;
  private static final long MULTIPLIER_0 = 0xd2511f53L;
  private static final long MULTIPLIER_1 = 0xcd9e8d57L;
  private static final int WEYL_0 = 0x9e3779b9;
  private static final int WEYL_1 = 0xbb67ae85;

  private Philox4x32() {}

  /**
   * Replaces a counter by its random words. Any thread; allocates nothing.
   *
   * @param counter four words, the lowest first; overwritten
   * @param key the first key word in the low half, the second in the high half
   */
  public static void generate(int[] counter, long key) {
    int key0 = (int) key;
    int key1 = (int) (key >>> 32);
    int c0 = counter[0];
    int c1 = counter[1];
    int c2 = counter[2];
    int c3 = counter[3];
    for (int round = 0; round < ROUNDS; round++) {
      final long product0 = MULTIPLIER_0 * Integer.toUnsignedLong(c0);
      final long product1 = MULTIPLIER_1 * Integer.toUnsignedLong(c2);
      c0 = (int) (product1 >>> 32) ^ c1 ^ key0;
      c1 = (int) product1;
      c2 = (int) (product0 >>> 32) ^ c3 ^ key1;
      c3 = (int) product0;
      key0 += WEYL_0;
      key1 += WEYL_1;
    }
    counter[0] = c0;
    counter[1] = c1;
    counter[2] = c2;
    counter[3] = c3;
  }
}

package dev.headway.kvcache;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class KeyedBlockHasherTest {

  private static final int[] TOKENS = {5, 6, 7, 8};

  private final KeyedBlockHasher hasher = new KeyedBlockHasher(1, 2);

  @Test
  void shouldHashEqualBlocksEquallyInEveryRun() {
    final long hash = hasher.block(9L, TOKENS, 0, 4);

    assertThat(new KeyedBlockHasher(1, 2).block(9L, TOKENS, 0, 4)).isEqualTo(hash);
    assertThat(hash).as("as an independent SipHash-1-3 says").isEqualTo(-5415545798688771034L);
  }

  @Test
  void shouldDependOnBothHalvesOfTheKey() {
    final long hash = hasher.block(9L, TOKENS, 0, 4);

    assertThat(new KeyedBlockHasher(3, 2).block(9L, TOKENS, 0, 4)).isNotEqualTo(hash);
    assertThat(new KeyedBlockHasher(1, 3).block(9L, TOKENS, 0, 4)).isNotEqualTo(hash);
  }

  @Test
  void shouldHaveAKeyOfItsOwnUnlessGiven() {
    final long hash = KeyedBlockHasher.withRandomKey().block(9L, TOKENS, 0, 4);

    assertThat(KeyedBlockHasher.withRandomKey().block(9L, TOKENS, 0, 4)).isNotEqualTo(hash);
  }

  @Test
  void shouldDependOnWhatStandsBefore() {
    assertThat(hasher.block(10L, TOKENS, 0, 4)).isNotEqualTo(hasher.block(9L, TOKENS, 0, 4));
    assertThat(hasher.root("a")).isNotEqualTo(hasher.root("b")).isNotEqualTo(hasher.root(""));
  }

  @Test
  void shouldReadFromTheOffsetOn() {
    final int[] shifted = {99, 98, 5, 6, 7, 8, 97};

    assertThat(hasher.block(9L, shifted, 2, 4)).isEqualTo(hasher.block(9L, TOKENS, 0, 4));
  }

  @Test
  void shouldDependOnTheLengthAndNotReadBeyondIt() {
    final int[] changedBehind = {5, 6, 7, 1};
    final int[] endingInZero = {5, 6, 7, 0};

    final long three = hasher.block(9L, TOKENS, 0, 3);

    assertThat(hasher.block(9L, changedBehind, 0, 3)).isEqualTo(three);
    assertThat(hasher.block(9L, endingInZero, 0, 4)).isNotEqualTo(three);
    assertThat(hasher.block(9L, TOKENS, 0, 0)).isNotEqualTo(three);
  }

  @Test
  void shouldDependOnTheOrderOfTokens() {
    final Set<Long> hashes = new HashSet<>();

    hashes.add(hasher.block(9L, new int[] {5, 6, 7, 8}, 0, 4));
    hashes.add(hasher.block(9L, new int[] {6, 5, 7, 8}, 0, 4));
    hashes.add(hasher.block(9L, new int[] {7, 8, 5, 6}, 0, 4));
    hashes.add(hasher.block(9L, new int[] {8, 7, 6, 5}, 0, 4));

    assertThat(hashes).hasSize(4);
  }

  @Test
  void shouldChangeHalfOfItsBitsWithEachBitOfInput() {
    final long seed = 7;
    final Random random = new Random(seed);
    final int[] tokens = random.ints(16).toArray();
    final long hash = hasher.block(9L, tokens, 0, 16);
    long changed = 0;

    for (int bit = 0; bit < 512; bit++) {
      tokens[bit / 32] ^= 1 << (bit % 32);
      final int flipped = Long.bitCount(hash ^ hasher.block(9L, tokens, 0, 16));
      tokens[bit / 32] ^= 1 << (bit % 32);
      assertThat(flipped).as("seed=%d, bit=%d", seed, bit).isBetween(10, 54);
      changed += flipped;
    }

    assertThat(changed / 512.0).as("seed=%d", seed).isBetween(31.0, 33.0);
  }

  @Test
  void shouldSpreadSmallNumbersOverTheLowBits() {
    final int[] perBucket = new int[256];

    for (int token = 0; token < 65_536; token++) {
      perBucket[(int) hasher.block(9L, new int[] {token}, 0, 1) & 255]++;
    }

    assertThat(Arrays.stream(perBucket).boxed()).allMatch(count -> count > 150 && count < 370);
  }
}

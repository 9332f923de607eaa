package dev.headway.routing.policy.tree;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TenantTreeTest {

  private static final int TENANTS = 4;
  private static final long UNBOUNDED = Long.MAX_VALUE;

  @Test
  void shouldAnswerEachTenantThatHoldsThePrefix() {
    final TenantTree tree = new TenantTree(UNBOUNDED);
    tree.insert(new int[] {1, 2, 3, 4}, 0);
    tree.insert(new int[] {1, 2, 3, 9}, 1);

    assertThat(match(tree, 1, 2, 3, 4, 5)).containsExactly(4, 3, 0, 0);
    assertThat(match(tree, 1, 2)).containsExactly(2, 2, 0, 0);
    assertThat(match(tree, 7)).containsExactly(0, 0, 0, 0);
  }

  @Test
  void shouldDropTheEndsGivenLongestAgo() {
    final TenantTree tree = new TenantTree(10);
    tree.insert(new int[] {1, 1, 1, 1, 1}, 0);
    tree.insert(new int[] {2, 2, 2, 2, 2}, 0);
    tree.insert(new int[] {1, 1, 1}, 0);

    tree.insert(new int[] {3, 3}, 0);

    assertThat(tree.units(0)).isEqualTo(9);
    assertThat(match(tree, 2, 2, 2, 2, 2)[0]).isEqualTo(4);
    assertThat(match(tree, 1, 1, 1, 1, 1)[0]).as("its end is older than 2's").isEqualTo(3);
    assertThat(match(tree, 3, 3)[0]).isEqualTo(2);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
  void shouldMatchTheLongestPrefixEverInserted(long seed) {
    final Random random = new Random(seed);
    final TenantTree tree = new TenantTree(UNBOUNDED);
    final Naive naive = new Naive();

    for (int i = 0; i < 500; i++) {
      final int[] sequence = sequence(random);
      final int tenant = random.nextInt(TENANTS);
      if (random.nextInt(50) == 0) {
        tree.removeTenant(tenant);
        naive.remove(tenant);
      } else {
        tree.insert(sequence, tenant);
        naive.insert(sequence, tenant);
      }
      final int[] probe = sequence(random);
      assertThat(match(tree, probe)).as("seed %d, step %d", seed, i).isEqualTo(naive.match(probe));
      for (int each = 0; each < TENANTS; each++) {
        assertThat(tree.units(each)).as("seed %d, step %d", seed, i).isEqualTo(naive.units(each));
      }
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {11, 12, 13, 14, 15})
  void shouldHoldNoMoreThanItsBoundAndNothingItWasNotGiven(long seed) {
    final Random random = new Random(seed);
    final int bound = 60;
    final TenantTree tree = new TenantTree(bound);
    final Naive naive = new Naive();

    for (int i = 0; i < 2_000; i++) {
      final int[] sequence = sequence(random);
      final int tenant = random.nextInt(TENANTS);
      tree.insert(sequence, tenant);
      naive.insert(sequence, tenant);

      assertThat(tree.units(tenant)).as("seed %d, step %d", seed, i).isLessThanOrEqualTo(bound);
      assertThat(match(tree, sequence)[tenant])
          .as("seed %d, step %d: what was given last is kept", seed, i)
          .isEqualTo(sequence.length);
      final int[] probe = sequence(random);
      final int[] found = match(tree, probe);
      final int[] most = naive.match(probe);
      for (int each = 0; each < TENANTS; each++) {
        assertThat(found[each]).as("seed %d, step %d", seed, i).isLessThanOrEqualTo(most[each]);
      }
    }
  }

  private static int[] match(TenantTree tree, int... sequence) {
    final int[] matched = new int[TENANTS];
    tree.match(sequence, matched);
    return matched;
  }

  private static int[] sequence(Random random) {
    return random.ints(1 + random.nextInt(30), 0, 2).toArray();
  }

  /** Every sequence as it was given. */
  private static final class Naive {
    private final List<List<int[]>> given = new ArrayList<>();

    private Naive() {
      for (int i = 0; i < TENANTS; i++) {
        given.add(new ArrayList<>());
      }
    }

    private void insert(int[] sequence, int tenant) {
      given.get(tenant).add(sequence);
    }

    private void remove(int tenant) {
      given.get(tenant).clear();
    }

    private int[] match(int[] probe) {
      final int[] matched = new int[TENANTS];
      for (int tenant = 0; tenant < TENANTS; tenant++) {
        for (int[] sequence : given.get(tenant)) {
          int length = 0;
          while (length < Math.min(sequence.length, probe.length)
              && sequence[length] == probe[length]) {
            length++;
          }
          matched[tenant] = Math.max(matched[tenant], length);
        }
      }
      return matched;
    }

    private int units(int tenant) {
      final Set<String> prefixes = new HashSet<>();
      for (int[] sequence : given.get(tenant)) {
        for (int length = 1; length <= sequence.length; length++) {
          prefixes.add(Arrays.toString(Arrays.copyOf(sequence, length)));
        }
      }
      return prefixes.size();
    }
  }
}
